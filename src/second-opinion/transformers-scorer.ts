/** transformers.js as its users call it: `AutoModelForCausalLM`, one forward pass a prompt, every row of logits in JavaScript. */
import { EvalError } from '../base/errors.ts'
import type { ForwardItem } from '../contracts/items.ts'
import { readGraphFacts } from '../engines/graph/graph-facts.ts'
import { moveWeightsOut } from '../engines/graph-rewriting/external-weights.ts'
import { fileBytes } from '../engines/graph/model-file.ts'
import type { OrtLoader } from '../engines/ort.ts'
import type { ExportedPayload } from '../rpc/model-worker-api.ts'
import type { SecondAnswer, SecondOpinionApi, SecondOptions } from '../rpc/second-opinion-api.ts'
import { tokenLogProbabilities } from './token-log-probabilities.ts'

/** Where transformers.js believes its files to be; nothing is ever asked for there. */
const nowhere = 'https://files.invalid/'

interface LogitsTensor {
  readonly data: unknown
  readonly dims: readonly number[]
  readonly location: string
  dispose(): void
}

/** What a decoder gives: the logits and one tensor a cache slot. */
interface Outputs {
  readonly [name: string]: LogitsTensor
}

type Forward = (inputs: { readonly [name: string]: unknown }) => Promise<Outputs>

interface Opened {
  readonly forward: Forward
  readonly integers: (values: readonly number[]) => unknown
  readonly passTokens: number | null
}

/**
 * The model's own file on transformers.js. Of our engine it shares the copy of ONNX Runtime, which is loaded already, and the names of the
 * graph's ports; inputs, positions, cache and the sums over the logits are its own.
 */
export class TransformersScorer implements SecondOpinionApi {
  readonly #loadOrt: OrtLoader
  #opened: Opened | null = null

  constructor(loadOrt: OrtLoader) {
    this.#loadOrt = loadOrt
  }

  async open(model: ExportedPayload, { device, dtype, passTokens }: SecondOptions): Promise<string> {
    const runtime = await this.#loadOrt(device, null)
    // transformers.js takes the runtime that it finds here before it loads, and then leaves the choice of a device to the session's options.
    Object.defineProperty(globalThis, Symbol.for('onnxruntime'), { value: runtime.api })
    const { AutoModelForCausalLM, Tensor, env } = await import('@huggingface/transformers')
    env.allowLocalModels = false
    env.remoteHost = nowhere
    env.remotePathTemplate = '{model}/'
    env.useBrowserCache = false
    env.useWasmCache = false
    env.fetch = async (address: string | URL) => answer(new URL(address), model)
    // WGSL promises sin and cos to 2^-11 only: with rotary angles on the GPU any stack is off, so they stay where our engine has them.
    const { cache, rotaryNodes } = readGraphFacts(moveWeightsOut(fileBytes(model.graph)).graph)
    try {
      const decoder = await AutoModelForCausalLM.from_pretrained('model', {
        // Any dtype: its name is a transformers.js one, which the types list.
        dtype: dtype as 'q4',
        device: 'auto',
        use_external_data_format: false,
        session_options: {
          executionProviders: [
            device === 'webgpu' && rotaryNodes.length > 0 ? { name: device, forceCpuNodeNames: [...rotaryNodes] } : device,
          ],
          logSeverityLevel: 3,
          externalData: await Promise.all(model.externalData.map(async ({ path, bytes }) => ({ path, data: await bytesOf(bytes) }))),
          ...(device === 'webgpu'
            ? { preferredOutputLocation: Object.fromEntries(cache.map(({ present }) => [present, 'gpu-buffer' as const])) }
            : {}),
        },
      })
      this.#opened = {
        // Its types say no more than `any`.
        forward: async (inputs) => (await decoder.forward(inputs)) as Outputs,
        integers: (values) => new Tensor('int64', BigInt64Array.from(values, BigInt), [1, values.length]),
        passTokens,
      }
    } catch (error) {
      throw new EvalError('model/unsupported', `transformers.js doesn't open this model: ${messageOf(error)}`, { cause: error })
    }
    return `transformers.js ${env.version} on onnxruntime-web ${runtime.version} (${runtime.build})`
  }

  async score({ input, targets }: ForwardItem): Promise<SecondAnswer> {
    if (this.#opened === null) throw new EvalError('internal', 'no model is open for a second opinion')
    const begin = performance.now()
    const rows = await this.#logits(this.#opened, Array.from(input))
    const milliseconds = performance.now() - begin
    return { tokenLogprobs: targets.map((target) => tokenLogProbabilities(target, rows)), milliseconds }
  }

  /** The logits of every row, piece by piece. */
  async #logits({ forward, integers, passTokens }: Opened, input: readonly number[]): Promise<readonly Float32Array[]> {
    const rows: Float32Array[] = []
    const step = passTokens ?? input.length
    let past: Outputs | null = null
    for (let start = 0; start < input.length; start += step) {
      const end = Math.min(input.length, start + step)
      const outputs: Outputs = await forward({
        input_ids: integers(input.slice(start, end)),
        attention_mask: integers(input.slice(0, end).map(() => 1)),
        ...(past === null ? {} : { past_key_values: past }),
      }).catch((error: unknown) => {
        throw new EvalError('engine/failed', `transformers.js failed on a prompt of ${input.length} tokens: ${messageOf(error)}`, {
          cause: error,
        })
      })
      const { logits, ...cache } = outputs
      const [, count = 0, width = 0] = logits?.dims ?? []
      if (!(logits?.data instanceof Float32Array)) throw new EvalError('engine/failed', 'transformers.js gave no float32 logits')
      for (let row = 0; row < count; row++) rows.push(logits.data.subarray(row * width, (row + 1) * width))
      dispose(past)
      past = Object.fromEntries(Object.entries(cache).map(([name, tensor]) => [name.replace('present', 'past_key_values'), tensor]))
    }
    dispose(past)
    return rows
  }
}

function dispose(tensors: Outputs | null): void {
  for (const tensor of Object.values(tensors ?? {})) if (tensor.location === 'gpu-buffer') tensor.dispose()
}

/** The files that transformers.js asks for, out of what the run itself had. */
function answer({ pathname }: URL, model: ExportedPayload): Response {
  if (pathname.endsWith('/config.json')) return new Response(model.config)
  // A Response takes bytes as well; the type of those here leaves open what memory they are in.
  if (pathname.endsWith('.onnx')) return new Response(model.graph as Blob)
  return new Response(null, { status: 404 })
}

async function bytesOf(bytes: Blob | Uint8Array): Promise<Uint8Array> {
  return bytes instanceof Blob ? new Uint8Array(await bytes.arrayBuffer()) : bytes
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
