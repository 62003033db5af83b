// Why the agent does what it does at a step, in a sentence or two.
import type { PlayedFamily, Trace } from "./report";

export function whyText(trace: Trace, step: number): string {
  return trace.steps[Math.min(step, trace.steps.length - 1)]?.why ?? "";
}

export function Why({ family, trace, step }: { family: PlayedFamily; trace: Trace; step: number }) {
  const text = whyText(trace, step);
  const action = trace.steps[Math.min(step, trace.steps.length - 1)]?.action ?? 0;
  const longest = trace.steps.reduce((most, one) => ((one.why ?? "").length > most.length ? one.why! : most), "");
  // The box has the height of the longest sentence, so that nothing below moves while the episode plays. It is there even if empty, for the other pane.
  return (
    <div class={longest ? "why" : "why none"} data-longest={longest}>
      <h4>{text && `Why ${family.actions[action] ?? action}?`}</h4>
      <p>{text}</p>
    </div>
  );
}
