/** The arms that a transformers.js user would write: every row of logits comes to JavaScript, nothing is shared between runs. */
import type { InferenceSession } from 'onnxruntime-common'
import type { EngineFacts } from '../../../src/contracts/engine.ts'
import type { ModelEngine } from '../../../src/engines/engine.ts'
import { readGraphFacts, requireFloatActivations } from '../../../src/engines/graph/graph-facts.ts'
import { loadOrt } from '../../../src/engines/ort.ts'
import { logProbability, sumLogProbabilities, summariseRow } from '../../../src/engines/scoring/log-softmax.ts'
import type { SessionCounts } from '../../../src/contracts/model-session.ts'
import type { ArmModel, ArmOptions, PlainItem } from './arm-api.ts'
import { metered, type Meter } from './metered-ort.ts'

/** An open model of an arm; what it spends shows on its meter. */
export interface OpenArm {
  /** Of our engine. */
  readonly facts: EngineFacts | null
  /** Ours; absent for transformers.js. */
  readonly engine?: ModelEngine
  /** What the engine itself says that it ran so far. */
  counted?(): Promise<SessionCounts>
  score(items: readonly PlainItem[], prefixes: readonly number[]): Promise<readonly (readonly number[])[]>
  write(prompts: readonly (readonly number[])[], newTokens: number, prefixes: readonly number[]): Promise<readonly (readonly number[])[]>
}

/**
 * Opens the model with transformers.js, on the very copy of ONNX Runtime that our engine uses, with the session options that it uses.
 *
 * transformers.js takes a runtime from `Symbol.for('onnxruntime')` if it is there before it loads; it then offers no devices, so `auto` and
 * explicit execution providers it must be.
 */
export async function openTransformers(model: ArmModel, { device, threads }: ArmOptions, meter: Meter): Promise<OpenArm> {
  const plain = await loadOrt(device, threads)
  const runtime = metered(plain, meter, (graph, options) => sessionOptions(graph, options, device))
  Object.defineProperty(globalThis, Symbol.for('onnxruntime'), { value: runtime.api })
  const { AutoModelForCausalLM, Tensor, env } = await import('@huggingface/transformers')
  env.allowLocalModels = false
  env.allowRemoteModels = true
  env.remoteHost = `${self.location.origin}/`
  env.remotePathTemplate = `${model.hub}/{model}/`
  env.useBrowserCache = false
  env.useWasmCache = false
  // Any dtype: its name is a transformers.js one, which the types list.
  const dtype = model.dtype as 'q4'
  const decoder = await AutoModelForCausalLM.from_pretrained(model.folder, { dtype, device: 'auto' })
  const integers = (values: readonly number[]) => new Tensor('int64', BigInt64Array.from(values, BigInt), [1, values.length])
  const inputsOf = (tokens: readonly number[]) => ({ input_ids: integers(tokens), attention_mask: integers(tokens.map(() => 1)) })

  return {
    facts: null,
    async score(items) {
      const sums: number[][] = []
      for (const { input, targets } of items) {
        const outputs: unknown = await decoder.forward(inputsOf(input))
        // What a decoder gives: the logits and one tensor a cache slot.
        const { logits, ...cache } = outputs as { readonly [name: string]: OutputTensor }
        if (logits === undefined) throw new Error('the model gave no logits')
        sums.push(targets.map((target) => logProbabilityOf(target, logits)))
        for (const tensor of Object.values(cache)) if (tensor.location === 'gpu-buffer') tensor.dispose()
      }
      return sums
    },
    async write(prompts, newTokens) {
      const texts: (readonly number[])[] = []
      for (const prompt of prompts) {
        const generated = await decoder.generate({
          ...inputsOf(prompt),
          max_new_tokens: newTokens,
          do_sample: false,
          // The text goes on to its full length.
          eos_token_id: null,
        } as { readonly [name: string]: unknown })
        const ids = Array.from((generated as unknown as { readonly data: BigInt64Array }).data, Number)
        texts.push(ids.slice(prompt.length))
      }
      return texts
    },
  }
}

interface OutputTensor {
  readonly data: unknown
  readonly dims: readonly number[]
  readonly location: string
  dispose(): void
}

/** Sum over the target's tokens, read off the last rows. */
function logProbabilityOf(target: readonly number[], { data, dims }: OutputTensor): number {
  const [, rows = 0, vocabularySize = 0] = dims
  if (!(data instanceof Float32Array)) throw new Error('wanted float32 logits')
  const logprobs = target.map((token, at) => {
    const row = data.subarray((rows - target.length + at) * vocabularySize, (rows - target.length + at + 1) * vocabularySize)
    return logProbability(row[token] ?? NaN, summariseRow(row))
  })
  return sumLogProbabilities(Float32Array.from(logprobs))
}

/** As `openSession` of `src/engines/session.ts` makes them. */
function sessionOptions(
  graph: Uint8Array,
  given: InferenceSession.SessionOptions,
  device: ArmOptions['device'],
): InferenceSession.SessionOptions {
  const facts = readGraphFacts(graph)
  requireFloatActivations(graph, facts)
  if (device === 'wasm') return { ...given, executionProviders: ['wasm'], logSeverityLevel: 3 }
  const webgpu = { name: 'webgpu', ...(facts.rotaryNodes.length === 0 ? {} : { forceCpuNodeNames: [...facts.rotaryNodes] }) }
  return {
    ...given,
    executionProviders: [webgpu],
    logSeverityLevel: 3,
    preferredOutputLocation: Object.fromEntries(facts.cache.map((slot) => [slot.present, 'gpu-buffer' as const])),
  }
}
