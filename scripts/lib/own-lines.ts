/** What the command line prints below the harness's table: scores and averages that are ours, said to be so. */
import { agreementLines } from '../../src/core/compare/published-verdicts.ts'
import { averageLines } from '../../src/core/group-averages.ts'
import type { OwnResults, OwnScore } from '../../src/core/types.ts'

/** Lines after the table; empty for a run of an earlier version and where there is nothing to say. */
export function ownLines(own: OwnResults | undefined): readonly string[] {
  if (own === undefined) return []
  const scores = scoreLines(own.scores)
  const averages = averageLines(own.averages)
  const agreements = agreementLines(own.agreements ?? [])
  return [
    ...(scores.length === 0 ? [] : ['', 'Not the harness’s, from the same answers (acc_tok divides by tokens):', ...scores]),
    ...(averages.length === 0 ? [] : ['', 'Groups in both ways of averaging (macro: tasks alike, micro: docs alike):', ...averages]),
    ...(agreements.length === 0 ? [] : ['', 'Beside the verdicts that were published with the rows:', ...agreements]),
  ]
}

/** One line a task; beyond 20 tasks the list is in the results file alone. */
function scoreLines(scores: readonly OwnScore[]): readonly string[] {
  const tasks = [...new Set(scores.map(({ task }) => task))]
  if (tasks.length > 20) return [`${tasks.length} tasks: see yardstick.own_metrics in the results file`]
  return tasks.map((task) => {
    const own = scores.filter((score) => score.task === task)
    return `${task}: ${own.map(({ metric, value, stderr }) => `${metric} ${value.toFixed(4)}${stderr === 'N/A' ? '' : ` ± ${stderr.toFixed(4)}`}`).join(', ')}`
  })
}
