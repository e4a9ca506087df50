/** Verdicts on many tasks, with those of the same reasons together: a benchmark of 57 subjects says each thing once. */
import type { Comparability } from '../comparability.ts'
import type { TaskComparison } from '../compare-runs.ts'

interface VerdictGroup extends Comparability {
  readonly tasks: readonly string[]
}

/** The tasks of one verdict with the same reasons, in the order of their first. Reasons of a config are one per task, and not repeated. */
export function groupVerdicts(tasks: readonly TaskComparison[]): readonly VerdictGroup[] {
  const groups = new Map<string, { tasks: string[]; verdict: Comparability['verdict']; reasons: Comparability['reasons'] }>()
  for (const { task, verdict, reasons } of tasks) {
    const key = JSON.stringify([verdict, reasons.map(({ level, sentence }) => [level, sentence])])
    const group = groups.get(key) ?? { tasks: [], verdict, reasons: [...new Map(reasons.map((one) => [one.sentence, one])).values()] }
    group.tasks.push(task)
    groups.set(key, group)
  }
  return [...groups.values()]
}
