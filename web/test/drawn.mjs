// What the player draws: every state that has a place is found there, and nothing where none is.
import assert from "node:assert/strict";

/** Where a state should be on the large canvas, as a share of its width and height; null if it is not drawn. */
function placeOf(family, state) {
  const cell = family.cells[state];
  if (!cell) return null;
  const rows = family.moves ? family.rows / 2 : family.rows;
  const row = family.moves ? cell[0] / 2 : cell[0];
  return [(cell[1] + 0.5) / family.columns, (row + 0.5) / rows];
}

/** Points at every place that has a state, and at one that has none, and reads what the page says of it. */
export async function drawnAsPromised(page, data) {
  const canvas = page.locator("#player .grid-holder canvas").first();
  const text = page.locator("#player .cell-text").first();
  const said = async ([x, y]) => {
    const box = await canvas.boundingBox();
    await page.mouse.move(box.x + x * box.width, box.y + y * box.height);
    await page.waitForTimeout(30);
    return text.textContent();
  };
  let nodes = 0;
  for (const [index, family] of data.players.entries()) {
    if (!family.moves && !family.cells.includes(null)) continue;
    if (data.players.length > 1) await page.locator("#player .tabs button").nth(index).click();
    await canvas.scrollIntoViewIfNeeded();
    const seen = new Set();
    for (const [state, cell] of family.cells.entries()) {
      if (!cell || seen.has(cell.join())) continue;
      seen.add(cell.join());
      assert.ok(cell[0] >= 0 && cell[0] < family.rows && cell[1] >= 0 && cell[1] < family.columns, `${family.states[state]} is outside`);
      if (nodes++ < 30) assert.ok((await said(placeOf(family, state))).startsWith(family.states[state]), `${await text.textContent()} at the place of ${family.states[state]}`);
    }
    // A row that only states without a place would need is not there.
    const lowest = Math.max(...family.cells.filter((cell) => cell).map((cell) => cell[0]));
    assert.ok(lowest < family.rows && lowest >= family.rows - 2, "an empty row");
    for (const episode of family.episodes) {
      for (const trace of episode.traces) assert.ok(family.cells[trace.steps[0].state], "the start is not drawn");
    }
  }
  if (nodes > 0 && data.players.length > 1) await page.locator("#player .tabs button").first().click();
  await page.mouse.move(0, 0);
  return nodes > 0 ? `${nodes} places` : "all states have a cell of a map";
}
