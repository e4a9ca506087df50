/** What the run service is given by its worker. */
import type { EvalError } from '../../base/errors.ts'
import type { ModelWorkerApi } from '../../rpc/apis.ts'
import type { DataWorkerApi } from '../../rpc/data-api.ts'
import type { WorkerHandle } from '../../rpc/handle.ts'
import type { TaskStudyApi } from '../../rpc/task-study-api.ts'
import type { TextWorkerApi } from '../../rpc/text-api.ts'
import type { Store } from '../../storage/store.ts'

export interface ServiceOptions {
  /** Address of the page's folder, with a slash at its end. */
  readonly pageBase: string
  readonly app: { readonly version: string; readonly build: string }
  readonly startDataWorker: () => WorkerHandle<DataWorkerApi>
  readonly startTextWorker: () => WorkerHandle<TextWorkerApi & TaskStudyApi>
  readonly startModelWorker: () => WorkerHandle<ModelWorkerApi>
  readonly openStore: (hooks: {
    readonly whenIdle: () => Promise<void>
    readonly onOutdated: (reason: EvalError) => void
  }) => Promise<Store>
}
