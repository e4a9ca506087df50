/** The drafts of a run's texts: read when the run goes on, kept while a batch is written. */
import { toEvalError } from '../base/errors.ts'
import type { Draft } from '../contracts/items.ts'
import { BatchDrafts } from './model/batch-drafts.ts'
import type { Evaluation } from './ports.ts'

export interface RunDrafts {
  /** The texts of one batch, whose answers will be kept under `keys`, in that order. */
  ofBatch(planIndex: number, keys: readonly string[]): BatchDrafts
}

/**
 * Reads what an earlier session wrote of texts that aren't whole yet; a new run has none. A draft is found by the key of its answer, which says all that
 * decides a token: what another model, dtype, device or engine wrote is never gone on with.
 *
 * Where drafts can't be kept, a warning says so once and the run goes on: they save time, and decide nothing.
 */
export async function openDrafts(
  { runId, epoch, isNew }: { readonly runId: string; readonly epoch: number; readonly isNew: boolean },
  { store, emit, clock }: Pick<Evaluation, 'store' | 'emit' | 'clock'>,
): Promise<RunDrafts> {
  const known: ReadonlyMap<string, Draft> = isNew ? new Map() : await store.draftsOf(runId)
  let hasWarned = false
  const onLoss = (error: unknown): void => {
    const { code, message } = toEvalError(error)
    // A run that was taken over ends at its next commit, which says so.
    if (code === 'storage/fenced' || hasWarned) return
    hasWarned = true
    emit({
      type: 'warning',
      message: `Texts can’t be stored while they are written: ${message} The run goes on; if this page closes, the texts being written are begun again.`,
    })
  }
  return {
    ofBatch: (planIndex, keys) =>
      new BatchDrafts({ keys, known, keep: (parts) => store.keepDrafts({ runId, epoch, planIndex, parts }), onLoss, now: clock }),
  }
}
