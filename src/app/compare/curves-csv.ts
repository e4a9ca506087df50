/** Scores over training steps as CSV, one line a score: of a sweep on the command line and of the compare page. */
import type { CheckpointPoint, CheckpointSeries } from '../../analysis/compare/series/checkpoints.ts'
import { csvLine } from '../export/csv.ts'

/** The curves of one task. */
export interface TaskCurves {
  readonly task: string
  readonly series: readonly CheckpointSeries[]
}

interface CurveRow extends CheckpointPoint {
  readonly task: string
  readonly metric: string
  readonly filter: string
}

/** One row a score, by step as numbers within a task, metric and filter. */
export function curveRows(curves: readonly TaskCurves[]): readonly CurveRow[] {
  return curves.flatMap(({ task, series }) =>
    series.flatMap(({ metric, filter, points }) => points.map((point) => ({ task, metric, filter, ...point }))),
  )
}

/** The file's text. */
export function curvesCsv(curves: readonly TaskCurves[]): string {
  const head = csvLine(['task', 'metric', 'filter', 'revision', 'step', 'value', 'stderr', 'low', 'high'])
  const rows = curveRows(curves).map(({ task, metric, filter, revision, step, value, stderr, low, high }) =>
    csvLine([task, metric, filter, revision, step, value, stderr, low, high]),
  )
  return [head, ...rows].join('')
}
