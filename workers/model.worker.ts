/** Entry of the model worker: one engine, one queue of runs. */
import { ModelEngine } from '../src/engines/engine.ts'
import { loadOrt } from '../src/engines/ort.ts'
import type { ModelWorkerApi } from '../src/rpc/model-worker-api.ts'
import { exposeWorker, tellDoing } from '../src/rpc/expose.ts'

// Browsers without WebGPU have no `gpu` there, whatever the types say.
const gpu: GPU | undefined = navigator.gpu
const api: ModelWorkerApi = new ModelEngine({ loadOrt, gpu, tellDoing: tellDoing() })

exposeWorker(api)
