import type { InferenceSession } from 'onnxruntime-common'
import { writeNode } from '../onnx/model-graph.ts'
import { bytesField, integerField, joinBytes } from '../onnx/wire.ts'
import type { OrtRuntime } from './ort.ts'

/**
 * Keeps the WebGPU device alive between two sessions: ONNX Runtime destroys it with the last one, and a worker gets no second. What is given back must be
 * released once the next session is open.
 */
export async function holdDevice(runtime: OrtRuntime): Promise<InferenceSession> {
  return runtime.api.InferenceSession.create(smallestModel(), { executionProviders: ['webgpu'], logSeverityLevel: 3 })
}

/** y = x: a model (IR 8, operator set 17) without weights. */
function smallestModel(): Uint8Array {
  const port = (name: string): Uint8Array => {
    const shape = bytesField(2, bytesField(1, integerField(1, 1)))
    return joinBytes([bytesField(1, name), bytesField(2, bytesField(1, joinBytes([integerField(1, 1), shape])))])
  }
  const node = writeNode({ type: 'Identity', name: 'hold', domain: '', inputs: ['x'], outputs: ['y'], attributes: [] })
  const graph = joinBytes([bytesField(1, node), bytesField(2, 'hold'), bytesField(11, port('x')), bytesField(12, port('y'))])
  return joinBytes([integerField(1, 8), bytesField(7, graph), bytesField(8, joinBytes([bytesField(1, ''), integerField(2, 17)]))])
}
