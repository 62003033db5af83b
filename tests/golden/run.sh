#!/usr/bin/env bash
# Compares what a build prints with the golden files. usage: run.sh ASSAY_TOOL
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$here/../../scripts/golden" "$1" "$work"
diff -r --exclude='*.sh' "$here" "$work" && echo "golden files match"
