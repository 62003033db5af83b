// The episode player: two methods in the same environment with the same random numbers, on one clock.
import { useEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";
import { Clock } from "./clock";
import { rewardRange, worthRange } from "./episode_figures";
import { episodeGif } from "./gif";
import { inkOf, useTheme } from "./look";
import { MethodPane } from "./method_pane";
import { MomentStrip } from "./moment_strip";
import { cashText, largestCash, placeName } from "./moment";
import { familyTitle, plain, signed } from "./numbers";
import { PlayerControls } from "./player_controls";
import { QUANTITIES, quantityOf, rangesOf, valuesOf, type QuantityKey } from "./quantity";
import type { PlayedFamily, Trace } from "./report";
import { download, fileName } from "./save";
import { searchText } from "./search_tree";
import { Tabs } from "./tabs";
import { whyText } from "./why";

const NOBODY = "";

function traceKey(trace: Trace): string {
  return `${trace.label}\n${trace.method}\n${trace.seed}`;
}

function firstChoice(traces: Trace[]): Trace | undefined {
  return traces.find((trace) => trace.label === "pcr (ours)") ?? traces[0];
}

function secondChoice(traces: Trace[], first: Trace | undefined): Trace | undefined {
  return traces.find((trace) => trace.label === "td" && trace !== first) ?? traces.find((trace) => trace !== first);
}

function spokenStep(family: PlayedFamily, trace: Trace, step: number): string {
  const now = trace.steps[Math.min(step, trace.steps.length - 1)];
  if (!now) return "";
  const cash = largestCash(trace);
  const special = cash === step ? `, ${cashText(family, trace, cash)}` : `, cashed ${signed(now.cashed)}`;
  const searched = now.search ? ` It looked at ${searchText(now.search)}.` : "";
  return `${trace.label}: at ${placeName(family, now.state)}, ${family.actions[now.action] ?? ""}, reward ${plain(now.reward)}${special}. ${whyText(trace, step)}${searched}`;
}

function onKey(event: KeyboardEvent, clock: Clock): void {
  const target = event.target as HTMLElement;
  if (event.ctrlKey || event.altKey || event.metaKey || target.closest("select, summary")) return;
  // The space bar presses a focused button, as everywhere.
  if (event.key === " " && target.closest("button")) return;
  const actions: Record<string, () => void> = {
    " ": () => clock.toggle(),
    ArrowLeft: () => clock.stepBy(-1),
    ArrowRight: () => clock.stepBy(1),
    Home: () => clock.stepBy(-Infinity),
    End: () => clock.stepBy(Infinity),
    "+": () => clock.faster(1),
    "=": () => clock.faster(1),
    "-": () => clock.faster(-1),
  };
  const action = actions[event.key];
  if (!action) return;
  event.preventDefault();
  action();
}

export function Player({ players }: { players: PlayedFamily[] }) {
  const theme = useTheme();
  const [familyKey, chooseFamily] = useState(players[0]?.family ?? "");
  const [episodeKey, chooseEpisode] = useState<number | null>(null);
  const [aKey, chooseA] = useState<string | null>(null);
  const [bKey, chooseB] = useState<string | null>(null);
  const [quantity, chooseQuantity] = useState<QuantityKey | null>(null);
  const [progress, setProgress] = useState<number | null>(null);
  const clock = useRef<Clock>(null as unknown as Clock);
  clock.current ??= new Clock();
  const [, changed] = useReducer((count: number) => count + 1, 0);
  useEffect(() => clock.current.eachChange(() => changed(undefined)), []);

  const family = players.find((one) => one.family === familyKey) ?? players[0];
  const episode = family?.episodes.find((one) => one.episode === episodeKey) ?? family?.episodes[0];
  const traces = episode?.traces ?? [];
  const a = traces.find((trace) => traceKey(trace) === aKey) ?? firstChoice(traces);
  const b = bKey === NOBODY ? undefined : (traces.find((trace) => traceKey(trace) === bKey && trace !== a) ?? secondChoice(traces, a));
  const derived = useMemo(() => {
    const both = [a, b].filter((trace): trace is Trace => trace !== undefined);
    return { both, ranges: episode ? rangesOf(episode, both) : null, worth: worthRange(both), reward: rewardRange(both) };
  }, [episode, a, b]);
  const length = Math.max(1, ...derived.both.map((trace) => trace.steps.length));
  useEffect(() => clock.current.setLength(length), [length]);
  // Made once for all steps, because its drawings do not change with time.
  const moment = useMemo(
    () => family && episode && <MomentStrip family={family} episode={episode} traces={derived.both} clock={clock.current} />,
    [family, episode, derived],
  );
  if (!family || !episode || !a || !derived.ranges) return null;

  const restart = () => {
    clock.current.pause();
    clock.current.seek(0);
  };
  const shown = quantity ?? (a.steps.some((step) => valuesOf("future", episode, step).length > 0) ? "future" : "mean");
  const step = Math.min(clock.current.step, length - 1);
  const ranges = derived.ranges;
  const saveGif = async () => {
    setProgress(0);
    try {
      const scene = { family, episode, traces: derived.both, quantity: shown, ranges, ink: inkOf(theme) };
      download(await episodeGif(scene, setProgress), fileName(`${familyTitle(family.title, family.family)} episode ${episode.episode}`, "gif"));
    } finally {
      setProgress(null);
    }
  };
  const traceOptions = (without?: Trace) => traces.filter((trace) => trace !== without).map((trace) => <option value={traceKey(trace)}>{trace.label}</option>);
  return (
    <section id="player" onKeyDown={(event) => onKey(event, clock.current)}>
      <h2>Watch an episode</h2>
      <p class="lead">
        Two methods in the same hidden environment with the same random numbers. v<sup>c</sup> is what present knowledge is worth, v<sup>f</sup> what finding out is expected to
        add, B the most it could add. A method that takes the mean environment's own plan for what knowledge is worth has v<sup>m</sup> in place of v<sup>c</sup>. The total, current and
        future information where a method knows both, is what it takes a place to be worth.
      </p>
      <Tabs
        label="family"
        options={players.map((one) => ({ key: one.family, text: familyTitle(one.title, one.family) }))}
        chosen={family.family}
        onChoose={(key) => {
          chooseFamily(key);
          chooseEpisode(null);
          restart();
        }}
      />
      {moment}
      <div class="bar choices">
        <label class="field">
          episode
          <select
            value={`${episode.episode}`}
            onChange={(event) => {
              chooseEpisode(Number(event.currentTarget.value));
              restart();
            }}
          >
            {family.episodes.map((one) => (
              <option value={`${one.episode}`}>{one.episode}</option>
            ))}
          </select>
        </label>
        <label class="field">
          method A
          <select value={traceKey(a)} onChange={(event) => chooseA(event.currentTarget.value)}>
            {traceOptions()}
          </select>
        </label>
        <label class="field">
          method B
          <select value={b ? traceKey(b) : NOBODY} onChange={(event) => chooseB(event.currentTarget.value)}>
            <option value={NOBODY}>none</option>
            {traceOptions(a)}
          </select>
        </label>
        <label class="field">
          colour shows
          <select id="quantity" value={shown} onChange={(event) => chooseQuantity(event.currentTarget.value as QuantityKey)}>
            {QUANTITIES.map((one) => (
              <option value={one.key}>{one.name}</option>
            ))}
          </select>
        </label>
        <span class="error meaning">{quantityOf(shown).meaning}</span>
      </div>
      <div class="theatre" tabIndex={0} role="group" aria-label="episode player; space plays and pauses, arrow keys step">
        <p class="keys">
          With the focus in the player: <kbd>space</kbd> plays and pauses, <kbd>←</kbd> <kbd>→</kbd> step, <kbd>home</kbd> <kbd>end</kbd> jump, <kbd>+</kbd> <kbd>−</kbd> change the
          speed.
        </p>
        <PlayerControls clock={clock.current} step={step} last={length - 1} progress={progress} onGif={() => void saveGif()} />
        <div class={b ? "panes two" : "panes one"}>
          {derived.both.map((trace, index) => (
            <MethodPane
              key={index}
              name={index === 0 ? "A" : "B"}
              family={family}
              episode={episode}
              trace={trace}
              clock={clock.current}
              step={step}
              quantity={shown}
              onQuantity={chooseQuantity}
              ranges={ranges}
              worthRange={derived.worth}
              rewardRange={derived.reward}
            />
          ))}
        </div>
      </div>
      <p class="sr" aria-live="polite">
        {clock.current.playing ? "" : `Step ${step} of ${length - 1}. ${derived.both.map((trace) => spokenStep(family, trace, step)).join(" ")}`}
      </p>
    </section>
  );
}
