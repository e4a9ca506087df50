/** Entry of the text worker: everything that reads untrusted text. Started locked down; see rpc/bootstrap.ts. */
import { exposeWorker, tellSteps } from '../src/rpc/expose.ts'
import { TextWorker } from '../src/text-worker/text-worker.ts'

exposeWorker(new TextWorker(tellSteps()))
