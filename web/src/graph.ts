// Draws the states of a problem that has no map: nodes as coloured discs, moves as arrows between them.
import { shade } from "./colour_scale";
import { centre, drawnStates, type Layout, type Scene } from "./grid";
import { known, short } from "./numbers";

export function nodeRadius(layout: Layout): number {
  return Math.max(3, Math.min(30, 0.3 * layout.wide, 0.3 * layout.high));
}

function arrow(ctx: CanvasRenderingContext2D, from: [number, number], to: [number, number], radius: number, bend: number): void {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const length = Math.hypot(dx, dy);
  if (length < 2 * radius) return;
  const [ux, uy] = [dx / length, dy / length];
  const middle: [number, number] = [(from[0] + to[0]) / 2 - uy * bend, (from[1] + to[1]) / 2 + ux * bend];
  const towards = (point: [number, number]): [number, number] => {
    const reach = Math.hypot(middle[0] - point[0], middle[1] - point[1]);
    return [point[0] + ((middle[0] - point[0]) / reach) * (radius + 2), point[1] + ((middle[1] - point[1]) / reach) * (radius + 2)];
  };
  const [start, end] = [towards(from), towards(to)];
  ctx.beginPath();
  ctx.moveTo(...start);
  ctx.quadraticCurveTo(...middle, ...end);
  ctx.stroke();
  const angle = Math.atan2(end[1] - middle[1], end[0] - middle[0]);
  const size = Math.min(7, radius * 0.5);
  ctx.beginPath();
  ctx.moveTo(...end);
  ctx.lineTo(end[0] - size * Math.cos(angle - 0.45), end[1] - size * Math.sin(angle - 0.45));
  ctx.lineTo(end[0] - size * Math.cos(angle + 0.45), end[1] - size * Math.sin(angle + 0.45));
  ctx.closePath();
  ctx.fill();
}

/** Moves that have been made up to the step are strong, the others faint. A move and its reverse are two arrows. */
function drawMoves(ctx: CanvasRenderingContext2D, scene: Scene, layout: Layout, step: number): void {
  const { family, trace, ink, small } = scene;
  const made = new Set<string>();
  for (let index = 1; index <= step; index++) made.add(`${trace.steps[index - 1]!.state} ${trace.steps[index]!.state}`);
  const radius = nodeRadius(layout);
  for (const strong of [false, true]) {
    for (const [from, to] of family.moves ?? []) {
      if (made.has(`${from} ${to}`) !== strong || (small && !strong)) continue;
      const [a, b] = [centre(family, layout, from), centre(family, layout, to)];
      if (!a || !b) continue;
      ctx.strokeStyle = ctx.fillStyle = strong ? ink.agent : ink.faint;
      ctx.globalAlpha = strong ? 1 : 0.5;
      ctx.lineWidth = strong ? (small ? 1 : 2.5) : 1;
      // The arrow passes the nodes in between.
      const columns = Math.abs(b[0] - a[0]) / layout.wide;
      arrow(ctx, a, b, radius, (columns > 1.5 ? 0.35 * layout.high : 0) + Math.min(14, 0.12 * layout.high));
    }
  }
}

function clipped(ctx: CanvasRenderingContext2D, text: string, width: number): string {
  if (ctx.measureText(text).width <= width) return text;
  let length = text.length;
  while (length > 1 && ctx.measureText(`${text.slice(0, length)}…`).width > width) length--;
  return `${text.slice(0, length)}…`;
}

function drawNodes(ctx: CanvasRenderingContext2D, scene: Scene, layout: Layout): void {
  const { family, values, range, ink, small } = scene;
  const radius = nodeRadius(layout);
  ctx.globalAlpha = 1;
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  for (const state of drawnStates(scene)) {
    const [x, y] = centre(family, layout, state)!;
    const value = values[state];
    const coloured = known(value) && range ? shade(value, range) : null;
    ctx.beginPath();
    ctx.arc(x, y, radius, 0, 2 * Math.PI);
    ctx.fillStyle = coloured?.fill ?? ink.empty;
    ctx.fill();
    ctx.lineWidth = 1;
    ctx.strokeStyle = ink.faint;
    ctx.stroke();
    if (small) continue;
    if (known(value) && radius >= 18) {
      ctx.fillStyle = coloured?.text ?? ink.faint;
      ctx.font = `${Math.min(12, radius * 0.55)}px system-ui, sans-serif`;
      ctx.fillText(short(value), x, y + radius * 0.64, 1.6 * radius);
    }
    if (layout.wide < 36 || layout.high < 34) continue;
    ctx.fillStyle = ink.text;
    ctx.font = "12px system-ui, sans-serif";
    ctx.fillText(clipped(ctx, family.states[state] ?? "", layout.wide - 6), x, y + radius + 9);
  }
}

export function drawGraph(ctx: CanvasRenderingContext2D, scene: Scene, layout: Layout, step: number): void {
  drawMoves(ctx, scene, layout, step);
  drawNodes(ctx, scene, layout);
}
