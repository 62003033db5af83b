// Viridis: from dark to light in even steps, suitable for colour-blind readers and for print without colour.

const STOPS: [number, number, number][] = [
  [68, 1, 84],
  [72, 36, 117],
  [65, 68, 135],
  [53, 95, 141],
  [42, 120, 142],
  [33, 145, 140],
  [34, 168, 132],
  [68, 191, 112],
  [122, 209, 81],
  [189, 223, 38],
  [253, 231, 37],
];

const SHADES = 256;

interface Shade {
  fill: string;
  text: string; // readable on it
}

const shades: Shade[] = Array.from({ length: SHADES }, (_, index) => {
  const along = (index / (SHADES - 1)) * (STOPS.length - 1);
  const below = Math.min(Math.floor(along), STOPS.length - 2);
  const part = along - below;
  const [r, g, b] = [0, 1, 2].map((c) => Math.round(STOPS[below]![c]! * (1 - part) + STOPS[below + 1]![c]! * part));
  const brightness = 0.299 * r! + 0.587 * g! + 0.114 * b!;
  return { fill: `rgb(${r},${g},${b})`, text: brightness > 125 ? "#10131a" : "#ffffff" };
});

export type Range = [number, number];

export function shade(value: number, [low, high]: Range): Shade {
  const part = high > low ? (value - low) / (high - low) : 0.5;
  const index = Math.round(Math.max(0, Math.min(1, part)) * (SHADES - 1));
  return shades[index]!;
}

export const GRADIENT = `linear-gradient(to right, ${STOPS.map((stop) => `rgb(${stop.join(",")})`).join(", ")})`;

export const SCALE_COLOURS = STOPS.map((stop) => `rgb(${stop.join(",")})`);
