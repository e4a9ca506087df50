/** The store as the run worker of the kill test opens it: the real one, with fail points that ask the witness and commits that are told to it. */
import { isScored } from '../../src/contracts/items.ts'
import { openStore as openRealStore, type StoreOptions } from '../../src/storage/open-store.ts'
import type { Store } from '../../src/storage/store.ts'
import { askAtFailPoints, report } from './witness-client.ts'

askAtFailPoints()

/** Acknowledges each commit to the witness: from then on its answers may never be lost or computed again. */
export async function openStore(options?: StoreOptions): Promise<Store> {
  const store = await openRealStore(options)
  return {
    ...store,
    keepDrafts: async (growth) => {
      await store.keepDrafts(growth)
      report(
        'drafted',
        growth.parts.map(({ key, from, tokens }) => ({ key, to: from + tokens.length })),
      )
    },
    commitBatch: async (batch) => {
      const outcome = await store.commitBatch(batch)
      report('acked', {
        runId: batch.runId,
        planIndex: batch.planIndex,
        conflicts: outcome.conflicts.map(({ key }) => key),
        entries: batch.entries.map(({ key, answer }) => ({
          key,
          logprobs: isScored(answer) ? answer.answers.map(({ logprob }) => logprob) : [...answer.tokens],
        })),
      })
      return outcome
    },
  }
}
