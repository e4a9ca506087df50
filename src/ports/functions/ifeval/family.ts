/** Helpers of `ifeval` and `leaderboard/ifeval`, lm_eval 0.4.13. */
import type { FunctionFamily } from '../../../harness/function-table.ts'
import { loadIfevalData } from './data.ts'
import { ifevalNotes } from './notes.ts'
import { averageInstructions, processIfeval } from './process-results.ts'

export const ifeval: readonly FunctionFamily[] = ['ifeval', 'leaderboard/ifeval'].map((folder) => ({
  folder,
  prepare: loadIfevalData,
  notes: ifevalNotes,
  processResults: { 'utils.process_results': processIfeval },
  aggregation: { 'utils.agg_inst_level_acc': averageInstructions },
}))
