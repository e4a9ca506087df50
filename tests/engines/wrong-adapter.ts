/** A WebGPU that isn't one: real WASM behind it, with logits, or log-probabilities of a rewritten graph, falsified as a test says. */
import type { InferenceSession } from 'onnxruntime-common'
import type { EngineHost } from '../../src/engines/opening.ts'
import { scoringNames } from '../../src/onnx/scoring-names.ts'
import type { OrtRuntime } from '../../src/engines/ort.ts'
import { loadNodeOrt } from './node-runtime.ts'

/** A host with a hardware-looking adapter whose logits or log-probabilities are changed by `falsify(values, tokens of the run)`. */
export function hostWithAdapter(falsify: (logits: Float32Array, runTokens: number) => void): EngineHost {
  const adapter = {
    info: { vendor: 'acme', architecture: 'one', device: '', description: '', isFallbackAdapter: false },
    features: new Set(['shader-f16']),
    limits: { maxBufferSize: 2 ** 31, maxStorageBufferBindingSize: 2 ** 31 },
  }
  // The engine asks a GPU for nothing else.
  const gpu = { requestAdapter: async () => adapter } as unknown as GPU
  return { gpu, loadOrt: async (provider) => (provider === 'wasm' ? loadNodeOrt() : falsifying(await loadNodeOrt(), falsify)) }
}

function falsifying(runtime: OrtRuntime, falsify: (logits: Float32Array, runTokens: number) => void): OrtRuntime {
  const create = async (graph: Uint8Array, options: InferenceSession.SessionOptions): Promise<InferenceSession> => {
    const { preferredOutputLocation: _, ...rest } = options
    const isWasm = rest.executionProviders?.includes('wasm') ?? false
    const session = await runtime.api.InferenceSession.create(graph, { ...rest, executionProviders: ['wasm'] })
    return isWasm ? session : wrap(session, falsify)
  }
  // The engine calls only this overload of `create`.
  const InferenceSession = { create } as unknown as OrtRuntime['api']['InferenceSession']
  return { ...runtime, build: 'asyncify', api: { ...runtime.api, InferenceSession, Tensor: runtime.api.Tensor } }
}

function wrap(session: InferenceSession, falsify: (logits: Float32Array, runTokens: number) => void): InferenceSession {
  const run = async (feeds: InferenceSession.FeedsType, fetches: readonly string[]) => {
    const outputs = await session.run(feeds, fetches)
    const runTokens = feeds.input_ids?.dims[1] ?? 0
    for (const name of ['logits', scoringNames.logprobs]) {
      const values = outputs[name]?.data
      if (values instanceof Float32Array) falsify(values, runTokens)
    }
    return outputs
  }
  // Running and releasing are all that the engine does with a session.
  return { run, release: async () => session.release() } as unknown as InferenceSession
}
