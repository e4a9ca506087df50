/** Entry of the data worker: everything that parses untrusted data files. Started locked down; see rpc/bootstrap.ts. */
import { DataEngine } from '../src/data/stream/data-engine.ts'
import type { DataWorkerApi } from '../src/rpc/data-api.ts'
import { exposeWorker } from '../src/rpc/expose.ts'
import { moving } from '../src/rpc/transfer.ts'

const api: DataWorkerApi = new DataEngine(moving)

exposeWorker(api)
