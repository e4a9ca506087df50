#!/bin/sh
# What quantisation did to the embedded model: q8 and q4 beside fp32 over the same docs, with intervals, flips and a corrected test.
# Usage: docs/scripts/dtype-matrix.sh [FOLDER] [more flags of npm run eval]
set -eu
cd "$(dirname "$0")/../.."
folder=${1:-results/dtype-matrix}
[ $# -gt 0 ] && shift
npm run --silent eval -- --device wasm --dtype fp32,q8,q4 --tasks yardstick --output_path "$folder" "$@"
