// Writes a page with made-up, plausible data of all sections, hostile strings and holes: node test/sample.mjs OUTPUT.html [empty|partial|REPORT.json]
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const HOSTILE_IMAGE = "<img src=x onerror=alert(1)>";
const HOSTILE_SCRIPT = "</script><script>alert(1)</script>";

/** Numbers that look random and are the same every time. */
function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const round = (value, digits = 4) => Number(value.toFixed(digits));
const treasure = (size) => `treasure_map(size=${size},looks=5,horizon=25,discount=0.96,prior_a=0.1,prior_b=1,order=collect_then_move)`;
const MAZE = "t_maze(distance=3,arm=3,horizon=20,reward=1,punishment=-7,discount=0.95,cue_accuracy=1)";

function tables() {
  const cell = (mean, se, paper) => ({ mean, se, count: 3000, paper: paper ? { mean: paper[0], printed: paper[1] } : null, difference_error: paper ? round(4 * se) : null });
  const rows = [
    ["pcr(preset=paper)", "pcr(preset=paper)", [10.9817, 10.78, 0.24], [14.8923, 15.17, 0.22], [16.0113, 15.33, 0.16]],
    ["td", "td", [7.4513, 7.3, 0.31], [10.6133, 10.46, 0.37], [10.764, 10.42, 0.26]],
    ["vi_td", "vi_td", [4.913, 8.28, 0.21], [10.0437, 11.02, 0.75], null],
    ["vi_thompson", "vi_thompson", [10.2227, 10.41, 0.16], [11.7707, 11.72, 0.12], [10.4303, 10.41, 0.15]],
    ["pcr (ours)", "pcr", [11.1733], [15.2817], [16.581]],
    ["to the map, then greedy", "via(place=map)", [11.059], [15.1427], [16.3783]],
    ["oracle", "oracle", [11.6877], [16.58], [18.5983]],
    [HOSTILE_IMAGE, "td(network=<b>bold</b>)", [3.25], null, null],
  ];
  const made = rows.map(([label, method, ...cells]) => ({ label, method, cells: cells.map((one, column) => (one ? cell(one[0], [0.1312, 0.1043, 0.0817][column], one.length > 1 ? one.slice(1) : null) : null)) }));
  return [
    { title: "Order: collect_then_move", note: "The paper's numbers beside ours.", columns: ["3x3", "5x5", "7x7"], families: [3, 5, 7].map(treasure), rows: made },
    { title: "Order: move_then_collect", note: "The other reading of the paper's time line.", columns: ["3x3", "5x5"], families: [3, 5].map(treasure), rows: made.slice(3).map((row) => ({ ...row, cells: row.cells.slice(0, 2) })) },
  ];
}

function curves() {
  const series = (label, method, goal, speed, seeds, random) => {
    const epoch = Array.from({ length: 60 }, (_, index) => 1 + index * 5);
    const middle = epoch.map((at) => round(goal * (1 - 0.8 * Math.exp(-at / speed)) + (random() - 0.5) * 0.25));
    return {
      label, method, statistic: `median and median absolute deviation of ${seeds} runs`, seeds, unfinished: method === "vi_td" ? 1 : 0, epoch, middle,
      low: middle.map((value, index) => round(value - 0.3 - 0.8 * Math.exp(-index / 20))), high: middle.map((value, index) => round(value + 0.3 + 0.8 * Math.exp(-index / 20))),
      loss: epoch.map((at) => round(4 * Math.exp(-at / 90) + 0.02 + random() * 0.01, 6)),
      loss_singles: [0.5, 1, 2].map((factor) => epoch.map((at) => round(factor * (4 * Math.exp(-at / 90) + 0.02), 6))),
    };
  };
  return [7, 5, 3].map((size, index) => {
    const random = generator(100 + size);
    const scale = 1 - index * 0.15;
    const all = [series("pcr (ours)", "pcr", 16.5 * scale, 25, 15, random), series("pcr(preset=paper)", "pcr(preset=paper)", 16 * scale, 45, 15, random), series("td", "td", 10.7 * scale, 60, 15, random), series(HOSTILE_IMAGE, "vi_td", 8.2 * scale, 80, 15, random)];
    all[3].epoch = all[3].epoch.slice(0, 40); // ended early
    for (const name of ["middle", "low", "high"]) all[3][name] = all[3][name].slice(0, 40);
    all[0].loss_singles[0][59] = 4.8e-36; // what has been learned leaves no loss
    all[3].loss = [];
    all[3].loss_singles = [];
    all[2].middle[10] = null;
    return { title: `Treasure map ${size}x${size}`, family: treasure(size), series: all };
  });
}

/** As a search would show it: bounds round every value, ends with news, and holes. */
function searchOf(moves, chosen, worth, t) {
  if (t === 3) return undefined; // it did not have to search there
  const actions = moves.map(({ action, next }, index) => {
    const value = round(worth[next] ?? 0, 2);
    const width = 0.2 + 0.3 * index;
    const inner = (first) => [{ action: first, visits: 12, value, lower: round(value - 0.1), upper: round(value + 0.2) }, { action: (first + 1) % 5, visits: 1 }];
    const one = { action, visits: action === chosen ? 700 : 60 + index, value };
    if (index !== 2) Object.assign(one, { lower: round(value - width), upper: round(value + 1.5 * width) }); // one without bounds
    if (index === 1) return one; // one that was not looked into
    one.ends = [
      { probability: 0.6, state: next, actions: inner(1) },
      { probability: 0.3, state: next, actions: inner(2) },
      { probability: 0.004, state: next, reward: 1, seen: `${HOSTILE_IMAGE} ${HOSTILE_SCRIPT}` },
    ];
    one.more = 7;
    return one;
  });
  const best = Math.max(...actions.map((one) => one.value));
  return { simulations: 1000, timed: t === 1, certain: t === 2, lower: round(best - 0.2), upper: round(best + 0.9), upper_error: 0.05, actions };
}

function treasureEpisode(number, size) {
  const random = generator(7000 + number);
  const states = size * size;
  const map = (states - 1) / 2;
  const truth = Array.from({ length: states }, () => round(random() < 0.15 ? 0.5 + random() * 0.5 : random() * 0.15));
  const best = truth.indexOf(Math.max(...truth.map((value, state) => (state === map ? 0 : value))));
  const start = size * (size - 1) + 1;
  const distance = (a, b) => Math.abs(Math.floor(a / size) - Math.floor(b / size)) + Math.abs((a % size) - (b % size));
  const towards = (from, to) => {
    if (from === to) return 0;
    if (from % size !== to % size) return from % size < to % size ? 4 : 3;
    return from < to ? 2 : 1;
  };
  const moved = (from, action) => from + [0, -size, size, -1, 1][action];
  const walk = (label, method, targets, knowsWorth) => {
    let state = start;
    let seenMap = false;
    const belief = truth.map(() => [0.1, 1]);
    const luck = generator(9000 + number);
    const steps = [];
    let target = targets[0];
    for (let t = 0; t < 25; t++) {
      const draw = luck();
      const reward = draw < truth[state] ? 1 : 0;
      belief[state] = [belief[state][0] + 6 * truth[state], belief[state][1] + 6 * (1 - truth[state])];
      const first = state === map && !seenMap;
      if (first) {
        seenMap = true;
        truth.forEach((value, s) => { belief[s] = [belief[s][0] + 5 * value, belief[s][1] + 5 * (1 - value)]; });
      }
      if (state === target) target = targets[Math.min(targets.length - 1, targets.indexOf(target) + 1)];
      const action = towards(state, target);
      const mean = belief.map(([a, b]) => round(a / (a + b)));
      const spread = belief.map(([a, b]) => round(Math.sqrt((a * b) / ((a + b) ** 2 * (a + b + 1)))));
      const left = 25 - t;
      const goal = Math.max(...mean);
      const goalAt = mean.indexOf(goal);
      const current = mean.map((value, s) => round(value + goal * Math.max(0, left - 1 - distance(s, goalAt)) * 0.8));
      const future = mean.map((_, s) => round(seenMap ? 0.05 + 0.1 * spread[s] : Math.max(0.2, (9.5 * left) / 25 - 0.75 * distance(s, map))));
      const bound = future.map((value, s) => round(value * 1.15 + 0.15 + spread[s]));
      const total = current.map((value, s) => round(value + future[s]));
      const chosen = moved(state, action);
      const before = steps.at(-1)?.at.current ?? current[chosen];
      const inside = (to, a) => to >= 0 && to < states && (a < 3 || Math.floor(to / size) === Math.floor(state / size));
      const moves = [0, 1, 2, 3, 4].map((a) => ({ action: a, next: moved(state, a) })).filter((move) => inside(move.next, move.action));
      steps.push({
        state, action, reward, seen: first ? truth.map((value) => Math.round(5 * value)).join(" ") : t === 0 ? "" : `${Math.round(5 * truth[state])} of 5`,
        belief: belief.map(([a, b]) => `Beta(${a.toFixed(1)}, ${b.toFixed(1)})`).join(" "), cashed: knowsWorth ? round(first ? current[chosen] - before : (luck() - 0.5) * 0.4) : null,
        mean, spread, current: knowsWorth ? current : [], bound: knowsWorth ? bound : [], future: knowsWorth ? future : [], total: total.map((value, s) => (s === 3 ? null : value)),
        at: { current: knowsWorth ? current[chosen] : null, bound: knowsWorth ? bound[chosen] : null, future: knowsWorth ? future[chosen] : null, total: total[chosen] },
        why: `Going to row ${Math.floor(chosen / size)} column ${chosen % size} is worth ${total[chosen].toFixed(2)} to it${knowsWorth ? `: ${current[chosen].toFixed(2)} with what is known now, ${future[chosen].toFixed(2)} from what can be found out` : ""}.${t === 1 ? ` ${HOSTILE_IMAGE} ${HOSTILE_SCRIPT} would be worth <b>less</b>.` : ""}`,
        ...(knowsWorth && label !== "oracle" ? { search: searchOf(moves, action, total, t) } : {}),
      });
      state = chosen;
    }
    const sum = steps.reduce((all, step) => all + step.reward, 0);
    return { label, method, mean_plan: label === "pcr (ours)", seed: label === "td" ? "18446744073709551615" : 1, return: sum, discounted: round(steps.reduce((all, step, t) => all + step.reward * 0.96 ** t, 0)), steps };
  };
  return { episode: number, test_seed: 20220329, truth, traces: [walk("pcr (ours)", "pcr", [map, best], true), walk("td", "td", [start - 2 * size, start + 1 - 2 * size], false), walk("oracle", "oracle", [best], true)] };
}

function treasurePlayer() {
  const size = 7;
  return {
    title: "Treasure map 7x7", family: treasure(7), discount: 0.96, horizon: 25, rows: size, columns: size,
    cells: Array.from({ length: size * size }, (_, state) => [Math.floor(state / size), state % size]),
    landmarks: ".".repeat(24) + "M" + ".".repeat(24), states: Array.from({ length: 49 }, (_, state) => `row ${Math.floor(state / size)} column ${state % size}`),
    actions: ["stay", "up", "down", "left", "right"], episodes: [0, 1, 2].map((number) => treasureEpisode(number, size)),
  };
}

function mazePlayer() {
  const names = ["cue", "stem 1", "stem 2", "junction", "left arm 1", "left arm 2", "left end", "right arm 1", "right arm 2", "right end"];
  const cells = [[3, 3], [2, 3], [1, 3], [0, 3], [0, 2], [0, 1], [0, 0], [0, 4], [0, 5], [0, 6]];
  const walk = (label, method, places, side, knows) => {
    const truth = names.map((name) => (name === `${side} end` ? 1 : name.endsWith(" end") ? -7 : 0));
    let told = false;
    const steps = Array.from({ length: 20 }, (_, t) => {
      const state = places[Math.min(t, places.length - 1)];
      const next = places[Math.min(t + 1, places.length - 1)];
      const first = state === 0 && !told;
      if (first) told = true;
      const left = 20 - t;
      const mean = told ? truth : truth.map((value) => (value === 0 ? 0 : -3));
      const current = names.map((_, s) => round(told ? left * 0.6 - 0.2 * s : s === 6 || s === 9 ? -1.5 * left : 0));
      const future = names.map((_, s) => round(told ? 0 : 0.45 * left - 0.3 * s));
      const [dr, dc] = [cells[next][0] - cells[state][0], cells[next][1] - cells[state][1]];
      return {
        state, action: dr < 0 ? 1 : dr > 0 ? 2 : dc < 0 ? 3 : dc > 0 ? 4 : 0, reward: truth[state], seen: first ? (side === "left" ? "0" : "1") : "", belief: told ? `${side} 1` : "left 0.5, right 0.5",
        cashed: knows ? (first ? 9.97 : 0) : null, mean, spread: mean.map((value) => (told || value === 0 ? 0 : 4)), current: knows ? current : [], future: knows ? future : [], bound: knows ? future.map((v) => round(v * 1.2)) : [], total: current.map((v, s) => round(v + future[s])),
        at: { current: knows ? current[next] : null, bound: knows ? round(future[next] * 1.2) : null, future: knows ? future[next] : null, total: round(current[next] + future[next]) },
      };
    });
    const sum = steps.reduce((all, step) => all + step.reward, 0);
    return { label, method, mean_plan: false, seed: 1, return: sum, discounted: round(sum * 0.7), steps };
  };
  const episode = (number, side) => {
    const arm = side === "left" ? [4, 5, 6] : [7, 8, 9];
    return {
      episode: number, test_seed: 20220329, truth: names.map((name) => (name === `${side} end` ? 1 : name.endsWith(" end") ? -7 : 0)),
      traces: [walk("tabular_pcr", "tabular_pcr", [3, 2, 1, 0, 1, 2, 3, ...arm], side, true), walk("tabular_td", "tabular_td", [3, 2, 3], side, false)],
    };
  };
  return { title: "T-maze", family: MAZE, discount: 0.95, horizon: 20, rows: 4, columns: 7, cells, landmarks: "C..S..L..R", states: names, actions: ["stay", "up", "down", "left", "right"], episodes: [episode(0, "left"), episode(1, "right")] };
}

/** A problem without a map: a graph of its states, the last of which nobody comes to. */
function doorsPlayer() {
  const names = ["corridor", "a door with a name that is far too long for its place", "vault", "cellar", "attic"];
  const places = [0, 1, 0, 1, 2];
  const walk = (label, method) => ({
    label, method, seed: 1, return: 10, discounted: 10,
    steps: places.map((state, t) => ({
      state, action: t % 2, reward: t === 4 ? 10 : 0, seen: t === 1 ? "growl" : "", belief: "left 0.5, right 0.5", cashed: t === 1 ? 2.5 : 0, mean: [0, 1, 10, -4, null], spread: [0, 1, 0, 2, null], current: [1, 2, 9, -3, null],
      bound: [3, 1, 0, 0, null], future: [2, 1, 0, 0, null], total: [3, 3, 9, -3, null], at: { current: 2, bound: 1, future: 1, total: 3 },
    })),
  });
  return {
    title: "doors.toml", family: "doors.toml#01234567", discount: 1, horizon: 5, rows: 4, columns: 3, cells: [[1, 0], [1, 1], [0, 2], [2, 2], null], moves: [[0, 1], [1, 0], [1, 2], [1, 3], [0, 3]], landmarks: ".....", states: names,
    actions: ["listen", "open"], episodes: [{ episode: 0, test_seed: 1, truth: [0, 0, 10, -4, null], traces: [walk("exact", "exact"), walk("random", "random")] }],
  };
}

export function sampleReport(kind = "full") {
  if (kind === "empty") {
    return { schema: 1, title: "runs", live: false, runs: 0, finished: 0, tables: [], curves: [], ablation: null, sweep: null, players: [], groups: [], contexts: [], version: "0.1.0", signature: "", command: "assay report runs -o report.html" };
  }
  const ablation = (label, method, middle, width, difference) => ({ label, method, middle, low: middle - width, high: middle + width, worst: middle - 2.2 * width, best: middle + 1.9 * width, difference, seeds: 15, diverged: label === "targets from the return" ? 3 : 0 });
  return {
    schema: 1, title: `build/reproduction ${HOSTILE_SCRIPT}`, live: false, runs: kind === "partial" ? 40 : 733, finished: kind === "partial" ? 12 : 733, tables: tables(), curves: curves(),
    ablation: {
      title: "What each part of pcr is good for, treasure map 5x5", note: "95 % bootstrap intervals.",
      rows: [ablation("pcr (ours)", "pcr", 15.28, 0.06, 0), ablation("without the bound", "pcr(bound=none)", 15.1, 0.12, -0.18), ablation("one environment a batch", "pcr(batch=1)", 14.72, 0.31, -0.56), ablation("targets from the return", "pcr(targets=return)", 13.9, 0.25, -1.38), ablation(HOSTILE_IMAGE, "pcr(x=<i>)", 11.2, 0.5, -4.08), { ...ablation("no interval known", "pcr(y=1)", 14.1, 0, null), low: null, high: null, worst: null, best: null }],
    },
    sweep: {
      title: "T-mazes: who finds the optimum", note: "", methods: ["tabular_pcr", "tabular_td", "tabular_td, optimistic"],
      rows: [2, 3, 4, 6, 8].map((distance, index) => ({
        label: `distance ${distance}, arm ${Math.max(1, distance - 1)}`, family: `t_maze(distance=${distance})`, exact: round(9 - distance * 0.9), without_cue: round(index === 4 ? 9 - distance * 0.9 : 6 - distance * 0.7), pays: index !== 4,
        cells: [{ reached: 15, of: 15, collected: 8, deviation: 0.5, epoch: 12 + 9 * index }, { reached: Math.max(0, 12 - 4 * index), of: 15, collected: 8, deviation: 0.5, epoch: index > 2 ? null : 80 + 50 * index }, index === 3 ? null : { reached: 14 - index, of: 15, collected: 8, deviation: 0.5, epoch: 60 }],
      })),
    },
    players: [treasurePlayer(), mazePlayer(), doorsPlayer()],
    groups: [
      { family: treasure(7), method: "pcr", seeds: [1, 2, 3, 4, 5, 9], episodes: 3000, test_seed: 20220329, finished: 6 },
      { family: treasure(7), method: `td ${HOSTILE_SCRIPT}`, seeds: [1, "18446744073709551615"], episodes: 3000, test_seed: 20220329, finished: 1 },
      { family: MAZE, method: "tabular_pcr", seeds: [1, 2, 3], episodes: 2, test_seed: 20220329, finished: 3 },
    ],
    contexts: [{ version: "0.1.0", commit: "0123abc", machine: "x86_64, 2 cores", kernel: "Linux 6.1", signature: "c2197c4087ebab55" }],
    version: "0.1.0", signature: "c2197c4087ebab55", command: "assay report build/reproduction -o report.html",
  };
}

/** Puts data into the template as the C++ side does. */
export function filled(template, report) {
  const json = JSON.stringify(report).replace(/</g, "\\u003c");
  return template.replace("<!--REPORT-DATA-->", () => `<script type="application/json" id="report-data">${json}</script>`);
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const output = process.argv[2];
  if (!output) {
    console.error("node test/sample.mjs OUTPUT.html [empty|partial|REPORT.json]");
    process.exit(2);
  }
  const template = await readFile(join(here, "../dist/report.html"), "utf8");
  await mkdir(dirname(resolve(output)), { recursive: true });
  const kind = process.argv[3];
  await writeFile(output, filled(template, kind?.endsWith(".json") ? JSON.parse(await readFile(kind, "utf8")) : sampleReport(kind)));
}
