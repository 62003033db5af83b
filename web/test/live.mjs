// A page behind a server: does it follow the data, keep its state, and say when the server stops? node test/live.mjs
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { filled, sampleReport } from "./sample.mjs";

const template = await readFile(join(dirname(fileURLToPath(import.meta.url)), "../dist/report.html"), "utf8");
let report = { ...sampleReport("partial"), live: true };
let unchanged = 0;
const server = createServer((request, response) => {
  if (request.url === "/") return response.setHeader("Content-Type", "text/html; charset=utf-8").end(filled(template, report));
  if (request.url !== "/report.json") return response.writeHead(404).end();
  const tag = `"${report.finished}"`;
  if (request.headers["if-none-match"] === tag) {
    unchanged++;
    return response.writeHead(304, { ETag: tag }).end();
  }
  response.writeHead(200, { ETag: tag, "Content-Type": "application/json" }).end(JSON.stringify(report));
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
try {
  const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
  const errors = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  await page.waitForSelector("#player");
  assert.match(await page.locator(".badges").textContent(), /12 of 40 runs finished: what follows is incomplete.*live, updated \d+ s ago/);

  await page.locator("#curves .legend button").first().click();
  await page.locator(".theatre").focus();
  for (let step = 0; step < 4; step++) await page.keyboard.press("ArrowRight");
  await page.locator("#player .choices select").nth(0).selectOption({ index: 1 });
  await page.locator(".theatre").focus();
  for (let step = 0; step < 4; step++) await page.keyboard.press("ArrowRight");

  report = { ...sampleReport("full"), live: true };
  await page.waitForFunction(() => document.querySelector(".badges").textContent.includes("all finished"), null, { timeout: 8000 });
  assert.equal(await page.locator("#curves .legend button").first().getAttribute("aria-pressed"), "false", "the line is back");
  assert.equal(await page.locator("#step").textContent(), "4", "the player moved");
  assert.equal(await page.locator("#player .choices select").nth(0).inputValue(), "1", "another episode");
  await page.waitForTimeout(2500);
  assert.ok(unchanged > 0, "the page fetches what it has");

  server.closeAllConnections?.();
  await new Promise((done) => server.close(done));
  await page.waitForFunction(() => document.querySelector(".badges").textContent.includes("the server has stopped"), null, { timeout: 8000 });
  assert.deepEqual(errors, []);
  console.log("4 passed, 0 failed");
} catch (error) {
  console.error(`FAIL  ${error.message}`);
  process.exitCode = 1;
} finally {
  await browser.close();
  server.closeAllConnections?.();
  server.close();
}
