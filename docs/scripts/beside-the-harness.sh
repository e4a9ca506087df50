#!/bin/sh
# The browser's run of the embedded model beside lm_eval's of the same docs: exports a folder, runs it with torch, imports what came back.
# Needs lm_eval 0.4.13 and accelerate on the PATH (pip install "lm_eval[hf]==0.4.13" accelerate).
# Usage: docs/scripts/beside-the-harness.sh [FOLDER] [more flags of npm run eval]
set -eu
cd "$(dirname "$0")/../.."
folder=${1:-results/beside-the-harness}
[ $# -gt 0 ] && shift
npm run --silent eval -- --device wasm --dtype fp32 --tasks yardstick "$@"
npm run --silent eval -- export "$folder" --device wasm --dtype fp32 --tasks yardstick "$@"
sh "$folder/run_hf.sh"
npm run --silent eval -- import "$folder"
npm run --silent eval -- compare "$folder/browser" "$folder/results"
