/** Entry of the second opinion's worker: transformers.js, loaded when somebody asks for it. */
import { loadOrt } from '../src/engines/ort.ts'
import { exposeWorker } from '../src/rpc/expose.ts'
import type { SecondOpinionApi } from '../src/rpc/second-opinion-api.ts'
import { TransformersScorer } from '../src/second-opinion/transformers-scorer.ts'

const scorer: SecondOpinionApi = new TransformersScorer(loadOrt)

exposeWorker(scorer)
