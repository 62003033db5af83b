#!/usr/bin/env bash
# The report in a real browser: the page of a quick reproduction (in the folder QUICK) is opened in Chromium, played, scrubbed and saved from, and its
# numbers are compared with the store's. Screenshots stay in OUT_DIR. usage: page.sh ASSAY_TOOL QUICK OUT_DIR
set -euo pipefail
tool=$(realpath "$1")
quick=$(realpath "$2")
out=$3
web=$(cd "$(dirname "$0")/../../web" && pwd)
"$web/install"
mkdir -p "$out"
out=$(realpath "$out")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
[ "$("$tool" report "$quick" -o quick.html 2>/dev/null)" = quick.html ]
node "$web/test/page.mjs" quick.html "$out" "$quick/runs.csv"

# A method that searches: what it looked at is in the page.
"$tool" compare t_maze --methods "bamcp(simulations=200),random" --episodes 2 --threads 1 --out searched >/dev/null 2>&1
"$tool" report searched -o searched.html >/dev/null 2>&1
node "$web/test/page.mjs" searched.html "$work/searched" --brief | tee searched.txt
grep -q "^ok .*a search is shown" searched.txt

# Problems without a map are drawn as graphs, and a map has no cell for the end of an episode.
problems=$(cd "$web/../examples/problems" && pwd)
for problem in tiger hint_room; do
  "$tool" compare "$problems/$problem.toml" --methods "exact,random" --episodes 2 --threads 1 --out drawn >/dev/null 2>&1
done
"$tool" report drawn -o drawn.html >/dev/null 2>&1
node "$web/test/page.mjs" drawn.html "$out/drawn" --brief | tee drawn.txt
grep -q "^ok .*states are drawn where they are.*: [0-9]* places" drawn.txt

# A store with nothing in it; and made-up data with holes, and with strings that would rather be elements.
for sample in empty all; do
  node "$web/test/sample.mjs" "$sample.html" "${sample/all/}"
  node "$web/test/page.mjs" "$sample.html" "$work/$sample" --brief
done
node "$web/test/live.mjs"
