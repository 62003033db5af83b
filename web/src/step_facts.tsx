// One step in words and numbers.
import { placeName } from "./moment";
import { fixed, plain, shortened, signed } from "./numbers";
import { quantityOf, symbolOf } from "./quantity";
import type { PlayedFamily, Trace } from "./report";

const LONG = 44;

function Text({ text }: { text: string }) {
  if (text.length <= LONG) return <>{text || "nothing"}</>;
  return (
    <details>
      <summary>{shortened(text, LONG)}</summary>
      {text}
    </details>
  );
}

export function StepFacts({ family, trace, step }: { family: PlayedFamily; trace: Trace; step: number }) {
  const index = Math.min(step, trace.steps.length - 1);
  const now = trace.steps[index];
  if (!now) return <p class="note">This episode has no steps.</p>;
  const earned = trace.steps.slice(0, index + 1).reduce((sum, one) => sum + (one.reward ?? 0), 0);
  return (
    <dl class="facts">
      <dt>at</dt>
      <dd>{placeName(family, now.state)}</dd>
      <dt>action</dt>
      <dd>{family.actions[now.action] ?? now.action}</dd>
      <dt>reward</dt>
      <dd>
        {plain(now.reward)} <span class="error">so far {plain(earned)}</span>
      </dd>
      <dt>cashed</dt>
      <dd>{signed(now.cashed)}</dd>
      <dt>seen</dt>
      <dd>
        <Text text={now.seen} />
      </dd>
      <dt>belief</dt>
      <dd>
        <Text text={now.belief} />
      </dd>
      <dt class="wide">of the place it chooses</dt>
      {(
        [
          [symbolOf(quantityOf("current"), trace), now.at.current],
          ["B", now.at.bound],
          ["v\u1da0", now.at.future],
          ["total", now.at.total],
        ] as const
      ).map(([symbol, value]) => (
        <>
          <dt>{symbol}</dt>
          <dd>{value === null || value === undefined ? <span class="error">not known</span> : fixed(value)}</dd>
        </>
      ))}
    </dl>
  );
}
