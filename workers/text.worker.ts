/** Entry of the text worker: everything that reads text which strangers wrote. Started locked down; see rpc/bootstrap.ts. */
import { exposeWorker, tellSteps } from '../src/rpc/expose.ts'
import { TextEngine } from '../src/text/text-engine.ts'

exposeWorker(new TextEngine(tellSteps()))
