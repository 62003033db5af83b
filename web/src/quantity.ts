// What a map of the grid can show, and the range of its colours.
import type { Range } from "./colour_scale";
import { extent, known } from "./numbers";
import type { Maybe, PlayedEpisode, Trace, TraceStep } from "./report";

export type QuantityKey = "mean" | "spread" | "current" | "bound" | "future" | "total" | "truth";

// Quantities of one group are in the same unit and share one scale, so that their colours can be compared.
type Group = "reward" | "spread" | "worth";

export interface Quantity {
  key: QuantityKey;
  symbol: string;
  name: string;
  meaning: string;
  group: Group;
}

export const QUANTITIES: Quantity[] = [
  { key: "mean", symbol: "mean", name: "belief: mean", meaning: "what a step there is believed to pay", group: "reward" },
  { key: "spread", symbol: "spread", name: "belief: spread", meaning: "how unsure that is (standard deviation)", group: "spread" },
  { key: "current", symbol: "v\u1d9c", name: "v\u1d9c, current information", meaning: "what present knowledge is worth from there", group: "worth" },
  { key: "bound", symbol: "B", name: "B, bound", meaning: "the most that further knowledge could add", group: "worth" },
  { key: "future", symbol: "v\u1da0", name: "v\u1da0, future information", meaning: "what finding out is expected to add", group: "worth" },
  { key: "total", symbol: "total", name: "total", meaning: "what the method takes the place to be worth: current and future information", group: "worth" },
  { key: "truth", symbol: "truth", name: "truth", meaning: "what a step there really pays on average; hidden from the agent", group: "reward" },
];

export const STEP_QUANTITIES = QUANTITIES.filter((quantity) => quantity.key !== "truth");

export function quantityOf(key: QuantityKey): Quantity {
  return QUANTITIES.find((quantity) => quantity.key === key)!;
}

/** Some methods use v\u1d50, the value of the mean environment's own plan, in place of v\u1d9c. */
export function symbolOf(quantity: Quantity, trace: Trace): string {
  return quantity.key === "current" && trace.mean_plan ? "v\u1d50" : quantity.symbol;
}

export function nameOf(quantity: Quantity, trace: Trace): string {
  return quantity.key === "current" && trace.mean_plan ? "v\u1d50, current information by the mean environment's plan" : quantity.name;
}

/** The values by state; empty where the method does not have them. */
export function valuesOf(key: QuantityKey, episode: PlayedEpisode, step: TraceStep | undefined): Maybe[] {
  const values = key === "truth" ? episode.truth : (step?.[key] ?? []);
  return values.some(known) ? values : [];
}

export type Ranges = Record<Group, Range | null>;

/** The range over the whole episode and all traces shown, so that a change of colour is a change of value. */
export function rangesOf(episode: PlayedEpisode, traces: Trace[]): Ranges {
  const of = (group: Group): Range | null => {
    const keys = QUANTITIES.filter((quantity) => quantity.group === group).map((quantity) => quantity.key);
    function* all(): Iterable<Maybe> {
      for (const key of keys) {
        if (key === "truth") yield* episode.truth;
        else for (const trace of traces) for (const step of trace.steps) yield* step[key];
      }
    }
    return extent(all());
  };
  return { reward: of("reward"), spread: of("spread"), worth: of("worth") };
}
