#!/usr/bin/env bash
# The page's sources pass the type checker, and the committed bundle is what they build to. usage: bundle.sh
set -euo pipefail
cd "$(dirname "$0")/../../web"
./install
npm run --silent check
node test/current.mjs
