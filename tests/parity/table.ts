/** The table of `npm run parity`: one line an id, and below it what differs. */
import { isPassed, type Comparison } from './compare.ts'

/** How one golden went: compared, or why it couldn't be. */
export type Outcome = { readonly comparison: Comparison } | { readonly reason: string }

/** Differences of one kind that are shown; the rest is counted. */
const shown = 5

const columns = ['docs', 'max |dlogprob|', 'picks', 'generations', 'metrics', 'seconds'] as const

export function didPass(outcome: Outcome): boolean {
  return 'comparison' in outcome && isPassed(outcome.comparison)
}

export function formatHead(idWidth: number): string {
  return ['id'.padEnd(idWidth), ...columns.map((name) => name.padStart(width(name)))].join('  ')
}

/** The line of an id, and the reasons under it when it failed. */
export function formatOutcome(id: string, idWidth: number, seconds: number, outcome: Outcome): string {
  const cells =
    'comparison' in outcome
      ? [
          String(outcome.comparison.docs),
          outcome.comparison.largestDifference === null ? '-' : outcome.comparison.largestDifference.toExponential(2),
          String(outcome.comparison.picks.length),
          String(outcome.comparison.generations.length),
          String(outcome.comparison.metrics.length),
        ]
      : ['-', '-', '-', '-', '-']
  const line = [
    id.padEnd(idWidth),
    ...[...cells, seconds.toFixed(1)].map((cell, index) => cell.padStart(width(columns[index] ?? 'seconds'))),
    didPass(outcome) ? 'passed' : 'FAILED',
  ].join('  ')
  return [line, ...reasonsOf(outcome).map((reason) => `    ${reason}`)].join('\n')
}

function reasonsOf(outcome: Outcome): string[] {
  if ('reason' in outcome) return [outcome.reason]
  const { docs, isWithinTolerance, prompts, picks, generations, metrics } = outcome.comparison
  const lists: readonly (readonly [string, readonly string[]])[] = [
    ['prompt', prompts],
    ['pick', picks],
    ['generation', generations],
    ['metric', metrics],
  ]
  return [
    ...(docs === 0 ? ['the golden holds no docs'] : []),
    ...(isWithinTolerance ? [] : ['a log-probability is beyond the tolerance']),
    ...lists.flatMap(([name, list]) => [
      ...list.slice(0, shown).map((text) => `${name}: ${text}`),
      ...(list.length > shown ? [`${name}: ${list.length - shown} more`] : []),
    ]),
  ]
}

const width = (name: string): number => Math.max(name.length, 5)
