/** Scores of samples that came without their results file: plain means over the docs, without standard errors. */
import { EvalError, type Json } from '../../base/errors.ts'
import type { ResultsRow } from '../../contracts/results.ts'
import type { SampleView } from '../../contracts/samples.ts'
import type { RunSummary } from '../../contracts/results.ts'
import { limits } from './opened-run.ts'

/** One row for each metric and filter whose every value is a number or a truth value. */
export function means(samples: ReadonlyMap<string, readonly SampleView[]>, runId: string): RunSummary {
  const rows = [...samples].flatMap(([task, views]) => rowsOf(task, views))
  if (rows.length > limits.rows)
    throw new EvalError('results/invalid', `Wanted at most ${limits.rows} scores in the samples, found ${rows.length}.`)
  const lines = rows.map(({ task, filter, metric, value }) => `|${[task, filter, metric, value].map(cell).join('|')}|\n`)
  return {
    runId,
    resultsFile: { 'n-samples': Object.fromEntries([...samples].map(([task, views]) => [task, { effective: views.length }])) },
    resultsText: '{}',
    table: { tasks: rows, groups: [] },
    tableText: ['|Tasks|Filter|Metric|Value|\n', '|---|---|---|---:|\n', ...lines].join(''),
    warnings: [],
  }
}

function rowsOf(task: string, views: readonly SampleView[]): readonly ResultsRow[] {
  const sums = new Map<string, { filter: string; metric: string; sum: number; n: number; isNumeric: boolean }>()
  for (const { filter, metrics } of views) {
    for (const [metric, value] of Object.entries(metrics)) {
      const key = JSON.stringify([filter, metric])
      const known = sums.get(key) ?? { filter, metric, sum: 0, n: 0, isNumeric: true }
      const number = numberOf(value)
      known.isNumeric &&= number !== null
      known.sum += number ?? 0
      known.n += 1
      sums.set(key, known)
    }
  }
  return [...sums.values()]
    .filter(({ isNumeric }) => isNumeric)
    .map(({ filter, metric, sum, n }) => ({
      task,
      alias: task,
      version: '',
      filter,
      nShot: '',
      metric,
      direction: '',
      value: sum / n,
      stderr: null,
      n,
    }))
}

function numberOf(value: Json): number | null {
  if (typeof value === 'boolean') return Number(value)
  return typeof value === 'number' ? value : null
}

function cell(value: string | number): string {
  return typeof value === 'number' ? value.toFixed(4) : value.replaceAll('|', '\\|').replace(/[\r\n]/g, ' ')
}
