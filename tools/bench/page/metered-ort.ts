/** ONNX Runtime with every run of its sessions counted and timed, the same for all arms. */
import type { InferenceSession, Tensor } from 'onnxruntime-common'
import type { OrtRuntime } from '../../../src/engines/ort.ts'
import type { Usage } from './arm-api.ts'

/** Counts since the last `reset`. */
export class Meter {
  #counts = { engineMs: 0, runs: 0, tokens: 0, rows: 0, bytesReadBack: 0 }

  reset(): void {
    this.#counts = { engineMs: 0, runs: 0, tokens: 0, rows: 0, bytesReadBack: 0 }
  }

  read(): Omit<Usage, 'ms'> {
    return { ...this.#counts }
  }

  /** A run that took `milliseconds`. */
  count(feeds: InferenceSession.OnnxValueMapType, outputs: InferenceSession.OnnxValueMapType, milliseconds: number): void {
    const counts = this.#counts
    counts.engineMs += milliseconds
    counts.runs += 1
    counts.tokens += feeds['input_ids']?.size ?? 0
    for (const [name, tensor] of Object.entries(outputs)) {
      if (name.startsWith('present') || tensor.location !== 'cpu') continue
      counts.bytesReadBack += bytesOf(tensor)
      const [, rows = 0] = tensor.dims
      if (name === 'logits') counts.rows += (tensor.dims[0] ?? 1) * rows
    }
  }
}

/** The runtime with metered sessions. `prepare` may change a session's bytes and options before it is opened. */
export function metered(
  runtime: OrtRuntime,
  meter: Meter,
  prepare: (graph: Uint8Array, options: InferenceSession.SessionOptions) => InferenceSession.SessionOptions = (_graph, options) => options,
): OrtRuntime {
  const create = async (graph: Uint8Array, options: InferenceSession.SessionOptions = {}): Promise<InferenceSession> => {
    const session = await runtime.api.InferenceSession.create(graph, prepare(graph, options))
    const run = session.run.bind(session) as Run // Overloads; ours is called with what they take.
    const meteredRun: Run = async (feeds, ...rest) => {
      const start = performance.now()
      const outputs = await run(feeds, ...rest)
      meter.count(feeds, outputs, performance.now() - start)
      return outputs
    }
    return Object.assign(session, { run: meteredRun })
  }
  // Only this form of `create` is called: by our sessions and by transformers.js.
  const InferenceSession = { create } as OrtRuntime['api']['InferenceSession']
  return { ...runtime, api: { ...runtime.api, InferenceSession } }
}

type Run = (
  feeds: InferenceSession.OnnxValueMapType,
  fetches?: InferenceSession.FetchesType,
  options?: InferenceSession.RunOptions,
) => Promise<InferenceSession.OnnxValueMapType>

function bytesOf(tensor: Tensor): number {
  const { data } = tensor
  return ArrayBuffer.isView(data) ? data.byteLength : 0
}
