/** What the run service is given by its worker. */
import type { EvalError } from '../../base/errors.ts'
import type { DataWorkerApi } from '../../rpc/data-api.ts'
import type { WorkerHandle } from '../../rpc/handle.ts'
import type { ModelWorkerApi } from '../../rpc/model-worker-api.ts'
import type { SecondOpinionApi } from '../../rpc/second-opinion-api.ts'
import type { TaskPreviewApi } from '../../rpc/task-preview-api.ts'
import type { TextWorkerApi } from '../../rpc/text-api.ts'
import type { Store } from '../../storage/store.ts'

export interface ServiceOptions {
  /** Address of the page's folder, with a slash at its end. */
  readonly pageBase: string
  readonly app: { readonly version: string; readonly build: string }
  readonly startDataWorker: () => WorkerHandle<DataWorkerApi>
  readonly startTextWorker: () => WorkerHandle<TextWorkerApi & TaskPreviewApi>
  readonly startModelWorker: () => WorkerHandle<ModelWorkerApi>
  readonly startSecondWorker: () => WorkerHandle<SecondOpinionApi>
  readonly openStore: (hooks: {
    readonly whenIdle: () => Promise<void>
    readonly onOutdated: (reason: EvalError) => void
  }) => Promise<Store>
}
