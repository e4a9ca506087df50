/** Scores of groups from those of their leaf tasks. lm_eval 0.4.13, `lm_eval/api/group.py` and `lm_eval/api/metrics.py`. */
import { EvalError } from '../../../base/errors.ts'
import { compareCodePoints } from '../../../python/compare-strings.ts'

/** A metric that a group reports. `filterList` null = every filter that its leaf tasks have for the metric. */
export interface GroupMetric {
  readonly metric: string
  readonly filterList: readonly string[] | null
  readonly weightBySize: boolean
}

/** A leaf's row: `"metric,filter"` values, `"metric_stderr,filter"` numbers or `'N/A'`. */
export interface LeafMetrics {
  readonly sampleLen: number
  readonly values: ReadonlyMap<string, number | 'N/A'>
}

/** A group's row. `sampleLen` null = the group has no aggregation, and so nothing but its names. */
export interface GroupMetrics {
  readonly sampleLen: number | null
  readonly values: ReadonlyMap<string, number | 'N/A'>
  readonly sampleCount: ReadonlyMap<string, number>
}

/**
 * A group's metrics over its leaf tasks, nested ones included; leaves that are missing, or lack the metric, are left out.
 * Throws `metric/failed` where the harness divides by zero.
 */
export function aggregateGroup(metrics: readonly GroupMetric[], leaves: readonly (LeafMetrics | null)[]): GroupMetrics {
  const present = leaves.filter((leaf) => leaf !== null)
  if (metrics.length === 0) return { sampleLen: null, values: new Map(), sampleCount: new Map() }
  const values = new Map<string, number | 'N/A'>()
  const sampleCount = new Map<string, number>()
  for (const { metric, filterList, weightBySize } of metrics) {
    for (const filter of filterList ?? discoverFilters(metric, present)) {
      const key = `${metric},${filter}`
      const members = present.filter((leaf) => leaf.values.has(key))
      if (members.length === 0) continue
      const sizes = members.map((leaf) => leaf.sampleLen)
      values.set(
        key,
        meanOfSubtasks(
          members.map((leaf) => leaf.values.get(key) ?? 'N/A'),
          weightBySize ? sizes : sizes.map(() => 1),
          key,
        ),
      )
      sampleCount.set(key, add(sizes))
      const stderrs = members.map((leaf) => leaf.values.get(`${metric}_stderr,${filter}`) ?? 'N/A').filter((stderr) => stderr !== 'N/A')
      values.set(`${metric}_stderr,${filter}`, stderrs.length < members.length ? 'N/A' : poolStderrs(stderrs, sizes, weightBySize))
    }
  }
  return { sampleLen: add(present.map((leaf) => leaf.sampleLen)), values, sampleCount }
}

function discoverFilters(metric: string, leaves: readonly LeafMetrics[]): readonly string[] {
  const prefix = `${metric},`
  const filters = new Set<string>()
  for (const { values } of leaves) {
    for (const key of values.keys()) if (key.startsWith(prefix) && !key.includes('_stderr')) filters.add(key.slice(prefix.length))
  }
  return [...filters].sort(compareCodePoints)
}

function meanOfSubtasks(values: readonly (number | 'N/A')[], sizes: readonly number[], key: string): number {
  const weighted = values.map((value, i) => {
    if (value === 'N/A') throw new EvalError('metric/failed', `The group's metric ${key} wants numbers from its tasks.`)
    return value * (sizes[i] ?? 0)
  })
  if (add(sizes) === 0) throw new EvalError('metric/failed', `The group's metric ${key} is over no documents.`)
  return add(weighted) / add(sizes)
}

function poolStderrs(stderrs: readonly number[], sizes: readonly number[], weightBySize: boolean): number {
  if (!weightBySize) return Math.sqrt(add(stderrs.map((stderr) => stderr ** 2))) / stderrs.length
  const total = add(sizes)
  if (total === sizes.length) throw new EvalError('metric/failed', 'A pooled standard error wants more documents than tasks.')
  const variance = add(stderrs.map((stderr, i) => ((sizes[i] ?? 0) - 1) * stderr ** 2 * (sizes[i] ?? 0))) / (total - sizes.length)
  return Math.sqrt(variance / total)
}

function add(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0)
}
