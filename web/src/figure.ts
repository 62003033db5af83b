// A chart as data: the screen and the saved file draw the same one.
import type { Maybe } from "./report";
import { extent, known } from "./numbers";

export interface Line {
  label: string;
  colour: string;
  dash: number[];
  y: Maybe[];
  band?: { low: Maybe[]; high: Maybe[] };
  bars?: boolean;
  singles?: Maybe[][]; // thin lines of the same colour: what the line is the middle of
}

/** A place on the x axis that is labelled. */
export interface Mark {
  x: number;
  text: string;
}

export interface Figure {
  title: string;
  xLabel: string;
  yLabel: string;
  log: boolean;
  x: number[];
  xRoom?: number; // beyond the first and the last, for bars
  lines: Line[];
  mark?: Mark | undefined;
  yRange?: [number, number] | undefined; // to share a scale between charts
}

function* allValues(figure: Figure): Iterable<Maybe> {
  for (const line of figure.lines) {
    yield* line.y;
    if (line.band) {
      yield* line.band.low;
      yield* line.band.high;
    }
    for (const one of line.singles ?? []) yield* one;
    if (line.bars) yield 0;
  }
}

function* positive(values: Iterable<Maybe>): Iterable<Maybe> {
  for (const value of values) if (known(value) && value > 0) yield value;
}

/** The y axis: with a small margin, and with full decades if it is logarithmic. */
export function yExtent(figure: Figure): [number, number] {
  if (figure.log) {
    const found = extent(positive(allValues(figure)));
    if (!found) return [0.1, 1];
    const low = 10 ** Math.floor(Math.log10(found[0]));
    const high = 10 ** Math.ceil(Math.log10(found[1]));
    return low < high ? [low, high] : [low, low * 10];
  }
  const found = figure.yRange ?? extent(allValues(figure));
  if (!found) return [0, 1];
  const room = (found[1] - found[0]) * 0.06 || Math.abs(found[0]) * 0.1 || 1;
  // An axis that nearly starts at zero starts exactly there.
  const low = found[0] >= 0 && found[0] - room < 0 ? 0 : found[0] - room;
  return [low, found[1] + room];
}

export function xExtent(figure: Figure): [number, number] {
  const found = extent(figure.x);
  if (!found) return [0, 1];
  const room = figure.xRoom ?? 0;
  return found[0] < found[1] ? [found[0] - room, found[1] + room] : [found[0] - 1, found[1] + 1];
}

/** Round numbers, about `count` of them, inside the range. */
export function ticks([low, high]: [number, number], count: number): number[] {
  const rough = (high - low) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power;
  const found: number[] = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k++) found.push(Number((k * step).toPrecision(12)));
  return found;
}

/** Powers of ten inside the range, at most nine of them. */
export function decades([low, high]: [number, number]): number[] {
  const first = Math.ceil(Math.log10(low) - 1e-9);
  const last = Math.floor(Math.log10(high) + 1e-9);
  const step = Math.max(1, Math.ceil((last - first) / 8));
  const found: number[] = [];
  for (let k = last; k >= first; k -= step) found.unshift(10 ** k);
  return found;
}

export function tickText(value: number): string {
  if (value !== 0 && (Math.abs(value) >= 1e5 || Math.abs(value) < 1e-3)) return value.toExponential(0).replace("-", "\u2212");
  return `${Number(value.toPrecision(6))}`.replace("-", "\u2212");
}

/** Puts lines that were measured at different places on one x axis, with gaps. */
export function onOneAxis(axes: number[][]): { x: number[]; spread: (which: number, values: Maybe[]) => Maybe[] } {
  const x = [...new Set(axes.flat())].sort((a, b) => a - b);
  const place = new Map(x.map((value, index) => [value, index]));
  return {
    x,
    spread: (which, values) => {
      const out: Maybe[] = new Array<Maybe>(x.length).fill(null);
      (axes[which] ?? []).forEach((at, index) => {
        const value = values[index];
        if (known(value)) out[place.get(at)!] = value;
      });
      return out;
    },
  };
}
