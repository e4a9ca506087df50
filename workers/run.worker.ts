/** Entry of the run worker: one run at a time, and everything that is kept. */
import { createRunService } from '../src/evaluation/service/run-service.ts'
import type { DataWorkerApi } from '../src/rpc/data-api.ts'
import { exposeWorker } from '../src/rpc/expose.ts'
import type { ModelWorkerApi } from '../src/rpc/model-worker-api.ts'
import type { SecondOpinionApi } from '../src/rpc/second-opinion-api.ts'
import { startWorker } from '../src/rpc/start-worker.ts'
import type { TaskPreviewApi } from '../src/rpc/task-preview-api.ts'
import type { TextWorkerApi } from '../src/rpc/text-api.ts'
import { openStore } from '../src/storage/open-store.ts'
import dataWorkerUrl from './data.worker.ts?worker&url'
import modelWorkerUrl from './model.worker.ts?worker&url'
import secondWorkerUrl from './second-opinion.worker.ts?worker&url'
import textWorkerUrl from './text.worker.ts?worker&url'

/** Put in by the build. */
declare const __APP_VERSION__: string

const here: string = import.meta.url
// The file's name carries a hash of this worker and, through the addresses in it, of the others.
const build = /-([\w-]{8})\.js$/.exec(new URL(here).pathname)?.[1] ?? 'development'
const absolute = (address: string) => new URL(address, here).href

exposeWorker(
  createRunService({
    // Built files lie one folder below the page, as do these sources.
    pageBase: new URL('../', here).href,
    app: { version: __APP_VERSION__, build },
    startDataWorker: () => startWorker<DataWorkerApi>(absolute(dataWorkerUrl), { name: 'data', lockdown: true }),
    startTextWorker: () => startWorker<TextWorkerApi & TaskPreviewApi>(absolute(textWorkerUrl), { name: 'text', lockdown: true }),
    startModelWorker: () => startWorker<ModelWorkerApi>(absolute(modelWorkerUrl), { name: 'model' }),
    startSecondWorker: () => startWorker<SecondOpinionApi>(absolute(secondWorkerUrl), { name: 'second opinion' }),
    openStore: (hooks) => openStore(hooks),
  }),
)
