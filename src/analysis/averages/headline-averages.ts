/** Both averages of a group whose tasks share no metric, over the one score that is published of each (`meta_instruct`: letters, MATH, IFEval). */
import type { GroupAverage } from '../../contracts/yardstick-results.ts'
import type { LeafMetrics } from '../../harness/metrics/aggregation/groups.ts'
import type { ResultGroup, ResultNode } from '../../harness/results/results-file.ts'
import { isDict, toNumber, type PyDict } from '../../python/value.ts'
import { groupAverages, type GroupLeaves } from './group-averages.ts'

/**
 * Averages of all groups, each before those below it: of the metrics that its tasks share, else of the one score that is published of each.
 * `results` is the results file's dict. `isMean` as in `groupAverages`.
 */
export function averagesOfGroups(
  groups: readonly ResultGroup[],
  results: PyDict,
  isMean: (task: string, metric: string) => boolean,
): readonly GroupAverage[] {
  const below = groups.flatMap(groupsBelow)
  const leaves = leafMetrics([...new Set(below.flatMap((group) => group.leaves))], results)
  return below.flatMap((group) => {
    const shared = groupAverages([group], leaves, isMean)
    return shared.length > 0 ? shared : headlineAverages(group, leaves)
  })
}

function leafMetrics(tasks: readonly string[], results: PyDict): ReadonlyMap<string, LeafMetrics> {
  const rows = results.get('results') ?? null
  return new Map(
    tasks.flatMap((task) => {
      const row = isDict(rows) ? (rows.get(task) ?? null) : null
      if (!isDict(row)) return []
      const values = [...row].filter(([key]) => key.includes(',')).map(([key, value]) => [key, toNumber(value) ?? 'N/A'] as const)
      return [[task, { sampleLen: toNumber(row.get('sample_len') ?? null) ?? 0, values: new Map(values) }] as const]
    }),
  )
}

function groupsBelow(group: ResultGroup): readonly GroupLeaves[] {
  const below = group.children.flatMap((child) => (child.kind === 'group' ? [child] : []))
  const { name, alias, children } = group
  return [
    { name, alias: alias ?? name, leaves: children.flatMap(leavesOf), subgroups: below.map(leavesOf) },
    ...below.flatMap((child) => groupsBelow(child.group)),
  ]
}

function leavesOf(node: ResultNode): readonly string[] {
  return node.kind === 'task' ? [node.name] : node.group.children.flatMap(leavesOf)
}

/** What such averages are called, filter included. */
const headlineKey = "each task's score,none"

/** At most one average; none where a task has no such score. */
export function headlineAverages(group: GroupLeaves, leaves: ReadonlyMap<string, LeafMetrics>): readonly GroupAverage[] {
  const headlines = new Map(
    group.leaves.flatMap((name): readonly (readonly [string, LeafMetrics])[] => {
      const leaf = leaves.get(name)
      const value = leaf === undefined ? null : headlineOf(leaf)
      return leaf === undefined || value === null ? [] : [[name, { sampleLen: leaf.sampleLen, values: new Map([[headlineKey, value]]) }]]
    }),
  )
  return headlines.size === group.leaves.length ? groupAverages([group], headlines, () => true) : []
}

/** `exact_match` under the first filter that has it; IFEval's is the mean of its two strict ones (Open LLM Leaderboard v2, Meta). */
function headlineOf({ values }: LeafMetrics): number | null {
  const exact = [...values].find(([key]) => key.startsWith('exact_match,'))?.[1]
  if (typeof exact === 'number') return exact
  const [prompt, instruction] = [values.get('prompt_level_strict_acc,none'), values.get('inst_level_strict_acc,none')]
  return typeof prompt === 'number' && typeof instruction === 'number' ? (prompt + instruction) / 2 : null
}
