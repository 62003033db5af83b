// The report's data, as schema.md describes it.

export type Maybe = number | null;
export type Seed = number | string;

export interface PaperResult {
  mean: number;
  printed: number;
}

export interface ResultCell {
  mean: Maybe;
  se: Maybe;
  count: number;
  paper: PaperResult | null;
  difference_error: Maybe;
}

export interface ResultRow {
  label: string;
  method: string;
  cells: (ResultCell | null)[];
}

export interface ResultTable {
  title: string;
  note: string;
  columns: string[];
  families: string[];
  rows: ResultRow[];
}

export interface CurveSeries {
  label: string;
  method: string;
  statistic: string;
  seeds: number;
  unfinished: number;
  epoch: number[];
  middle: Maybe[];
  low: Maybe[];
  high: Maybe[];
  loss: Maybe[];
  loss_singles: Maybe[][]; // of each run
}

export interface CurveChart {
  title: string;
  family: string;
  series: CurveSeries[];
}

export interface IntervalRow {
  label: string;
  method: string;
  middle: Maybe;
  low: Maybe;
  high: Maybe;
  worst: Maybe;
  best: Maybe;
  difference: Maybe;
  seeds: number;
  diverged: number;
}

export interface IntervalTable {
  title: string;
  note: string;
  rows: IntervalRow[];
}

export interface SweepCell {
  reached: number;
  of: number;
  collected: Maybe;
  deviation: Maybe;
  epoch: Maybe;
}

export interface SweepRow {
  label: string;
  family: string;
  exact: Maybe;
  without_cue: Maybe;
  pays: boolean;
  cells: (SweepCell | null)[];
}

export interface SweepTable {
  title: string;
  note: string;
  methods: string[];
  rows: SweepRow[];
}

export interface Worth {
  current: Maybe;
  bound: Maybe;
  future: Maybe;
  total: Maybe;
}

/** A successor of an action. Values that are unknown or zero are absent, here and below. */
export interface SearchEnd {
  probability: number;
  state: number;
  reward?: number;
  seen?: string;
  actions?: SearchAction[];
}

export interface SearchAction {
  action: number;
  visits: number;
  value?: number;
  lower?: number;
  upper?: number;
  ends?: SearchEnd[];
  more?: number;
}

export interface Search {
  simulations: number;
  playouts?: number;
  timed: boolean;
  certain: boolean;
  lower?: number;
  upper?: number;
  upper_error?: number;
  actions: SearchAction[];
}

export interface TraceStep {
  state: number;
  action: number;
  reward: Maybe;
  seen: string;
  belief: string;
  cashed: Maybe;
  mean: Maybe[];
  spread: Maybe[];
  current: Maybe[];
  bound: Maybe[];
  future: Maybe[];
  total: Maybe[];
  at: Worth;
  why?: string;
  search?: Search;
}

export interface Trace {
  label: string;
  method: string;
  seed: Seed;
  return: Maybe;
  discounted: Maybe;
  mean_plan: boolean;
  steps: TraceStep[];
}

export interface PlayedEpisode {
  episode: number;
  test_seed: Seed;
  truth: Maybe[];
  traces: Trace[];
}

export interface PlayedFamily {
  title: string;
  family: string;
  discount: number;
  horizon: number;
  rows: number;
  columns: number;
  cells: ([number, number] | null)[]; // by state: row and column; null: it is not drawn
  moves: [number, number][] | null; // of a graph, which is drawn where there is no map; its rows count halves
  landmarks: string;
  states: string[];
  actions: string[];
  episodes: PlayedEpisode[];
}

export interface RunGroup {
  family: string;
  method: string;
  seeds: Seed[];
  episodes: number;
  test_seed: Seed;
  finished: number;
}

export interface RunContext {
  version: string;
  commit: string;
  machine: string;
  kernel: string;
  signature: string;
}

export interface Report {
  schema: number;
  title: string;
  live: boolean;
  runs: number;
  finished: number;
  tables: ResultTable[];
  curves: CurveChart[];
  ablation: IntervalTable | null;
  sweep: SweepTable | null;
  players: PlayedFamily[];
  groups: RunGroup[];
  contexts: RunContext[];
  version: string;
  signature: string;
  command: string;
}
