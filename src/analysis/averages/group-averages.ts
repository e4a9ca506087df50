/** Groups in both ways of averaging: every task the same (macro), and every doc the same (micro). The harness's table has one of them. */
import type { GroupAverage } from '../../contracts/yardstick-results.ts'
import { aggregateGroup, type LeafMetrics } from '../../harness/metrics/aggregation/groups.ts'
import { categoryMapOf, subjectOfTask, type CategoryMap } from '../../ports/original-mmlu/mmlu-categories.ts'

/** A group with its leaf tasks, nested ones included, and those of each group directly below it. */
export interface GroupLeaves {
  readonly name: string
  readonly alias: string
  readonly leaves: readonly string[]
  readonly subgroups: readonly (readonly string[])[]
}

/**
 * Averages of every `metric,filter` that all of a group's tasks have and `isMean` says can be averaged; standard errors are pooled as the
 * harness pools them (`aggregateGroup`). Groups of one task are left out: there is nothing to average.
 */
export function groupAverages(
  groups: readonly GroupLeaves[],
  leaves: ReadonlyMap<string, LeafMetrics>,
  isMean: (task: string, metric: string) => boolean,
): readonly GroupAverage[] {
  return groups.flatMap((group) => {
    const members = group.leaves.flatMap((name) => leaves.get(name) ?? [])
    const [first] = members
    if (first === undefined || members.length < 2) return []
    const keys = [...first.values.keys()].filter((key) => {
      const metric = key.split(',')[0] ?? ''
      return (
        !metric.endsWith('_stderr') &&
        group.leaves.every((name) => isMean(name, metric)) &&
        members.every(({ values }) => typeof values.get(key) === 'number')
      )
    })
    const map = mapOf(group)
    return keys.flatMap((key) => averageOf(group, key, members, map) ?? [])
  })
}

function averageOf(group: GroupLeaves, key: string, members: readonly LeafMetrics[], categoryMap: CategoryMap | null): GroupAverage | null {
  const [metric = '', ...rest] = key.split(',')
  const filter = rest.join(',')
  const docs = members.reduce((sum, { sampleLen }) => sum + sampleLen, 0)
  const by = (weightBySize: boolean) => {
    // Pooling by size divides by docs less tasks; with one doc a task there is no standard error to speak of.
    const canPool = !weightBySize || docs > members.length
    const bare = members.map(({ sampleLen, values }) => ({ sampleLen, values: new Map([[key, values.get(key) ?? 'N/A']]) }))
    const { values } = aggregateGroup([{ metric, filterList: [filter], weightBySize }], canPool ? members : bare)
    return { value: values.get(key), stderr: values.get(`${metric}_stderr,${filter}`) ?? ('N/A' as const) }
  }
  const macro = by(false)
  const micro = by(true)
  if (typeof macro.value !== 'number' || typeof micro.value !== 'number') return null
  return {
    group: group.name,
    alias: group.alias,
    metric,
    filter,
    macro: macro.value,
    macroStderr: macro.stderr,
    micro: micro.value,
    microStderr: micro.stderr,
    tasks: members.length,
    docs,
    categoryMap,
  }
}

function mapOf({ subgroups }: GroupLeaves): CategoryMap | null {
  const subjects = subgroups.map((names) => names.flatMap((name) => subjectOfTask(name) ?? []))
  return subjects.every((names, at) => names.length === subgroups[at]?.length) ? categoryMapOf(subjects) : null
}

/** The averages as lines of plain text, with what they are over; empty for none. */
export function averageLines(averages: readonly GroupAverage[]): readonly string[] {
  const score = (value: number, stderr: number | 'N/A'): string =>
    `${value.toFixed(4)}${stderr === 'N/A' || Number.isNaN(stderr) ? '' : ` ± ${stderr.toFixed(4)}`}`
  return averages.map(({ alias, metric, filter, macro, macroStderr, micro, microStderr, tasks, docs, categoryMap }) => {
    const what = filter === 'none' ? metric : `${metric} (${filter})`
    const map = categoryMap === null ? '' : `; categories as in ${categoryMap}`
    return `${alias}, ${what}: macro ${score(macro, macroStderr)} over ${tasks} tasks, micro ${score(micro, microStderr)} over ${docs} docs${map}`
  })
}
