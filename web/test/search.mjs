// Does the player show what a planner looked at? For test/page.mjs.
import assert from "node:assert/strict";

/** As the page reads them: "−1.50", "12.3", and a dash where there is nothing. */
const number = (text) => Number(text.replace("\u2212", "-").replace(/\u2009/g, ""));

function sameNumber(text, value, what) {
  if (value === undefined) return assert.equal(text, "\u2013", what);
  const size = Math.abs(value);
  const off = size >= 100 ? 0.5 : size >= 10 ? 0.05 : 0.005;
  assert.ok(Math.abs(number(text) - value) <= off * 1.001 + 0.051 * size * (size < 1e-3), `${what}: ${text} for ${value}`);
}

/** The first family, episode and trace with a search, chosen as method A. */
async function choose(page, data) {
  for (const [f, family] of data.players.entries()) {
    for (const [e, episode] of family.episodes.entries()) {
      const t = episode.traces.findIndex((trace) => trace.steps.some((step) => step.search));
      if (t < 0) continue;
      if (data.players.length > 1 && data.players.length <= 8) await page.locator("#player .tabs button").nth(f).click();
      const selects = page.locator("#player .choices select");
      await selects.nth(0).selectOption({ index: e });
      await selects.nth(1).selectOption({ index: t });
      return { family, trace: episode.traces[t] };
    }
  }
  throw new Error("there is no search");
}

function readRows(all) {
  return all.map((row) => {
    const bar = row.querySelector(".search-bar").getBoundingClientRect();
    const inside = [...row.querySelectorAll(".range, .tick")].every((one) => {
      const box = one.getBoundingClientRect();
      return box.left >= bar.left - 2.5 && box.right <= bar.right + 2.5;
    });
    const parts = [...row.querySelector(".worth").childNodes].filter((one) => one.nodeType === 3).map((one) => one.textContent.trim());
    const range = row.querySelector(".range")?.getBoundingClientRect();
    const tick = row.querySelector(".tick")?.getBoundingClientRect();
    const mark = row.querySelector(".mark")?.getBoundingClientRect();
    return {
      name: row.querySelector(".name").firstChild.textContent, chosen: row.querySelector(".mark") !== null, value: parts.join(""), bounds: row.querySelector(".range") !== null, text: row.textContent,
      visits: [...row.querySelector(".visits").childNodes].filter((one) => one.nodeType === 3).map((one) => one.textContent).join(""), inside, whole: !mark || mark.right <= row.querySelector(".name").getBoundingClientRect().right + 0.5, opens: row.tagName === "BUTTON",
      between: !range || !tick || ((tick.left + tick.right) / 2 >= range.left - 1 && (tick.left + tick.right) / 2 <= range.right + 1),
    };
  });
}

export async function searchIsShown(page, data) {
  const { family, trace } = await choose(page, data);
  const pane = page.locator("#player .pane").first();
  await page.locator(".theatre").focus();
  await page.keyboard.press("Home");
  let rows = 0;
  const heights = new Set();
  for (const [index, step] of trace.steps.entries()) {
    const shown = await pane.locator(".search-rows > div > .search-row").evaluateAll(readRows);
    assert.equal(shown.length, step.search?.actions.length ?? 0, `step ${index}: rows`);
    (step.search?.actions ?? []).forEach((one, at) => {
      const what = `step ${index}, ${family.actions[one.action]}`;
      const row = shown[at];
      assert.equal(row.name, family.actions[one.action], what);
      assert.equal(row.chosen, one.action === step.action, `${what}: chosen`);
      sameNumber(row.value, one.value, `${what}: value`);
      assert.equal(number(row.visits), one.visits, `${what}: visits`);
      assert.equal(row.bounds, one.lower !== undefined && one.upper !== undefined, `${what}: bounds`);
      assert.ok(row.inside, `${what}: the bar sticks out`);
      assert.ok(row.whole, `${what}: the mark is cut`);
      assert.ok(row.between, `${what}: the tick is not between the bounds`);
      assert.equal(row.opens, (one.ends ?? []).length > 0, `${what}: opens`);
      assert.ok(!/NaN|undefined/.test(row.text), row.text);
      rows++;
    });
    heights.add(await pane.locator(".search").evaluate((one) => one.offsetHeight));
    if (step.search) {
      const spoken = await page.locator("#player [aria-live]").textContent();
      assert.ok(spoken.includes(await pane.locator(".search-summary").textContent()), `step ${index}: not announced`);
    }
    await page.keyboard.press("ArrowRight");
  }
  assert.equal(heights.size, 1, `heights change: ${[...heights].join(", ")}`);
  await page.keyboard.press("Home");
  return `${rows} rows, ${await endsAreShown(page, pane, family, trace)} ends`;
}

async function endsAreShown(page, pane, family, trace) {
  const first = trace.steps[0].search;
  const at = first.actions.findIndex((one) => (one.ends ?? []).length > 0);
  if (at < 0) return 0;
  const action = first.actions[at];
  const button = pane.locator(".search-rows > div").nth(at).locator("button");
  assert.equal(await button.getAttribute("aria-expanded"), "false");
  await button.focus();
  await page.keyboard.press("Enter");
  assert.equal(await button.getAttribute("aria-expanded"), "true");
  const ends = await pane.locator(".search-ends > li").evaluateAll((all) => all.map((one) => ({ text: one.querySelector("p").textContent, elements: one.querySelector("p").querySelectorAll(":not(strong)").length, rows: one.querySelectorAll(".search-row").length })));
  assert.equal(ends.length, action.ends.length + (action.more ? 1 : 0));
  action.ends.forEach((end, index) => {
    assert.ok(ends[index].text.includes(family.states[end.state]), ends[index].text);
    assert.ok(ends[index].text.startsWith(end.probability < 0.005 ? "<1 %" : `${Math.round(100 * end.probability)} %`), ends[index].text);
    if (end.seen) assert.ok(ends[index].text.includes(`sees ${end.seen}`), ends[index].text);
    assert.equal(ends[index].elements, 0, "elements in the text of an end");
    assert.equal(ends[index].rows, (end.actions ?? []).length);
  });
  assert.equal(new Set(ends.map((end) => end.text.replace(/^<?\d+ % /, ""))).size, ends.length, "two ends read the same");
  if (action.more) assert.ok(ends.at(-1).text.includes(`and ${action.more} more`), ends.at(-1).text);
  await page.keyboard.press("Enter");
  assert.equal(await pane.locator(".search-ends").count(), 0, "it does not close");
  return action.ends.length;
}
