#!/bin/sh
# One run as three shards, as three machines would have it, and merged: the whole run's files, and how machines agree on the docs they share.
# Usage: docs/scripts/class-shards.sh [FOLDER] [more flags of npm run eval]
set -eu
cd "$(dirname "$0")/../.."
folder=${1:-results/class-shards}
[ $# -gt 0 ] && shift
for part in 1 2 3; do
  npm run --silent eval -- --device wasm --dtype q4 --tasks yardstick --shard "$part/3+4" --output_path "$folder/part-$part" "$@"
done
npm run --silent eval -- merge "$folder/part-1" "$folder/part-2" "$folder/part-3" --output_path "$folder/whole"
