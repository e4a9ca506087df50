#!/bin/sh
# acc and acc_norm of the embedded model over its checkpoints: a table, results/…/checkpoints_<time>/scores.csv and one SVG a task.
# Usage: docs/scripts/checkpoint-curve.sh [FOLDER] [more flags of npm run eval]
set -eu
cd "$(dirname "$0")/../.."
folder=${1:-results/checkpoint-curve}
[ $# -gt 0 ] && shift
npm run --silent eval -- --device wasm --dtype q8 --tasks yardstick \
  --revision step-000084,step-000251,step-000586,step-001088,main \
  --output_path "$folder" "$@"
