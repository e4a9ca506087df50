import type { EngineFacts } from '../../../src/contracts/engine.ts'
import { maxOf } from '../../../src/base/arrays.ts'
import type { GpuModel } from './models/gpu-model.ts'
import type { CheckRow } from './report.ts'

/** What opening a model on the adapter told of it. */
export function checkRowOf(
  { id, form, dtype }: GpuModel,
  { selfCheck, fast, scoring, chunkTokens, adapter }: EngineFacts,
  openingMs: number,
): CheckRow {
  const agreeing = selfCheck.trials.filter(({ maxAbsDiff }) => maxAbsDiff <= selfCheck.tolerance).map(({ runTokens }) => runTokens)
  // On hardware lengths beyond the self-check's are compared one by one before they are taken.
  const taken = adapter?.isFallback === false && selfCheck.status === 'passed' ? (fast?.layout.tokens ?? 0) : 0
  const tried = maxOf([...agreeing, taken], 0)
  return {
    model: id,
    form,
    dtype,
    opening_ms: openingMs,
    self_check: selfCheck.status,
    self_check_diff: selfCheck.maxAbsDiff,
    tolerance: selfCheck.tolerance,
    longest_exact: selfCheck.status === 'skipped' ? null : (selfCheck.maxRunTokens ?? tried),
    composition_diff: fast?.check.maxAbsDiff ?? null,
    scoring,
    pass_tokens: chunkTokens,
    run_ms: fast?.costs?.runMs ?? null,
    token_ms: fast?.costs?.tokenMs ?? null,
    in_place: fast?.layout.inPlace === true,
  }
}

/** What is wrong with it, in words: the fast path computes otherwise, or can't run. */
export function faultsOfCheck(row: CheckRow, reason: string | undefined): readonly string[] {
  if (row.scoring === 'fast') return []
  return [`${row.model}, ${row.form}, ${row.dtype}: not on the fast path: ${reason ?? 'no reason is given'}`]
}
