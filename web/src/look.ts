// Colours and line styles, for light and dark, safe for colour-blind eyes (Okabe and Ito's set, and a dash for each).
import { createContext } from "preact";
import { useContext } from "preact/hooks";

export type Theme = "light" | "dark";

export interface Ink {
  text: string;
  faint: string;
  rule: string;
  paper: string;
  panel: string;
  empty: string;
  agent: string;
  good: string;
  bad: string;
  lines: string[];
}

const INKS: Record<Theme, Ink> = {
  light: {
    text: "#1c2024",
    faint: "#62686f",
    rule: "#e0e2e4",
    paper: "#ffffff",
    panel: "#f6f6f3",
    empty: "#e6e6e2",
    agent: "#d55e00",
    good: "#b9e0cf",
    bad: "#f3cdb8",
    lines: ["#0072b2", "#d55e00", "#009e73", "#b3578c", "#c88700", "#3f9fd6", "#555555", "#8f8300"],
  },
  dark: {
    text: "#e8e8e4",
    faint: "#a0a6ac",
    rule: "#343a40",
    paper: "#14171a",
    panel: "#1c2024",
    empty: "#2a2f34",
    agent: "#ff8a3d",
    good: "#1f5c49",
    bad: "#74391a",
    lines: ["#4fa8e0", "#f0813a", "#2ec79b", "#e29bc3", "#f2b632", "#a5dcff", "#bbbbbb", "#f0e442"],
  },
};

const DASHES: number[][] = [[], [7, 4], [2, 3], [10, 3, 2, 3], [5, 2], [16, 3], [12, 5], [6, 2, 1, 2, 1, 2]];

export function inkOf(theme: Theme): Ink {
  return INKS[theme];
}

export interface LineStyle {
  colour: string;
  dash: number[];
}

// A line style is given when a method first occurs and is kept, so that a live page never changes the colour of a line. Each kind of problem
// has its own numbering: its methods are compared with each other, and the first styles are the easiest to distinguish.
const places = new Map<string, string[]>();

export function lineStyle(family: string, method: string, theme: Theme): LineStyle {
  const kind = family.split("(")[0]!;
  const met = places.get(kind) ?? [];
  places.set(kind, met);
  if (!met.includes(method)) met.push(method);
  return numberedStyle(met.indexOf(method), theme);
}

export function numberedStyle(place: number, theme: Theme): LineStyle {
  const { lines } = INKS[theme];
  // Beyond eight lines the colours recur with another dash.
  const dash = DASHES[(place + Math.floor(place / lines.length)) % DASHES.length] ?? [];
  return { colour: lines[place % lines.length] ?? lines[0]!, dash };
}

const STORED = "assay-theme";

export function preferredTheme(): Theme {
  try {
    const stored = localStorage.getItem(STORED);
    if (stored === "light" || stored === "dark") return stored;
  } catch {
    // A page that is opened as a file may have no storage.
  }
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

export function keepTheme(theme: Theme): void {
  try {
    localStorage.setItem(STORED, theme);
  } catch {
    // The choice then lasts until the page is closed.
  }
}

export function movesLittle(): boolean {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

export const ThemeContext = createContext<Theme>("light");

export function useTheme(): Theme {
  return useContext(ThemeContext);
}
