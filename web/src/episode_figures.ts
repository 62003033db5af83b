// The charts of an episode: what knowledge is worth over time, and what the agent earns.
import type { Figure } from "./figure";
import { numberedStyle, type Theme } from "./look";
import { cashLabel, cashText, largestCash } from "./moment";
import { extent, known } from "./numbers";
import { quantityOf, symbolOf } from "./quantity";
import type { Maybe, PlayedFamily, Trace } from "./report";

function markOf(trace: Trace): Figure["mark"] {
  const cash = largestCash(trace);
  return cash === null ? undefined : { x: cash, text: cashLabel(trace, cash) };
}

export function worthFigure(trace: Trace, theme: Theme, yRange: [number, number] | null): Figure {
  const keys = [
    ["current", `${symbolOf(quantityOf("current"), trace)} (known)`, 0],
    ["future", "v\u1da0 (to find out)", 1],
    ["bound", "B (bound)", 2],
    ["total", "total", 6],
  ] as const;
  return {
    title: `${trace.label}: what the chosen place is worth`,
    xLabel: "step",
    yLabel: "worth",
    log: false,
    x: trace.steps.map((_, index) => index),
    xRoom: 0.6,
    lines: keys
      .map(([key, label, place]) => ({ label, ...numberedStyle(place, theme), y: trace.steps.map((step): Maybe => (known(step.at[key]) ? step.at[key] : null)) }))
      .filter((line) => line.y.some(known)),
    mark: markOf(trace),
    yRange: yRange ?? undefined,
  };
}

export function rewardFigure(family: PlayedFamily, trace: Trace, theme: Theme, yRange: [number, number] | null): Figure {
  const cash = largestCash(trace);
  return {
    title: `${trace.label}: reward${cash === null ? "" : `; ${cashText(family, trace, cash)}`}`,
    xLabel: "step",
    yLabel: "reward",
    log: false,
    x: trace.steps.map((_, index) => index),
    xRoom: 0.6,
    lines: [
      { label: "cashed at the step", ...numberedStyle(4, theme), dash: [], y: trace.steps.map((step): Maybe => (known(step.cashed) ? step.cashed : null)), bars: true },
      { label: "earned so far", ...numberedStyle(0, theme), dash: [], y: earnings(trace) },
    ],
    mark: markOf(trace),
    yRange: yRange ?? undefined,
  };
}

function earnings(trace: Trace): number[] {
  let sum = 0;
  return trace.steps.map((step) => (sum += step.reward ?? 0));
}

/** The range over several traces, so that their charts share a scale. */
export function worthRange(traces: Trace[]): [number, number] | null {
  return extent(traces.flatMap((trace) => trace.steps.flatMap((step) => [step.at.current, step.at.bound, step.at.future, step.at.total])));
}

export function rewardRange(traces: Trace[]): [number, number] | null {
  return extent([0, ...traces.flatMap((trace) => [...earnings(trace), ...trace.steps.map((step) => step.cashed)])]);
}
