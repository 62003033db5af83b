// Numbers as people read them.
import type { Maybe, Seed } from "./report";

const MINUS = "\u2212";

export function known(value: Maybe | undefined): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

/** A number with this many decimals; a dash if there is none. */
export function fixed(value: Maybe | undefined, digits = 2): string {
  if (!known(value)) return "\u2013";
  const text = Math.abs(value).toFixed(digits);
  return value < 0 && Number(text) !== 0 ? MINUS + text : text;
}

export function signed(value: Maybe | undefined, digits = 2): string {
  if (!known(value)) return "\u2013";
  const text = fixed(value, digits);
  return value > 0 && Number(text) !== 0 ? `+${text}` : text;
}

/** A number with about three significant digits. */
export function short(value: Maybe | undefined): string {
  if (!known(value)) return "\u2013";
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e5 || size < 1e-3)) return value.toExponential(1).replace("-", MINUS);
  return fixed(value, size >= 100 ? 0 : size >= 10 ? 1 : 2);
}

/** A number without trailing zeros: 14, not 14.00. */
export function plain(value: Maybe | undefined): string {
  return known(value) && Number.isInteger(value) ? fixed(value, 0) : short(value);
}

export function grouped(value: number): string {
  return value.toString().replace(/\B(?=(\d{3})+(?!\d))/g, "\u2009");
}

export function plural(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** 1, 2, 3, 7 as "1–3, 7". */
export function seedList(seeds: Seed[]): string {
  const runs: [Seed, Seed][] = [];
  for (const seed of seeds) {
    const last = runs[runs.length - 1];
    if (last && typeof seed === "number" && typeof last[1] === "number" && seed === last[1] + 1) last[1] = seed;
    else runs.push([seed, seed]);
  }
  return runs.map(([from, to]) => (from === to ? `${from}` : `${from}\u2013${to}`)).join(", ");
}

export function shortened(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).trimEnd()}\u2026`;
}

/** A remark as a sentence: names keep their first letter. */
export function sentence(text: string): string {
  const trimmed = text.trim();
  if (!trimmed) return "";
  const word = trimmed.split(" ")[0]!;
  const begun = /^[a-z][a-z']*$/.test(word) ? trimmed[0]!.toUpperCase() + trimmed.slice(1) : trimmed;
  return /[.!?]$/.test(begun) ? `${begun} ` : `${begun}. `;
}

/** A title that names its family too: "7x7" of treasure_map(...) is "Treasure map 7x7". */
export function familyTitle(title: string, family: string): string {
  const name = family.split("(")[0]!.replace(/_/g, " ").trim();
  const letters = (text: string) => text.toLowerCase().replace(/[^a-z]/g, "");
  if (!name || letters(title).includes(letters(name))) return title;
  return `${name[0]!.toUpperCase()}${name.slice(1)} ${title}`;
}

/** The smallest and the largest of the known values, or nothing. */
export function extent(values: Iterable<Maybe | undefined>): [number, number] | null {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (!known(value)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low <= high ? [low, high] : null;
}
