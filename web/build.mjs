// Bundles src/ into the one file that `assay report` fills with data: node build.mjs [OUTPUT], by default dist/report.html
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const PLACEHOLDER = "<!--REPORT-DATA-->";

async function bundled(entry) {
  const result = await build({
    absWorkingDir: here,
    entryPoints: [entry],
    bundle: true,
    write: false,
    minify: true,
    format: "iife",
    target: "es2020",
    legalComments: "none",
    logLevel: "warning",
  });
  return result.outputFiles[0].text.trim();
}

// The licences of what is inside travel with it. A comment must not hold "--".
async function notices() {
  const parts = [];
  for (const file of ["preact/LICENSE", "uplot/LICENSE", "gifenc/LICENSE.md"]) {
    const text = await readFile(join(here, "node_modules", file), "utf8");
    parts.push(`${file.split("/")[0]}\n\n${text.trim().replace(/\r/g, "").replace(/--+/g, "-")}`);
  }
  return `<!--\nThis page contains:\n\n${parts.join("\n\n\n")}\n-->`;
}

// As a Content-Security-Policy names the one script or style that it allows.
const hashed = (text) => `sha256-${createHash("sha256").update(text, "utf8").digest("base64")}`;

/** The template as text: the same sources give the same bytes. */
export async function template() {
  const [frame, style, script, licences] = await Promise.all([
    readFile(join(here, "src/template.html"), "utf8"),
    bundled("src/style.css"),
    bundled("src/main.tsx"),
    notices(),
  ]);
  if (/<\/script|<!--/i.test(script)) throw new Error("the script holds text that would end it inside HTML");
  if (/<\/style/i.test(style)) throw new Error("the style holds text that would end it inside HTML");
  const page = frame
    .replace("/*STYLE-HASH*/", () => hashed(style))
    .replace("/*SCRIPT-HASH*/", () => hashed(script))
    .replace("/*STYLE*/", () => style)
    .replace("/*SCRIPT*/", () => script)
    .replace("<!--NOTICES-->", () => licences);
  if (page.split(PLACEHOLDER).length !== 2) throw new Error(`${PLACEHOLDER} must be there exactly once`);
  return page;
}

if (process.argv[1] && import.meta.url === pathToFileURL(resolve(process.argv[1])).href) {
  const output = resolve(process.argv[2] ?? join(here, "dist/report.html"));
  const page = await template();
  await mkdir(dirname(output), { recursive: true });
  await writeFile(output, page);
  console.log(`${output}: ${(Buffer.byteLength(page) / 1024).toFixed(1)} KB`);
}
