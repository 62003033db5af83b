// An episode as an animated picture, made in small pieces so that the page remains responsive.
import { applyPalette, GIFEncoder, quantize } from "gifenc";
import { SCALE_COLOURS, type Range } from "./colour_scale";
import { aspectOf, drawGrid } from "./grid";
import type { Ink } from "./look";
import { cashLabel, largestCash, placeName } from "./moment";
import { short } from "./numbers";
import { nameOf, quantityOf, symbolOf, valuesOf, type QuantityKey, type Ranges } from "./quantity";
import type { PlayedEpisode, PlayedFamily, Trace } from "./report";

export interface GifScene {
  family: PlayedFamily;
  episode: PlayedEpisode;
  traces: Trace[];
  quantity: QuantityKey;
  ranges: Ranges;
  ink: Ink;
}

const PANE = 340;
const MARGIN = 16;
const HEAD = 50;
const FOOT = 64;
const FRAMES_PER_STEP = 2;
const FRAME_MILLISECONDS = 250;

function sizeOf(scene: GifScene): { width: number; height: number; grid: number } {
  const grid = Math.round(Math.min(PANE, PANE / aspectOf(scene.family)));
  return { width: scene.traces.length * (PANE + MARGIN) + MARGIN, height: HEAD + grid + FOOT, grid };
}

function drawScale(ctx: CanvasRenderingContext2D, range: Range, ink: Ink, left: number, y: number): void {
  const gradient = ctx.createLinearGradient(left, 0, left + 120, 0);
  SCALE_COLOURS.forEach((colour, index) => gradient.addColorStop(index / (SCALE_COLOURS.length - 1), colour));
  ctx.fillStyle = gradient;
  ctx.fillRect(left, y, 120, 8);
  ctx.fillStyle = ink.faint;
  ctx.fillText(`${short(range[0])} to ${short(range[1])}`, left + 128, y + 8);
}

function drawFrame(ctx: CanvasRenderingContext2D, scene: GifScene, position: number): void {
  const { width, height, grid } = sizeOf(scene);
  const { ink, family, episode } = scene;
  const quantity = quantityOf(scene.quantity);
  const range = scene.ranges[quantity.group];
  ctx.fillStyle = ink.paper;
  ctx.fillRect(0, 0, width, height);
  scene.traces.forEach((trace, column) => {
    const left = MARGIN + column * (PANE + MARGIN);
    const index = Math.min(Math.floor(position + 1e-9), trace.steps.length - 1);
    const now = trace.steps[index];
    const cash = largestCash(trace);
    ctx.textAlign = "left";
    ctx.textBaseline = "alphabetic";
    ctx.fillStyle = ink.text;
    ctx.font = "600 14px system-ui, sans-serif";
    ctx.fillText(trace.label, left, 20, PANE);
    ctx.font = "12px system-ui, sans-serif";
    ctx.fillStyle = ink.faint;
    const values = valuesOf(scene.quantity, episode, now);
    ctx.fillText(`step ${index}   ${nameOf(quantity, trace)}${values.length > 0 ? "" : ": not known to this method"}`, left, 38, PANE);
    drawGrid(ctx, { x: left, y: HEAD, width: PANE, height: grid }, { family, trace, values, range, position, ink, small: false });
    ctx.textAlign = "left";
    ctx.textBaseline = "alphabetic";
    ctx.fillStyle = ink.text;
    ctx.font = "12px system-ui, sans-serif";
    const at = now?.at;
    ctx.fillText(`${symbolOf(quantityOf("current"), trace)} ${short(at?.current)}   v\u1da0 ${short(at?.future)}   B ${short(at?.bound)}   total ${short(at?.total)}`, left, HEAD + grid + 20, PANE);
    ctx.fillStyle = ink.agent;
    if (cash !== null && index >= cash) ctx.fillText(`${cashLabel(trace, cash)}, ${placeName(family, trace.steps[cash]!.state)}`, left, HEAD + grid + 38, PANE);
    ctx.font = "11px system-ui, sans-serif";
    if (range && column === 0) drawScale(ctx, range, ink, left, HEAD + grid + 48);
  });
}

/** The palette of all colours that occur at some moments of the whole episode. */
async function commonPalette(ctx: CanvasRenderingContext2D, scene: GifScene, last: number, width: number, height: number): Promise<number[][]> {
  const moments = [0, Math.floor(last / 3), Math.floor((2 * last) / 3), last];
  const every = 11; // pixels: enough to meet all colours
  const samples: number[] = [];
  for (const moment of moments) {
    drawFrame(ctx, scene, moment);
    const { data } = ctx.getImageData(0, 0, width, height);
    for (let pixel = 0; pixel < data.length; pixel += 4 * every) samples.push(data[pixel]!, data[pixel + 1]!, data[pixel + 2]!, 255);
    await nextTask();
  }
  return quantize(new Uint8ClampedArray(samples), 256);
}

const nextTask = () => new Promise<void>((done) => setTimeout(done));

export async function episodeGif(scene: GifScene, onProgress: (part: number) => void): Promise<Blob> {
  const { width, height } = sizeOf(scene);
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  const ctx = canvas.getContext("2d", { willReadFrequently: true })!;
  const last = Math.max(0, ...scene.traces.map((trace) => trace.steps.length - 1));
  const palette = await commonPalette(ctx, scene, last, width, height);
  const encoder = GIFEncoder();
  const frames = last * FRAMES_PER_STEP + 1;
  for (let frame = 0; frame < frames; frame++) {
    // Half-way between two steps the agent should be seen moving, so the second frame is late in the step.
    const position = Math.floor(frame / FRAMES_PER_STEP) + (frame % FRAMES_PER_STEP ? 0.7 : 0);
    drawFrame(ctx, scene, position);
    const { data } = ctx.getImageData(0, 0, width, height);
    const delay = frame === frames - 1 ? 2000 : FRAME_MILLISECONDS;
    encoder.writeFrame(applyPalette(data, palette), width, height, { ...(frame === 0 ? { palette } : {}), delay });
    onProgress((frame + 1) / frames);
    await nextTask();
  }
  encoder.finish();
  return new Blob([encoder.bytes() as BlobPart], { type: "image/gif" });
}
