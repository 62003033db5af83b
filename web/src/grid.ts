// Draws the grid of an episode on a canvas: values as colours, the path so far, the agent.
import { shade, type Range } from "./colour_scale";
import { drawGraph } from "./graph";
import { movesLittle, type Ink } from "./look";
import { fixed, known } from "./numbers";
import type { Maybe, PlayedFamily, Trace } from "./report";

export interface Scene {
  family: PlayedFamily;
  trace: Trace;
  values: Maybe[];
  range: Range | null;
  position: number; // steps, with a fraction
  ink: Ink;
  small: boolean;
}

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Layout {
  cell: number; // the smaller of the next two
  wide: number;
  high: number;
  left: number;
  top: number;
}

/** Width divided by height. The nodes of a graph have names below them and arrows between them. */
export function aspectOf(family: PlayedFamily): number {
  const rows = Math.max(1, family.rows);
  const columns = Math.max(1, family.columns);
  return family.moves ? Math.min(4, Math.max(1.2, (1.4 * columns) / (rows / 2))) : columns / rows;
}

export function layoutOf(family: PlayedFamily, box: Box): Layout {
  const columns = Math.max(1, family.columns);
  const rows = Math.max(1, family.rows);
  if (family.moves) {
    const [wide, high] = [box.width / columns, box.height / (rows / 2)];
    return { cell: Math.min(wide, high), wide, high, left: box.x, top: box.y };
  }
  const cell = Math.min(box.width / columns, box.height / rows);
  return { cell, wide: cell, high: cell, left: box.x + (box.width - cell * columns) / 2, top: box.y + (box.height - cell * rows) / 2 };
}

export function stateAt(family: PlayedFamily, box: Box, x: number, y: number): number | null {
  const layout = layoutOf(family, box);
  const state = family.cells.findIndex((_, one) => {
    const middle = centre(family, layout, one);
    return middle !== null && Math.abs(x - middle[0]) <= layout.cell / 2 && Math.abs(y - middle[1]) <= layout.cell / 2;
  });
  return state < 0 ? null : state;
}

/** The box of a cell or a node; nothing for a state that is not drawn. The rows of a graph are half as high as its nodes. */
export function centre(family: PlayedFamily, layout: Layout, state: number): [number, number] | null {
  const cell = family.cells[state];
  if (!cell) return null;
  const row = family.moves ? cell[0] / 2 : cell[0];
  return [layout.left + (cell[1] + 0.5) * layout.wide, layout.top + (row + 0.5) * layout.high];
}

/** The state at a step; when the episode is over, the last state of the agent. */
function placeAt(scene: Scene, layout: Layout, step: number): [number, number] | null {
  for (let index = step; index >= 0; index--) {
    const place = centre(scene.family, layout, scene.trace.steps[index]!.state);
    if (place) return place;
  }
  return null;
}

/** The agent rests and then moves, so that the places where it acts are seen longer than those in between. */
function walked(fraction: number): number {
  if (movesLittle()) return 0;
  const part = Math.max(0, (fraction - 0.4) / 0.6);
  return part * part * (3 - 2 * part);
}

/** Equal numbers stand for positions that look the same. */
export function pictureAt(position: number): number {
  const step = Math.floor(position + 1e-9);
  return step + walked(Math.max(0, position - step));
}

/** If several states are in one cell (what was used up is part of a state), the agent's own is drawn, or the first. */
export function drawnStates({ family, trace, position }: Scene): number[] {
  const here = trace.steps[Math.min(trace.steps.length - 1, Math.floor(position + 1e-9))]?.state;
  const byCell = new Map<string, number>();
  family.cells.forEach((cell, state) => {
    if (cell && (state === here || !byCell.has(cell.join()))) byCell.set(cell.join(), state);
  });
  return [...byCell.values()];
}

function drawCells(ctx: CanvasRenderingContext2D, scene: Scene, layout: Layout): void {
  const { family, values, range, ink, small } = scene;
  const { cell } = layout;
  const gap = small ? 0.5 : 1;
  const withNumbers = !small && cell >= 40;
  const largest = range ? Math.max(Math.abs(range[0]), Math.abs(range[1])) : 0;
  const digits = largest >= 100 ? 0 : largest >= 10 ? 1 : 2;
  ctx.textBaseline = "middle";
  for (const state of drawnStates(scene)) {
    const [row, column] = family.cells[state]!;
    const x = layout.left + column * cell;
    const y = layout.top + row * cell;
    const value = values[state];
    const coloured = known(value) && range ? shade(value, range) : null;
    ctx.fillStyle = coloured?.fill ?? ink.empty;
    ctx.fillRect(x + gap, y + gap, cell - 2 * gap, cell - 2 * gap);
    const colour = coloured?.text ?? ink.faint;
    if (withNumbers && known(value)) {
      ctx.fillStyle = colour;
      ctx.font = `${Math.min(12, cell * 0.25)}px system-ui, sans-serif`;
      ctx.textAlign = "right";
      ctx.fillText(fixed(value, digits), x + cell - 5, y + cell - 10);
    }
  }
}

function drawLandmarks(ctx: CanvasRenderingContext2D, scene: Scene, layout: Layout): void {
  const { family, values, range, ink, small } = scene;
  const { cell } = layout;
  const inset = small ? 1.5 : 2.5;
  for (const state of drawnStates(scene)) {
    const [row, column] = family.cells[state]!;
    const letter = family.landmarks[state] ?? ".";
    if (letter === ".") continue;
    const value = values[state];
    const x = layout.left + column * cell;
    const y = layout.top + row * cell;
    ctx.fillStyle = ctx.strokeStyle = known(value) && range ? shade(value, range).text : ink.faint;
    ctx.lineWidth = small ? 1 : 2;
    ctx.strokeRect(x + inset, y + inset, cell - 2 * inset, cell - 2 * inset);
    if (small) continue;
    ctx.font = `700 ${Math.min(15, cell * 0.32)}px system-ui, sans-serif`;
    ctx.textAlign = "left";
    ctx.textBaseline = "middle";
    ctx.fillText(letter, x + 7, y + 14);
  }
}

interface Whereabouts {
  step: number;
  agent: [number, number];
}

function whereabouts(scene: Scene, layout: Layout): Whereabouts | null {
  const { trace } = scene;
  const last = trace.steps.length - 1;
  if (last < 0) return null;
  const position = Math.min(scene.position, last);
  const step = Math.floor(position + 1e-9);
  const here = placeAt(scene, layout, step);
  if (!here) return null;
  const next = placeAt(scene, layout, Math.min(last, step + 1)) ?? here;
  const part = walked(Math.max(0, position - step));
  return { step, agent: [here[0] + (next[0] - here[0]) * part, here[1] + (next[1] - here[1]) * part] };
}

function drawWay(ctx: CanvasRenderingContext2D, scene: Scene, layout: Layout, { step, agent }: Whereabouts): void {
  ctx.beginPath();
  for (let index = 0; index <= step; index++) {
    const place = centre(scene.family, layout, scene.trace.steps[index]!.state);
    if (place) ctx.lineTo(...place);
  }
  ctx.lineTo(...agent);
  ctx.lineJoin = "round";
  ctx.lineCap = "round";
  // A white line with a dark rim is visible on light and on dark cells.
  ctx.strokeStyle = "rgba(0,0,0,0.55)";
  ctx.lineWidth = 4.5;
  ctx.stroke();
  ctx.strokeStyle = "rgba(255,255,255,0.92)";
  ctx.lineWidth = 2;
  ctx.stroke();
}

function drawAgent(ctx: CanvasRenderingContext2D, { family, ink, small }: Scene, layout: Layout, { agent }: Whereabouts): void {
  // A node has its number in the lower half.
  const radius = small ? Math.max(2, layout.cell * 0.28) : Math.min(family.moves ? 7 : 13, layout.cell * 0.22);
  ctx.beginPath();
  ctx.arc(agent[0], agent[1], radius, 0, 2 * Math.PI);
  ctx.fillStyle = ink.agent;
  ctx.fill();
  ctx.lineWidth = small ? 1 : 2.5;
  ctx.strokeStyle = "#ffffff";
  ctx.stroke();
  if (!small) {
    ctx.beginPath();
    ctx.arc(agent[0], agent[1], radius + 1.8, 0, 2 * Math.PI);
    ctx.lineWidth = 1;
    ctx.strokeStyle = "rgba(0,0,0,0.7)";
    ctx.stroke();
  }
}

export function drawGrid(ctx: CanvasRenderingContext2D, box: Box, scene: Scene): void {
  const layout = layoutOf(scene.family, box);
  ctx.save();
  const where = whereabouts(scene, layout);
  if (scene.family.moves) {
    drawGraph(ctx, scene, layout, where?.step ?? 0);
  } else {
    drawCells(ctx, scene, layout);
    if (where && !scene.small) drawWay(ctx, scene, layout, where);
    drawLandmarks(ctx, scene, layout);
  }
  if (where) drawAgent(ctx, scene, layout, where);
  ctx.restore();
}

/** Makes the canvas sharp on any screen and returns a context in CSS pixels, cleared. */
export function freshContext(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D {
  const ratio = Math.min(3, window.devicePixelRatio || 1);
  const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
  }
  const ctx = canvas.getContext("2d")!;
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.clearRect(0, 0, width, height);
  return ctx;
}
