/** A comparison of two runs as text: the verdict on their setup, a table, and the docs that changed sides. */
import { groupVerdicts } from '../../analysis/compare/agreement/verdict-groups.ts'
import type { RunComparison, Score, TaskComparison } from '../../analysis/compare/compare-runs.ts'
import type { Difference } from '../../analysis/compare/score-difference.ts'
import { oneLine, tableLines } from './text-table.ts'

/** A run as it is called in the tables: A, B, … */
export interface LabelledRun {
  readonly label: string
  readonly files: readonly string[]
  /** As the file names it; empty where it doesn't. */
  readonly model: string
}

/** How many doc ids are printed of each kind; `--json` has all. */
const shownDocs = 20

/** More scores than these are folded. */
const mostScores = 20

/** One pair of runs as lines of text that end without a line break: of many scores those of groups and the significant ones, with `hasDetails` all. */
export function comparisonText(
  left: LabelledRun,
  right: LabelledRun,
  { tasks, scores: all, leftOnly, rightOnly }: RunComparison,
  hasDetails = true,
): string {
  const [a, b] = [left.label, right.label]
  const scores = hasDetails ? all : foldedScores(all)
  const header = ['Task', 'Filter', 'Metric', a, '95%', b, '95%', `${a} − ${b}`, '95%', 'p', 'p (Holm)', 'Detectable', 'Flips', 'Test']
  const rows = scores.map(({ task, filter, metric, left: mine, right: theirs, difference, isSignificant }) => [
    task,
    filter,
    metric,
    mine.value.toFixed(4),
    intervalOf(mine),
    theirs.value.toFixed(4),
    intervalOf(theirs),
    `${signed(difference?.value ?? mine.value - theirs.value)}${isSignificant ? ' *' : ''}`,
    ...cellsOf(difference),
  ])
  const flips = scores.flatMap(({ task, filter, metric, difference }) => {
    const found = difference?.flips ?? null
    if (found === null || found.leftOnly.length + found.rightOnly.length === 0) return []
    const name = filter === 'none' ? `${task}, ${metric}` : `${task}, ${metric} (${filter})`
    return [`${name}: only ${a} is right in ${docsText(found.leftOnly)}; only ${b} in ${docsText(found.rightOnly)}.`]
  })
  return [
    `${a} = ${nameOf(left)}`,
    `${b} = ${nameOf(right)}`,
    '',
    ...setupLines(tasks),
    ...(leftOnly.length > 0 ? [`Only ${a} has ${listed(leftOnly)}.`] : []),
    ...(rightOnly.length > 0 ? [`Only ${b} has ${listed(rightOnly)}.`] : []),
    '',
    ...(all.length === 0 ? ['No score is in both.'] : tableLines(header, rows)),
    ...(scores.length === all.length
      ? []
      : [`${all.length - scores.length} more scores, none of them significant; --details prints them.`]),
    '',
    all.some(({ isSignificant }) => isSignificant)
      ? '* p below 0.05 after Holm’s correction over all scores compared.'
      : 'No difference is significant: none has p below 0.05 after Holm’s correction in a setup that can be compared.',
    ...flips,
    '',
  ].join('\n')
}

/** Of many scores those of tasks that others are named after (`mmlu` of `mmlu_anatomy`) and those that differ significantly; the first ones where that is none. */
function foldedScores(all: RunComparison['scores']): RunComparison['scores'] {
  if (all.length <= mostScores) return all
  const names = [...new Set(all.map(({ task }) => task))]
  const isGroup = (task: string): boolean => names.filter((name) => name.startsWith(`${task}_`)).length > 1
  const shown = all.filter(({ task, isSignificant }) => isSignificant || isGroup(task))
  return shown.length === 0 ? all.slice(0, mostScores) : shown
}

/** Verdicts, with tasks of the same reasons on one line. */
function setupLines(tasks: readonly TaskComparison[]): readonly string[] {
  const says = { green: 'the same setup', amber: 'comparable with care', red: 'not comparable' }
  return groupVerdicts(tasks).flatMap(({ verdict, tasks: names, reasons }) => [
    `Setup of ${listed(names)}: ${verdict}, ${says[verdict]}.`,
    ...reasons.map(({ level, sentence }) => `  ${level}: ${oneLine(sentence)}`),
  ])
}

function cellsOf(difference: Difference | null): readonly string[] {
  if (difference === null) return ['', '', '', '', '', 'none']
  const { low, high, p, pAdjusted, minimumDetectable, changed, test } = difference
  return [
    `${signed(low)} … ${signed(high)}`,
    probability(p),
    probability(pAdjusted),
    minimumDetectable?.toFixed(4) ?? '',
    changed === null ? '' : String(changed.leftOnly + changed.rightOnly),
    test,
  ]
}

function nameOf({ files, model }: LabelledRun): string {
  return oneLine(model === '' ? (files[0] ?? '') : `${model} (${files[0] ?? ''})`)
}

function intervalOf({ low, high }: Score): string {
  return low === null || high === null ? '' : `${low.toFixed(4)} … ${high.toFixed(4)}`
}

function docsText(ids: readonly number[]): string {
  if (ids.length === 0) return '0 docs'
  const more = ids.length > shownDocs ? `, and ${ids.length - shownDocs} more` : ''
  return `${ids.length} docs (${ids.slice(0, shownDocs).join(', ')}${more})`
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, 3).map(oneLine).join(', ')
  return names.length > 3 ? `${shown} and ${names.length - 3} more` : shown
}

function signed(value: number): string {
  return `${value < 0 ? '-' : '+'}${Math.abs(value).toFixed(4)}`
}

function probability(p: number): string {
  return p < 1e-4 ? p.toExponential(1) : p.toFixed(4)
}
