#!/bin/sh
# How far a score depends on how it is asked: one task as continuations, letters and both, in the words of its siblings, with and without the chat template.
# Usage: docs/scripts/prompt-fan.sh [FOLDER] [more flags of npm run eval]
set -eu
cd "$(dirname "$0")/../.."
folder=${1:-results/prompt-fan}
[ $# -gt 0 ] && shift
npm run --silent eval -- fan --device wasm --dtype fp32 --tasks yardstick_swahili --output_path "$folder" "$@"
