#!/bin/sh
# A judged run: the embedded model writes answers to word problems, then another of its sizes says [Yes] or [No] of each by comparing the two words'
# log-probabilities. Both are far too small to judge anything, which the quiz of labelled pairs before it says.
# Usage: docs/scripts/judged-run.sh [FOLDER] [more flags of npm run eval]
set -eu
cd "$(dirname "$0")/../.."
folder=${1:-results/judged-run}
[ $# -gt 0 ] && shift
npm run --silent eval -- --device wasm --dtype q4 --tasks yardstick_wordproblems --limit 20 \
  --judge_model yardstick/pico-gqa --judge_dtype q4 --judge_by loglikelihood --judge_template docs/scripts/judge-template.txt \
  --judge_postprocess number --judge_gold_postprocess number --output_path "$folder" "$@"
