// The T-mazes and what the learned policies do in them, drawn.
import { useRef } from "preact/hooks";
import { lineStyle, useTheme } from "./look";
import { placeName } from "./moment";
import { extent, familyTitle, known, plain } from "./numbers";
import type { PlayedEpisode, PlayedFamily, Trace } from "./report";
import { SaveButtons } from "./save_buttons";
import { cornersOf, placesOf, staysFrom, type Point } from "./way";

const CELL = 40;
const MARGIN = 24; // for the letters outside

/** Episodes of different environments: the first of each. */
function environments(family: PlayedFamily): PlayedEpisode[] {
  const met = new Set<string>();
  return family.episodes.filter((episode) => {
    const key = JSON.stringify(episode.truth);
    if (met.has(key)) return false;
    met.add(key);
    return true;
  });
}

function Arrow({ from, to }: { from: Point; to: Point }) {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const length = Math.hypot(dx, dy);
  if (length < 0.7) return null;
  const [x, y] = [(from[0] + dx * 0.55) * CELL, (from[1] + dy * 0.55) * CELL];
  const turn = (Math.atan2(dy, dx) * 180) / Math.PI;
  return <path class="arrow" d="M6,0L-4,-5L-4,5Z" transform={`translate(${x + MARGIN} ${y + MARGIN}) rotate(${turn})`} />;
}

/** The label is beside its cell, where the maze leaves room, so that no path crosses it. */
function Letter({ family, state }: { family: PlayedFamily; state: number }) {
  const [row, column] = family.cells[state]!;
  const sides = [
    [0, -1],
    [0, 1],
    [-1, 0],
    [1, 0],
  ] as const;
  const free = sides.find(([down, right]) => !family.cells.some((cell) => cell?.[0] === row + down && cell[1] === column + right)) ?? [0, 0];
  const x = MARGIN + (column + 0.5 + free[1] * 0.78) * CELL;
  const y = MARGIN + (row + 0.5 + free[0] * 0.72) * CELL + 5;
  return (
    <text class="landmark" x={x} y={y} text-anchor="middle">
      {family.landmarks[state]}
    </text>
  );
}

function Ground({ family, episode }: { family: PlayedFamily; episode: PlayedEpisode }) {
  const range = extent(episode.truth);
  return (
    <>
      {family.cells.map((cell, state) => {
        if (!cell) return null;
        const [row, column] = cell;
        const pays = episode.truth[state];
        const landmark = family.landmarks[state] ?? ".";
        const kind = known(pays) && pays > 0 && pays === range?.[1] ? "good" : known(pays) && pays < 0 ? "bad" : "plain";
        const [x, y] = [MARGIN + column * CELL, MARGIN + row * CELL];
        return (
          <g>
            <title>{`${placeName(family, state)}: pays ${plain(pays)} a step`}</title>
            <rect class={`cell ${kind}`} x={x + 1} y={y + 1} width={CELL - 2} height={CELL - 2} rx="3" />
            {kind !== "plain" && (
              <text class="sign" x={x + CELL / 2} y={y + CELL + 16} text-anchor="middle">
                {kind === "good" ? "+" : "\u2212"}
                {plain(Math.abs(pays!))}
              </text>
            )}
            {landmark !== "." && (
              <Letter family={family} state={state} />
            )}
          </g>
        );
      })}
    </>
  );
}

function Way({ family, trace, colour }: { family: PlayedFamily; trace: Trace; colour: string }) {
  const corners = cornersOf(family, trace);
  const end = corners[corners.length - 1];
  return (
    <g style={{ color: colour }}>
      <path class="way" d={`M${corners.map(([x, y]) => `${x * CELL + MARGIN},${y * CELL + MARGIN}`).join("L")}`} />
      {corners.slice(1).map((corner, index) => (
        <Arrow from={corners[index]!} to={corner} />
      ))}
      {end && staysFrom(trace) !== null && <circle class="stay" cx={end[0] * CELL + MARGIN} cy={end[1] * CELL + MARGIN} r="7" />}
    </g>
  );
}

/** The landmarks that the path passes, and where it ends. */
function story(family: PlayedFamily, trace: Trace): string {
  const places = placesOf(trace);
  const passed = places.filter((state, index) => index > 0 && index < places.length - 1 && family.landmarks[state] === "C").length > 0;
  const from = staysFrom(trace);
  const end = family.states[places[places.length - 1] ?? 0] ?? "";
  const ending = from === null ? `still moves at the end` : from === 0 ? `stays at the ${end} from the start` : `stays at the ${end} from step ${from}`;
  return `${passed ? "goes to the cue, then " : "does not pass the cue; "}${ending}`;
}

function Maze({ family, episode, trace }: { family: PlayedFamily; episode: PlayedEpisode; trace: Trace }) {
  const drawing = useRef<SVGSVGElement>(null);
  const { colour } = lineStyle(family.family, trace.method, useTheme());
  const width = family.columns * CELL + 2 * MARGIN;
  const height = Math.max(family.rows * CELL, CELL + 20) + 2 * MARGIN;
  return (
    <figure class="maze">
      <svg class="drawing" ref={drawing} viewBox={`0 0 ${width} ${height}`} style={{ maxWidth: `${width}px` }} role="img" aria-label={`${trace.label} ${story(family, trace)}`}>
        <Ground family={family} episode={episode} />
        <Way family={family} trace={trace} colour={colour} />
      </svg>
      <figcaption>
        Returns <strong>{plain(trace.return)}</strong>: {story(family, trace)}. <SaveButtons title={`${trace.label} ${family.title} episode ${episode.episode}`} drawing={() => drawing.current} />
      </figcaption>
    </figure>
  );
}

export function Mazes({ players }: { players: PlayedFamily[] }) {
  const families = players.filter((family) => family.family.startsWith("t_maze"));
  if (families.length === 0) return null;
  return (
    <section id="mazes">
      <h2>The T-maze, drawn</h2>
      <p class="lead">
        The hidden environments side by side: the end marked + pays each step, the end marked − costs. C is the cue that tells which is which, S the start. The line is the way the
        agent took, keeping to its right; the dot is where it stays until the end.
      </p>
      {families.map((family) => {
        const shown = environments(family);
        const methods = shown[0]?.traces ?? [];
        return (
          <>
            {families.length > 1 && <h3>{familyTitle(family.title, family.family)}</h3>}
            {methods.map((method) => (
              <div class="maze-row">
                <h4>{method.label}</h4>
                <div class="maze-pair">
                  {shown.map((episode) => {
                    const trace = episode.traces.find((one) => one.label === method.label && one.method === method.method);
                    return trace ? <Maze family={family} episode={episode} trace={trace} /> : <p class="unknown">not played in this environment</p>;
                  })}
                </div>
              </div>
            ))}
          </>
        );
      })}
    </section>
  );
}
