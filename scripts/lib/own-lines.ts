/** What the command line prints below the harness's table: scores and averages that are ours, said to be so. */
import { recipeLines } from '../../src/core/compare/published-recipes.ts'
import { agreementLines } from '../../src/core/compare/published-verdicts.ts'
import { averageLines } from '../../src/core/group-averages.ts'
import type { AnswerFailures, NoiseFacts, OwnResults, OwnScore, RunNoise } from '../../src/core/types.ts'

/** Lines after the table; empty for a run of an earlier version and where there is nothing to say. */
export function ownLines(own: OwnResults | undefined): readonly string[] {
  if (own === undefined) return []
  const scores = scoreLines(own.scores)
  const averages = averageLines(own.averages)
  const agreements = agreementLines(own.agreements ?? [])
  const published = recipeLines(own.published ?? [])
  const failures = failureLines(own.failures ?? [])
  return [
    ...(scores.length === 0 ? [] : ['', 'Not the harness’s, from the same answers (acc_tok divides by tokens):', ...scores]),
    ...(averages.length === 0 ? [] : ['', 'Groups in both ways of averaging (macro: tasks alike, micro: docs alike):', ...averages]),
    ...(failures.length === 0 ? [] : ['', 'Replies in which the filter found no answer (they count as wrong):', ...failures]),
    ...(published.length === 0
      ? []
      : ['', 'What differs from recipes under which scores of these benchmarks were published:', ...published]),
    ...(own.noise === undefined
      ? []
      : ['', `Repeat-run noise, over the first ${own.noise.items} items of the run:`, ...noiseLines(own.noise)]),
    ...(agreements.length === 0 ? [] : ['', 'Beside the verdicts that were published with the rows:', ...agreements]),
  ]
}

/** One line a task; beyond 20 tasks the list is in the results file alone. */
function scoreLines(scores: readonly OwnScore[]): readonly string[] {
  const tasks = [...new Set(scores.map(({ task }) => task))]
  if (tasks.length > 20) return [`${tasks.length} tasks: see yardstick.own_metrics in the results file`]
  return tasks.map((task) => {
    const own = scores.filter((score) => score.task === task)
    return `${task}: ${own.map(({ metric, value, stderr }) => `${metric} ${value.toFixed(4)}${stderr === 'N/A' ? '' : ` ± ${stderr.toFixed(4)}`}`).join(', ')}`
  })
}

/** One line a task and filter that failed anywhere; beyond 40 the list is in the results file alone. */
function failureLines(all: readonly AnswerFailures[]): readonly string[] {
  const failures = all.filter(({ failed }) => failed > 0)
  if (failures.length > 40) return [`${failures.length} tasks and filters: see yardstick.failures in the results file`]
  return failures.map(({ task, filter, n, failed, guessed, metric }) => {
    const guess =
      guessed === null
        ? ''
        : `; ${metric ?? 'score'} ${guessed.value.toFixed(4)} with them guessed (seed ${guessed.seed}, not the harness’s)`
    return `${task}, ${filter}: ${failed} of ${n} (${((failed / n) * 100).toFixed(1)}%)${guess}`
  })
}

function noiseLines({ again, alone, aloneAgain }: RunNoise): readonly string[] {
  const line = (what: string, facts: NoiseFacts): string => {
    const { logprobs, identical, maxAbsDiff, meanAbsDiff, greedyFlips, texts, sameTexts } = facts
    return [
      `${what}: `,
      ...(logprobs === 0
        ? []
        : [
            `${identical} of ${logprobs} log-probabilities identical, largest difference ${maxAbsDiff.toExponential(2)} nats, mean ${meanAbsDiff.toExponential(2)}, ${greedyFlips} is_greedy differ`,
          ]),
      ...(logprobs === 0 || texts === 0 ? [] : ['; ']),
      ...(texts === 0 ? [] : [`${sameTexts} of ${texts} texts the same`]),
    ].join('')
  }
  return [
    line('together, twice', again),
    ...(aloneAgain === undefined ? [] : [line('one at a time (batch 1), twice', aloneAgain)]),
    line('one at a time against together', alone),
  ]
}
