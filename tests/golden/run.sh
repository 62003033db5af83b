#!/usr/bin/env bash
# Compares what a build prints with the golden files. usage: run.sh ASSAY_TOOL
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$here/../../scripts/golden" "$1" "$work"
# With ASSAY_BRIEF some are not written; all that are must be there.
if [ -n "${ASSAY_BRIEF:-}" ]; then
  for file in "$work"/*; do diff "$here/${file##*/}" "$file"; done
else
  diff -r --exclude='*.sh' "$here" "$work"
fi
echo "golden files match"
