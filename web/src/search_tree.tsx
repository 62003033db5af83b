// What a planner searched before it chose: each action with its bounds, and below it its successors.
import { useState } from "preact/hooks";
import { placeName } from "./moment";
import { extent, grouped, known, plain, plural, short } from "./numbers";
import type { PlayedFamily, Search, SearchAction, SearchEnd, Trace } from "./report";

type Span = [number, number];

function searchAt(trace: Trace, step: number): Search | undefined {
  return trace.steps[Math.min(step, trace.steps.length - 1)]?.search;
}

/** One sentence: how much was searched, and what is known after it. */
export function searchText(search: Search): string {
  const played = search.playouts ? ` and ${plural(search.playouts, "playout")}` : "";
  const parts = [plural(search.simulations, "simulation") + played];
  if (known(search.lower) && known(search.upper)) {
    const drawn = known(search.upper_error) ? ` \u00b1 ${short(search.upper_error)}` : "";
    parts.push(`the best is worth ${short(search.lower)} to ${short(search.upper)}${drawn}`);
  }
  if (search.certain) parts.push("no other action can be better");
  if (search.timed) parts.push("stopped by time, so another run may differ");
  return parts.join("; ");
}

function spanOf(actions: SearchAction[]): Span {
  const found = extent(actions.flatMap((one) => [one.value, one.lower, one.upper])) ?? [0, 1];
  // A single value has no scale and is drawn in the middle.
  return found[0] < found[1] ? found : [found[0] - 1, found[1] + 1];
}

function percent(share: number): string {
  return share > 0 && share < 0.005 ? "<1 %" : `${Math.round(100 * share)} %`;
}

function endText(family: PlayedFamily, end: SearchEnd): string {
  const parts = [placeName(family, end.state)];
  if (end.seen) parts.push(`sees ${end.seen}`);
  if (known(end.reward)) parts.push(`reward ${plain(end.reward)}`);
  return parts.join(", ");
}

/** A planner may distinguish successors by more than it can describe: such successors get numbers. */
function endTexts(family: PlayedFamily, ends: SearchEnd[]): string[] {
  const texts = ends.map((end) => endText(family, end));
  return texts.map((text, index) => {
    if (texts.filter((one) => one === text).length === 1) return text;
    return `${text} (outcome ${texts.slice(0, index + 1).filter((one) => one === text).length})`;
  });
}

function Bar({ of, span, chosen }: { of: SearchAction; span: Span; chosen: boolean }) {
  const at = (value: number) => (100 * (value - span[0])) / (span[1] - span[0]);
  return (
    <span class="search-bar" aria-hidden="true">
      {known(of.lower) && known(of.upper) && (
        <span class={chosen ? "range chosen" : "range"} style={{ left: `${at(of.lower)}%`, width: `${at(of.upper) - at(of.lower)}%` }} />
      )}
      {known(of.value) && <span class="tick" style={{ left: `${at(of.value)}%` }} />}
    </span>
  );
}

interface RowProps {
  family: PlayedFamily;
  of: SearchAction;
  span: Span;
  chosen: boolean;
}

/** All values are text, too; the bar only repeats them. */
function Row({ family, of, span, chosen }: RowProps) {
  const bounds = known(of.lower) && known(of.upper);
  return (
    <>
      <span class={chosen ? "name chosen" : "name"} title={family.actions[of.action]}>
        <span class="words">{family.actions[of.action] ?? of.action}</span>
        {chosen && (
          <>
            <span class="sr">, </span>
            <span class="mark">chosen</span>
          </>
        )}
      </span>
      <Bar of={of} span={span} chosen={chosen} />
      <span class="worth">
        <span class="sr">, worth </span>
        {short(of.value)}
        {bounds && (
          <span class="error">
            <span class="sr">, between </span> {short(of.lower)}
            <span class="sr"> and </span>
            <span aria-hidden="true">{"\u2026"}</span>
            {short(of.upper)}
          </span>
        )}
      </span>
      <span class="visits">
        <span class="sr">, </span>
        {grouped(of.visits)}
        <span class="sr"> visits</span>
      </span>
    </>
  );
}

function Ends({ family, of }: { family: PlayedFamily; of: SearchAction }) {
  const ends = of.ends ?? [];
  const texts = endTexts(family, ends);
  const span = spanOf(ends.flatMap((end) => end.actions ?? []));
  const rest = Math.max(0, 1 - ends.reduce((sum, end) => sum + end.probability, 0));
  return (
    <ul class="search-ends">
      {ends.map((end, index) => (
        <li>
          <p>
            <strong>{percent(end.probability)}</strong> {texts[index]}
          </p>
          {(end.actions ?? []).map((one) => (
            <div class="search-row">
              <Row family={family} of={one} span={span} chosen={false} />
            </div>
          ))}
        </li>
      ))}
      {known(of.more) && (
        <li>
          <p class="error">
            and {grouped(of.more)} more ({percent(rest)})
          </p>
        </li>
      )}
    </ul>
  );
}

export function SearchTree({ family, trace, step }: { family: PlayedFamily; trace: Trace; step: number }) {
  const [opened, open] = useState<number | null>(null);
  const most = Math.max(0, ...trace.steps.map((one) => one.search?.actions.length ?? 0));
  // Present even if empty, so that the other pane has the same layout.
  if (most === 0) return <div class="search none" />;
  const search = searchAt(trace, step);
  const longest = trace.steps.reduce((text, one) => (one.search && searchText(one.search).length > text.length ? searchText(one.search) : text), "");
  const actions = search?.actions ?? [];
  const chosen = trace.steps[Math.min(step, trace.steps.length - 1)]?.action;
  const span = spanOf(actions);
  const bounds = trace.steps.some((each) => each.search?.actions.some((one) => known(one.lower) && known(one.upper)));
  return (
    <div class="search" role="group" aria-label={`what ${trace.label} looked at before this step`}>
      <h4>What it looked at</h4>
      {/* The longest summary and the most rows keep the room, so that nothing below jumps while it plays. */}
      <div class="search-summary" data-longest={longest}>
        <p>{search ? searchText(search) : "It did not search at this step."}</p>
      </div>
      <div class="search-row search-head" aria-hidden="true">
        <span>action</span>
        <span class="axis">
          <span>{search && short(span[0])}</span>
          <span>{search && short(span[1])}</span>
        </span>
        <span class="worth">worth</span>
        <span class="visits">visits</span>
      </div>
      <div class="search-rows" style={{ minHeight: `calc(${most} * var(--search-row))` }}>
        {actions.map((one) => {
          const more = (one.ends ?? []).length > 0;
          const row = <Row family={family} of={one} span={span} chosen={one.action === chosen} />;
          return (
            <div key={one.action}>
              {more ? (
                <button type="button" class="search-row" aria-expanded={opened === one.action} onClick={() => open(opened === one.action ? null : one.action)}>
                  {row}
                </button>
              ) : (
                <div class="search-row">{row}</div>
              )}
              {more && opened === one.action && <Ends family={family} of={one} />}
            </div>
          );
        })}
      </div>
      <p class="search-legend">
        {bounds ? "A bar reaches from what an action is worth at least to what it could be worth at most; the tick is what the search takes it to be worth." : "A tick is what the simulations that began with an action earned on average."}{" "}
        Press an action to see how it can end.
      </p>
    </div>
  );
}
