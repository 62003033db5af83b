// Opens a report in real Chromium and uses it: node test/page.mjs REPORT.html OUT_DIR [RUNS.csv] [--fps] [--brief]
// --fps insists on 30 frames a second; --brief leaves out saving, the frame rate and three of four screenshots.
// CHROMIUM names another browser than /usr/bin/chromium.
import assert from "node:assert/strict";
import { mkdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { parseCsv } from "./csv.mjs";
import { drawnAsPromised } from "./drawn.mjs";
import { searchIsShown } from "./search.mjs";

const words = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const wantFps = process.argv.includes("--fps");
const brief = process.argv.includes("--brief");
const [reportPath, outFolder, runsPath] = words;
if (!reportPath || !outFolder) {
  console.error("node test/page.mjs REPORT.html OUT_DIR [RUNS.csv] [--fps] [--brief]");
  process.exit(2);
}
await mkdir(outFolder, { recursive: true });
const address = pathToFileURL(resolve(reportPath)).href;
const html = await readFile(reportPath, "utf8");
const data = JSON.parse(html.match(/<script type="application\/json" id="report-data">([^<]*)<\/script>/)?.[1] ?? "null");
if (!data) {
  console.error(`${reportPath} holds no report data`);
  process.exit(1);
}

let passed = 0;
let failed = 0;
async function check(name, body) {
  try {
    const remark = await body();
    passed++;
    console.log(`ok    ${name}${typeof remark === "string" ? `: ${remark}` : ""}`);
  } catch (error) {
    failed++;
    console.log(`FAIL  ${name}: ${error.message}`);
  }
}

const longCheck = brief ? async () => {} : check;

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
const complaints = [];
const requests = [];
async function open(width, theme, height = 900) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme, acceptDownloads: true });
  const page = await context.newPage();
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("dialog", (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => requests.push(request.url()));
  await page.goto(address);
  await page.waitForSelector(data.runs > 0 ? "#settings" : "#empty");
  await page.waitForTimeout(200);
  return page;
}

const page = await open(1400, "light");
const player = page.locator("#player");
const hasPlayer = (await player.count()) > 0;
const stepShown = async () => Number(await page.locator("#step").textContent());
const minus = (text) => Number(text.replace("\u2212", "-").replace("+", ""));
const isOracle = (row) => /^oracle\b/.test(row.label) || /^oracle\b/.test(row.method);

await check("the first chart is marked", async () => {
  if (data.curves.length === 0 && !hasPlayer) return "there is no chart";
  const time = await page.evaluate(() => performance.getEntriesByName("assay-first-chart")[0]?.startTime ?? null);
  assert.notEqual(time, null, "no mark assay-first-chart");
  return `${time.toFixed(0)} ms after navigation began, ${(html.length / 1e6).toFixed(2)} MB`;
});

await check("results come before curves before the player", async () => {
  const order = await page.evaluate(() => [...document.querySelectorAll("section")].map((section) => section.id));
  const wanted = ["results", "curves", "player", "ablation", "sweep", "mazes", "settings"].filter((id) => order.includes(id));
  assert.deepEqual(order.filter((id) => wanted.includes(id)), wanted);
});

await check("the header says how complete it is", async () => {
  const badge = await page.locator(".badge").first().textContent();
  const plain = badge.replace(/\u2009/g, "");
  if (data.runs === 0) assert.match(plain, /no runs/);
  else assert.ok(plain.includes(data.runs === data.finished ? "all finished" : `${data.finished} of ${data.runs}`), badge);
});

if (data.tables.length > 0) {
  await check("the first table shows the data's numbers", async () => {
    const table = data.tables[0];
    const shown = await page.evaluate(() => [...document.querySelectorAll("#results tbody tr")].map((row) => ({ label: row.querySelector("th").textContent, cells: [...row.querySelectorAll("td")].map((cell) => cell.textContent) })));
    const rows = [...table.rows.filter((row) => !isOracle(row)), ...table.rows.filter(isOracle)];
    assert.equal(shown.length, rows.length);
    let numbers = 0;
    rows.forEach((row, index) => {
      assert.equal(shown[index].label, row.label);
      const texts = [...shown[index].cells];
      row.cells.forEach((cell, column) => {
        const withPaper = table.rows.some((one) => one.cells[column]?.paper);
        const own = texts.shift();
        const [paper, difference] = withPaper ? [texts.shift(), texts.shift()] : ["", ""];
        if (!cell) return assert.match(own, /^\u2013/);
        const expect = (text, value, digits) => {
          assert.equal(minus(text).toFixed(digits), value.toFixed(digits).replace(/^-(0\.?0*)$/, "$1"), `${row.label}, ${table.columns[column]}`);
          numbers++;
        };
        const [mean, se] = own.replace(/,.*/, "").split(" ± ");
        expect(mean, cell.mean, 2);
        expect(se, cell.se, 2);
        if (!cell.paper) return assert.equal(paper, "");
        expect(paper.split(" ± ")[0], cell.paper.mean, 2);
        expect(paper.split(" ± ")[1], cell.paper.printed, 2);
        expect(difference.split(" ± ")[0], cell.mean - cell.paper.mean, 2);
        expect(difference.split(" ± ")[1], cell.difference_error, 2);
      });
    });
    return `${numbers} numbers`;
  });
  await check("the best of a column is emphasised, and never the oracle", async () => {
    const best = await page.evaluate(() => [...document.querySelectorAll("#results td.best")].map((cell) => cell.closest("tr").querySelector("th").textContent));
    const table = data.tables[0];
    const wanted = table.columns.map((_, column) => {
      const rows = table.rows.filter((row) => row.cells[column] && !isOracle(row));
      return rows.sort((a, b) => b.cells[column].mean - a.cells[column].mean)[0]?.label;
    });
    assert.deepEqual(best.sort(), wanted.filter(Boolean).sort());
  });
}

if (runsPath) {
  await check("the tables' means are those of the runs", async () => {
    const runs = parseCsv(await readFile(runsPath, "utf8")).filter((run) => run.finished === "1" || run.finished === "true");
    let compared = 0;
    for (const table of data.tables) {
      for (const row of table.rows) {
        row.cells.forEach((cell, column) => {
          if (!cell) return;
          const same = runs.filter((run) => run.family === table.families[column] && run.method === row.method && Number(run.episodes) === cell.count);
          if (same.length !== 1) return;
          const stored = Number(same[0].mean_undiscounted);
          assert.ok(Math.abs(cell.mean - stored) <= 1e-6 * Math.max(1e-12, Math.abs(stored)), `${row.method} on ${table.families[column]}: ${cell.mean} shown, ${stored} stored`);
          compared++;
        });
      }
    }
    assert.ok(compared > 0, "no cell has exactly one finished run to compare with");
    return `${compared} cells`;
  });
}

const fingerprint = (selector) => page.evaluate((where) => document.querySelector(where).toDataURL(), selector);

async function saved(button, ending) {
  const [file] = await Promise.all([page.waitForEvent("download", { timeout: 120_000 }), button.click()]);
  const path = join(outFolder, `saved.${ending}`);
  await file.saveAs(path);
  assert.ok(file.suggestedFilename().endsWith(`.${ending}`), file.suggestedFilename());
  return readFile(path);
}

if (data.curves.length > 0) {
  await check("a line of the curves can be switched off and on", async () => {
    const button = page.locator("#curves .legend button").first();
    const before = await fingerprint("#curves canvas");
    assert.equal(await button.getAttribute("aria-pressed"), "true");
    await button.click();
    await page.waitForTimeout(150);
    assert.equal(await button.getAttribute("aria-pressed"), "false");
    assert.notEqual(await fingerprint("#curves canvas"), before, "the chart looks the same");
    await button.click();
    await page.waitForTimeout(150);
    assert.equal(await fingerprint("#curves canvas"), before, "the chart does not come back");
  });
  await check("hovering shows values", async () => {
    await page.locator("#curves .u-over").scrollIntoViewIfNeeded();
    const box = await page.locator("#curves .u-over").boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.waitForTimeout(150);
    assert.match(await page.locator("#curves .legend").textContent(), /epoch \d+/);
    await page.mouse.move(0, 0);
  });
  if (data.curves[0].series.some((one) => one.loss.length > 0)) {
    await check("return and loss can be exchanged", async () => {
      const before = await fingerprint("#curves canvas");
      await page.locator("#curves button", { hasText: /^loss$/ }).click();
      await page.waitForTimeout(150);
      assert.notEqual(await fingerprint("#curves canvas"), before);
      const thin = (await saved(page.locator("#curves .save button", { hasText: "SVG" }), "svg")).toString().split('stroke-width="0.6"').length - 1;
      assert.equal(thin, data.curves[0].series.reduce((sum, one) => sum + one.loss_singles.length, 0), "a thin line for every run");
      await page.locator("#curves button", { hasText: /^return$/ }).click();
    });
  }
  await longCheck("a chart is saved as SVG", async () => {
    const text = (await saved(page.locator("#curves .save button", { hasText: "SVG" }), "svg")).toString();
    const found = await page.evaluate((svg) => {
      const parsed = new DOMParser().parseFromString(svg, "image/svg+xml");
      return { error: parsed.querySelector("parsererror")?.textContent ?? null, root: parsed.documentElement.tagName, texts: [...parsed.querySelectorAll("text")].map((one) => one.textContent), bad: /NaN|undefined/.test(svg) };
    }, text);
    assert.equal(found.error, null);
    assert.equal(found.root, "svg");
    assert.equal(found.bad, false, "NaN or undefined in the SVG");
    for (const series of data.curves[0].series.filter((one) => one.middle.some((value) => value !== null))) assert.ok(found.texts.includes(series.label), `no label ${series.label}`);
  });
  await longCheck("a chart is saved as PNG", async () => {
    const bytes = await saved(page.locator("#curves .save button", { hasText: "PNG" }), "png");
    assert.equal(bytes.subarray(1, 4).toString(), "PNG");
    assert.ok(bytes.length > 5000, `only ${bytes.length} bytes`);
  });
}

for (const id of ["ablation", "sweep", "mazes"]) {
  if ((await page.locator(`#${id}`).count()) === 0) continue;
  await longCheck(`${id} is drawn and saved as SVG and PNG`, async () => {
    const text = (await saved(page.locator(`#${id} .save button`, { hasText: "SVG" }).first(), "svg")).toString();
    const error = await page.evaluate((svg) => new DOMParser().parseFromString(svg, "image/svg+xml").querySelector("parsererror")?.textContent ?? null, text);
    assert.equal(error, null);
    assert.ok(!/NaN|undefined/.test(text), "NaN or undefined in the SVG");
    const bytes = await saved(page.locator(`#${id} .save button`, { hasText: "PNG" }).first(), "png");
    assert.equal(bytes.subarray(1, 4).toString(), "PNG");
  });
}

if (hasPlayer) {
  const family = data.players.find((one) => one.episodes.some((episode) => episode.traces.length > 0));
  const traces = family.episodes[0].traces;
  const ours = traces.find((trace) => trace.label === "pcr (ours)") ?? traces[0];
  const last = Math.max(...traces.map((trace) => trace.steps.length)) - 1;
  const cashes = ours.steps.map((step) => step.cashed ?? 0);
  const largest = Math.max(...cashes);
  const cash = largest > 0 ? cashes.indexOf(largest) : null;
  const theatre = page.locator(".theatre");

  await check("the slider stands where the step is", async () => {
    assert.equal(await stepShown(), 0);
    assert.equal(Number(await page.locator(".scrubber").inputValue()), 0);
  });
  await check("it plays and pauses", async () => {
    await page.selectOption("#speed", "4");
    await page.locator(".play").click();
    await page.waitForTimeout(900);
    await page.locator(".play").click();
    const at = await stepShown();
    assert.ok(at > 0, "the position does not advance");
    await page.waitForTimeout(400);
    assert.equal(await stepShown(), at, "it goes on after pause");
    return `step ${at} after 0.9 s at 4x`;
  });
  await check("states are drawn where they are, and only those that have a place", () => drawnAsPromised(page, data));
  await check("keys step, jump, play and change the speed", async () => {
    await theatre.focus();
    await page.keyboard.press("Home");
    assert.equal(await stepShown(), 0);
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowLeft");
    assert.equal(await stepShown(), 1);
    await page.keyboard.press("End");
    assert.equal(await stepShown(), last);
    await page.keyboard.press("-");
    assert.equal(await page.locator("#speed").inputValue(), "2");
    await page.keyboard.press("Home");
    await page.keyboard.press(" ");
    await page.waitForTimeout(700);
    await page.keyboard.press(" ");
    assert.ok((await stepShown()) > 0, "space does not play");
  });
  await check("both say why, as text, at every step, and nothing moves", async () => {
    const beside = traces.find((trace) => trace.label === "td" && trace !== ours) ?? traces.find((trace) => trace !== ours);
    const both = [ours, beside].filter(Boolean);
    const said = new Set();
    const heights = new Set();
    await theatre.focus();
    await page.keyboard.press("Home");
    for (let step = 0; step <= last; step++) {
      const shown = await page.locator(".why").evaluateAll((all) => all.map((one) => ({ text: one.querySelector("p").textContent, height: one.offsetHeight, inside: one.querySelector("p").childElementCount })));
      const spoken = await page.locator("#player [aria-live]").textContent();
      both.forEach((trace, pane) => {
        const why = trace.steps[Math.min(step, trace.steps.length - 1)].why ?? "";
        assert.equal(shown[pane].text, why, `${trace.label}, step ${step}`);
        assert.equal(shown[pane].inside, 0, `${trace.label}, step ${step}: elements in the sentence`);
        assert.ok(spoken.includes(why), `${trace.label}, step ${step}: not announced`);
        if (why) said.add(why);
        heights.add(`${pane}: ${shown[pane].height}`);
      });
      await page.keyboard.press("ArrowRight");
    }
    assert.equal(heights.size, both.length, `heights change: ${[...heights].join(", ")}`);
    return `${said.size} sentences`;
  });
  if (data.players.some((one) => one.episodes.some((each) => each.traces.some((trace) => trace.steps.some((step) => step.search))))) {
    await check("a search is shown with its numbers, and opens by key", () => searchIsShown(page, data));
  }
  await check("the scrubber moves it, and the picture changes", async () => {
    const slide = (to) =>
      page.evaluate((value) => {
        const input = document.querySelector(".scrubber");
        input.value = value;
        input.dispatchEvent(new Event("input", { bubbles: true }));
      }, to);
    await slide(0);
    await page.waitForTimeout(80);
    const before = await fingerprint(".stage canvas");
    await slide(Math.min(7, last));
    await page.waitForTimeout(80);
    assert.equal(await stepShown(), Math.min(7, last));
    assert.notEqual(await fingerprint(".stage canvas"), before);
  });
  await check("every quantity can be shown, without NaN", async () => {
    for (const key of ["mean", "spread", "current", "bound", "future", "total", "truth"]) {
      await page.selectOption("#quantity", key);
      await page.waitForTimeout(30);
      assert.ok(!/NaN|undefined|Infinity/.test(await player.innerText()), `${key}: NaN or undefined in the text`);
    }
    await page.selectOption("#quantity", ours.steps[0].future.length > 0 ? "future" : "mean");
  });
  await check("every family, episode and method can be chosen", async () => {
    let shown = 0;
    for (const one of data.players.filter((each) => each.episodes.length > 0)) {
      if (data.players.length > 1 && data.players.length <= 8) await page.locator("#player .tabs button").nth(data.players.indexOf(one)).click();
      const selects = page.locator("#player .choices select");
      for (let episode = 0; episode < one.episodes.length; episode++) {
        await selects.nth(0).selectOption({ index: episode });
        for (let trace = 0; trace < one.episodes[episode].traces.length; trace++) {
          await selects.nth(1).selectOption({ index: trace });
          await theatre.focus();
          await page.keyboard.press("End");
          assert.ok(!/NaN|undefined|Infinity/.test(await player.innerText()), `${one.title}, episode ${episode}, trace ${trace}`);
          shown++;
        }
      }
      await selects.nth(1).selectOption({ index: 0 });
    }
    await page.reload();
    await page.waitForSelector("#player");
    return `${shown} traces`;
  });
  if (cash !== null) {
    await check("at the largest cashed reward the page says so", async () => {
      await theatre.focus();
      await page.keyboard.press("Home");
      for (let step = 0; step < cash; step++) await page.keyboard.press("ArrowRight");
      assert.equal(await stepShown(), cash);
      const note = await page.locator(".cash-note.here").first().textContent();
      assert.ok(note.includes(`largest cashed reward: +${largest.toFixed(1)} at step ${cash}, at ${family.states[ours.steps[cash].state]}`), note);
      assert.match(await page.locator("#player [aria-live]").textContent(), /largest cashed reward/);
      return note.trim();
    });
  }
  await longCheck("frames while playing", async () => {
    await page.selectOption("#speed", "2");
    await player.locator(".controls").scrollIntoViewIfNeeded();
    await theatre.focus();
    await page.keyboard.press("Home");
    await page.locator(".play").click();
    const fps = await page.evaluate(
      () =>
        new Promise((done) => {
          const begin = performance.now();
          let frames = 0;
          const tick = (now) => (now - begin < 2000 ? (frames++, requestAnimationFrame(tick)) : done((frames * 1000) / (now - begin)));
          requestAnimationFrame(tick);
        }),
    );
    await page.keyboard.press("Home");
    if (wantFps) assert.ok(fps >= 30, `${fps.toFixed(1)} frames a second`);
    return `${fps.toFixed(1)} a second, ${family.rows}x${family.columns}`;
  });
  await longCheck("the episode is saved as GIF while the page stays alive", async () => {
    await page.evaluate(() => {
      window.beats = 0;
      window.longest = 0;
      let before = performance.now();
      window.heart = setInterval(() => {
        window.beats++;
        window.longest = Math.max(window.longest, performance.now() - before);
        before = performance.now();
      }, 20);
    });
    const bytes = await saved(page.locator("#save-gif"), "gif");
    const { beats, longest } = await page.evaluate(() => (clearInterval(window.heart), { beats: window.beats, longest: window.longest }));
    assert.equal(bytes.subarray(0, 6).toString(), "GIF89a");
    assert.ok(beats > 5, "the page froze");
    return `${(bytes.length / 1024).toFixed(0)} KB, longest pause ${longest.toFixed(0)} ms`;
  });
}

await check("strings of the data stay text", async () => {
  const found = await page.evaluate(() => ({ images: document.querySelectorAll("img").length, scripts: document.scripts.length, bold: document.querySelectorAll("td b, th b, option *, #page script").length }));
  assert.deepEqual(found, { images: 0, scripts: 2, bold: 0 });
  assert.equal(await page.locator("h1").textContent(), data.title);
});

await check("the theme can be switched, and lasts", async () => {
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const before = await ground();
  await page.locator("#theme").click();
  const after = await ground();
  assert.notEqual(after, before);
  await page.reload();
  await page.waitForSelector("#theme");
  assert.equal(await ground(), after, "it is forgotten");
  await page.locator("#theme").click();
  assert.equal(await ground(), before);
});

for (const [name, width] of brief ? [["narrow", 390]] : [["wide", 1400], ["narrow", 390]]) {
  for (const theme of brief ? ["light"] : ["light", "dark"]) {
    const other = await open(width, theme);
    if (name === "narrow") {
      await check(`nothing sticks out at ${width} px, ${theme}`, async () => {
        const wide = await other.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= width, `the page is ${wide} px wide`);
      });
    }
    const there = other.locator("#player .cash-note button").first();
    if ((await there.count()) > 0) await there.click();
    await other.evaluate(() => scrollTo(0, 0));
    // As tall as the page, so that what sticks to the window's edge stays in its place.
    const tall = await other.evaluate(() => document.documentElement.scrollHeight);
    await other.setViewportSize({ width, height: tall });
    await other.waitForTimeout(400);
    await other.screenshot({ path: join(outFolder, `${name}-${theme}.png`) });
    if (name === "wide" && theme === "light" && hasPlayer) await other.locator("#player").screenshot({ path: join(outFolder, "player.png") });
    await other.context().close();
  }
}

await check("no request leaves the page", () => {
  const strangers = requests.filter((url) => url !== address && !url.startsWith("data:") && !url.startsWith("blob:"));
  assert.deepEqual(strangers, []);
});
// In a page of its own: the browser reports what it refuses as errors.
await check("scripts and styles other than the page's own are refused", async () => {
  assert.ok(!/unsafe-inline/.test(html.match(/<meta http-equiv="Content-Security-Policy"[^>]*>/)[0]));
  const intruded = await (await browser.newContext()).newPage();
  await intruded.goto(address);
  const found = await intruded.evaluate(() => {
    const add = (tag, text) => document.head.appendChild(Object.assign(document.createElement(tag), { textContent: text }));
    add("script", "window.intruded = true");
    add("style", "body { outline: 7px solid red }");
    document.body.insertAdjacentHTML("beforeend", `<img src="data:," onerror="window.intruded = true">`);
    return new Promise((done) => setTimeout(() => done({ script: window.intruded === true, outline: getComputedStyle(document.body).outlineWidth }), 100));
  });
  assert.equal(found.script, false, "a foreign script was run");
  assert.notEqual(found.outline, "7px", "a foreign style was applied");
});

await check("no errors and no dialogs", () => assert.deepEqual(complaints, []));

await browser.close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
