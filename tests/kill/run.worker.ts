/** The run worker of the kill test: the real one, but for fail points that ask the witness and commits that are told to it. */
import { RunService } from '../../src/evaluation/run-service.ts'
import type { ModelWorkerApi } from '../../src/rpc/apis.ts'
import type { DataWorkerApi } from '../../src/rpc/data-api.ts'
import { exposeWorker } from '../../src/rpc/expose.ts'
import { startWorker } from '../../src/rpc/start-worker.ts'
import type { TextWorkerApi } from '../../src/rpc/text-api.ts'
import type { DatabaseHooks } from '../../src/storage/database.ts'
import { openStore } from '../../src/storage/open-store.ts'
import type { Store } from '../../src/storage/store.ts'
import textWorkerUrl from '../../workers/text.worker.ts?worker&url'
import dataWorkerUrl from '../../workers/data.worker.ts?worker&url'
import modelWorkerUrl from './model.worker.ts?worker&url'
import { askAtFailPoints, report } from './witness-client.ts'

const here: string = import.meta.url
const absolute = (address: string) => new URL(address, here).href

/** The store, with an acknowledgement to the witness after each commit: from then on its answers may never be lost or computed again. */
async function witnessedStore(hooks: DatabaseHooks): Promise<Store> {
  const store = await openStore(hooks)
  return {
    ...store,
    commitBatch: async (batch) => {
      const outcome = await store.commitBatch(batch)
      report('acked', {
        runId: batch.runId,
        planIndex: batch.planIndex,
        conflicts: outcome.conflicts.map(({ key }) => key),
        entries: batch.entries.map(({ key, answer }) => ({ key, logprobs: answer.answers.map(({ logprob }) => logprob) })),
      })
      return outcome
    },
  }
}

askAtFailPoints()
exposeWorker(
  new RunService({
    pageBase: new URL('../', here).href,
    app: { version: '0', build: 'kill-test' },
    startDataWorker: () => startWorker<DataWorkerApi>(absolute(dataWorkerUrl), { name: 'data', lockdown: true }),
    startTextWorker: () => startWorker<TextWorkerApi>(absolute(textWorkerUrl), { name: 'text', lockdown: true }),
    startModelWorker: () => startWorker<ModelWorkerApi>(absolute(modelWorkerUrl), { name: 'model' }),
    openStore: witnessedStore,
  }),
)
