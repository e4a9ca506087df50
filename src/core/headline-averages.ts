/** Both averages of a group whose tasks share no metric, over the one score that is published of each (`meta_instruct`: letters, MATH, IFEval). */
import { groupAverages, type GroupLeaves } from './group-averages.ts'
import type { LeafMetrics } from './groups.ts'
import type { GroupAverage } from './types.ts'

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
