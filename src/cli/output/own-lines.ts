/** What the command line prints around the harness's table: alarms above it, and below it counts, scores and averages that are ours, said to be so. */
import { averageLines } from '../../analysis/averages/group-averages.ts'
import { recipeLines } from '../../analysis/compare/agreement/published-recipes.ts'
import { agreementLines } from '../../analysis/compare/agreement/published-verdicts.ts'
import { alarmText } from '../../analysis/viewer/alarms.ts'
import type {
  AnswerFailures,
  NoiseFacts,
  OwnResults,
  OwnScore,
  PassTimes,
  RunVariance,
  TokenCount,
} from '../../contracts/yardstick-results.ts'

/** Signs that a score is no measurement, one line each. */
export function alarmLines(own: OwnResults | undefined): readonly string[] {
  return (own?.alarms ?? []).map(({ task, alarm }) => alarmText(task, alarm))
}

/** Lines after the table; empty for a run of an earlier version and where there is nothing to say. */
export function ownLines(own: OwnResults | undefined): readonly string[] {
  if (own === undefined) return []
  const scores = scoreLines(own.scores)
  const averages = averageLines(own.averages)
  const agreements = agreementLines(own.agreements ?? [])
  const published = recipeLines(own.published ?? [])
  const failures = failureLines(own.failures ?? [])
  return [
    ...countLine(own),
    ...(scores.length === 0
      ? []
      : [
          '',
          'Not the harness’s, from the same answers (acc_tok divides by tokens; mean_strict is of IFEval’s two strict scores; within: of numbers):',
          ...scores,
        ]),
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

/** What was lost on the way and how fast it went, in one line. */
function countLine({ cuts = [], goldsOutside = [], speed }: OwnResults): readonly string[] {
  const docs = (lists: readonly { readonly docs: readonly number[] }[]): number => lists.reduce((sum, one) => sum + one.docs.length, 0)
  const rate = (what: string, count: TokenCount | null | undefined): string[] =>
    count == null || count.seconds === 0 ? [] : [`tokens ${what} a second: ${(count.tokens / count.seconds).toFixed(1)}`]
  const parts = [
    ...(cuts.length === 0 ? [] : [`docs with a prompt cut at its beginning: ${docs(cuts)}`]),
    ...(goldsOutside.length === 0 ? [] : [`golds that are no choice: ${docs(goldsOutside)}`]),
    ...rate('scored', speed?.scored),
    ...rate('written', speed?.written),
    ...timeShares(speed?.times),
  ]
  return parts.length === 0 ? [] : [parts.join(' · ')]
}

/** The part of the time inside forward passes, and of that what passes cost whatever is in them. */
function timeShares(times: PassTimes | undefined): readonly string[] {
  if (times === undefined || times.wallSeconds <= 0 || times.insideSeconds <= 0) return []
  const percent = (share: number): string => `${(100 * Math.min(1, share)).toFixed(0)}%`
  const { insideSeconds, wallSeconds, fixedSeconds } = times
  const fixed = fixedSeconds === null ? '' : `, about ${percent(fixedSeconds / insideSeconds)} of it dispatch`
  return [`time inside forward passes: ${percent(insideSeconds / wallSeconds)}${fixed}`]
}

/** One line a task; beyond 20 tasks the list is in the results file alone. */
function scoreLines(scores: readonly OwnScore[]): readonly string[] {
  const tasks = [...new Set(scores.map(({ task }) => task))]
  if (tasks.length > 20) return [`${tasks.length} tasks: see yardstick.own_metrics in the results file`]
  return tasks.map((task) => {
    const own = scores.filter((score) => score.task === task)
    return `${task}: ${own.map(({ metric, filter = 'none', value, stderr }) => `${metric}${filter === 'none' ? '' : ` (${filter})`} ${value.toFixed(4)}${stderr === 'N/A' ? '' : ` ± ${stderr.toFixed(4)}`}`).join(', ')}`
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

function noiseLines({ again, alone, aloneAgain }: RunVariance): readonly string[] {
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
