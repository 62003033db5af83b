// The path of an agent through a maze, as lines to draw. Ways there and back are drawn side by side: the agent keeps to the right.
import type { PlayedFamily, Trace } from "./report";

export type Point = [number, number];

const ASIDE = 0.16; // of a cell

/** The places along the path, without repetitions. */
export function placesOf(trace: Trace): number[] {
  return trace.steps.map((step) => step.state).filter((state, index, all) => index === 0 || state !== all[index - 1]);
}

/** The step from which on the agent does not move any more; nothing if it moves until the end. */
export function staysFrom(trace: Trace): number | null {
  const last = trace.steps.length - 1;
  let from = last;
  while (from > 0 && trace.steps[from - 1]!.state === trace.steps[last]!.state) from--;
  return from < last ? from : null;
}

function directionOf(from: Point, to: Point): Point {
  return [Math.sign(to[0] - from[0]), Math.sign(to[1] - from[1])];
}

/** Corners in units of cells, from the middle of the first to the middle of the last. */
export function cornersOf(family: PlayedFamily, trace: Trace): Point[] {
  const middles = placesOf(trace).map((state): Point => {
    const [row, column] = family.cells[state] ?? [0, 0];
    return [column + 0.5, row + 0.5];
  });
  const corners: Point[] = [];
  const right = ([dx, dy]: Point): Point => [-dy * ASIDE, dx * ASIDE];
  middles.forEach((middle, index) => {
    const before = index > 0 ? directionOf(middles[index - 1]!, middle) : null;
    const after = index < middles.length - 1 ? directionOf(middle, middles[index + 1]!) : null;
    if (!before || !after) {
      const aside = right(before ?? after ?? [0, 0]);
      corners.push([middle[0] + aside[0], middle[1] + aside[1]]);
      return;
    }
    const [a, b] = [right(before), right(after)];
    if (before[0] === after[0] && before[1] === after[1]) return;
    if (before[0] === -after[0] && before[1] === -after[1]) {
      corners.push([middle[0] + a[0], middle[1] + a[1]], [middle[0] + b[0], middle[1] + b[1]]);
      return;
    }
    corners.push([middle[0] + a[0] + b[0], middle[1] + a[1] + b[1]]);
  });
  return corners;
}
