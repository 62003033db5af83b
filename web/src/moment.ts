// The step of an episode with the largest cashed reward: there information became value.
import { known, short, signed } from "./numbers";
import type { PlayedFamily, Trace } from "./report";

export function largestCash(trace: Trace): number | null {
  let best: number | null = null;
  trace.steps.forEach((step, index) => {
    if (!known(step.cashed) || step.cashed <= 0) return;
    if (best === null || step.cashed > trace.steps[best]!.cashed!) best = index;
  });
  return best;
}

const LANDMARKS: Record<string, string> = { M: "the map", C: "the cue", S: "the start", L: "the left end", R: "the right end" };

export function placeName(family: PlayedFamily, state: number): string {
  const name = family.states[state] ?? `state ${state}`;
  const landmark = LANDMARKS[family.landmarks[state] ?? "."];
  if (!landmark || landmark === name || landmark === `the ${name}`) return name;
  return `${name} (${landmark})`;
}

/** The same within a sentence: "the cue", not "cue". */
export function placeInWords(family: PlayedFamily, state: number): string {
  const name = placeName(family, state);
  const landmark = LANDMARKS[family.landmarks[state] ?? "."];
  return landmark === `the ${name}` ? landmark : name;
}

export function cashText(family: PlayedFamily, trace: Trace, index: number): string {
  const step = trace.steps[index]!;
  return `largest cashed reward: ${signed(step.cashed, 1)} at step ${index}, at ${placeName(family, step.state)}`;
}

export function cashLabel(trace: Trace, index: number): string {
  return `${signed(trace.steps[index]!.cashed, 1)} cashed at step ${index}`;
}

/** One quantity of the chosen place, before and after the observation of that step. */
export function beforeAndAfter(trace: Trace, index: number, key: "current" | "future" | "bound" | "total"): [string, string] | null {
  const before = trace.steps[index - 1]?.at[key];
  const after = trace.steps[index]?.at[key];
  return known(before) && known(after) ? [short(before), short(after)] : null;
}
