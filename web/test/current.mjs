// Is dist/report.html what the sources give? node test/current.mjs
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const web = join(dirname(fileURLToPath(import.meta.url)), "..");
const folder = await mkdtemp(join(tmpdir(), "assay-page-"));
try {
  const rebuilt = join(folder, "report.html");
  const build = spawnSync(process.execPath, [join(web, "build.mjs"), rebuilt], { stdio: ["ignore", "ignore", "inherit"] });
  if (build.status !== 0) throw new Error("the page does not build");
  const committed = await readFile(join(web, "dist/report.html")).catch(() => Buffer.alloc(0));
  if (!committed.equals(await readFile(rebuilt))) throw new Error("dist/report.html is not what the sources give: run `npm run build` in web/");
  console.log("dist/report.html is current");
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
