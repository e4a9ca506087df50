/** A task whose rows name a subtask, in both ways of averaging: over docs (micro) and over subtasks (macro, what llama.com shows). */
import type { GroupAverage } from '../../contracts/yardstick-results.ts'
import { aggregateMetric } from '../../harness/metrics/aggregation/aggregate.ts'
import type { LeafMetrics } from '../../harness/metrics/aggregation/groups.ts'
import type { AnsweredDoc, TaskSamples } from '../../harness/results/samples-file.ts'
import { toNumber, type PyValue } from '../../python/value.ts'
import { groupAverages } from './group-averages.ts'

/** As the published evaluations call it. */
const subtaskColumn = 'subtask_name'

/** Averages of the metrics that are means; empty for rows without the column, and for one subtask. */
export function subtaskAverages(
  task: { readonly name: string; readonly alias: string; isMean(metric: string): boolean },
  docs: readonly Pick<AnsweredDoc, 'doc'>[],
  samples: Pick<TaskSamples, 'values'>,
): readonly GroupAverage[] {
  const names = docs.map(({ doc }) => doc.get(subtaskColumn) ?? null)
  const subtasks = [...new Set(names)].filter((name) => typeof name === 'string')
  if (docs.length === 0 || names.some((name) => typeof name !== 'string')) return []
  const leaves = new Map(
    subtasks.map((subtask): readonly [string, LeafMetrics] => {
      const values = samples.values.flatMap(({ metric, filter, items }) => {
        if (!task.isMean(metric) || items.length !== docs.length) return []
        const own = items.filter((_, at) => names[at] === subtask).map((item): PyValue => toNumber(item) ?? NaN)
        const { value, stderr } = aggregateMetric(own, { metric, aggregation: 'mean', bootstrapIters: 1 })
        return [
          [`${metric},${filter}`, toNumber(value) ?? 'N/A'],
          [`${metric}_stderr,${filter}`, stderr],
        ] as const
      })
      return [subtask, { sampleLen: names.filter((name) => name === subtask).length, values: new Map(values) }]
    }),
  )
  const group = { name: task.name, alias: `${task.alias}, subtasks`, leaves: subtasks, subgroups: [] }
  return groupAverages([group], leaves, (_, metric) => task.isMean(metric)).map((average) => ({ ...average, categoryMap: null }))
}
