import { EvalError } from '../../base/errors.ts'
import type { GraphFacts, TensorFact } from './graph-facts.ts'
import type { DecoderConfig } from './model-config.ts'

/** Architectures whose graphs carry convolution states besides keys and values, and are held to Python's scores (tests/goldens/matrix). */
const convolving: readonly string[] = ['Lfm2ForCausalLM']

/** Values of one state, which the page makes as zeros: LFM2's largest has 6,144. */
const largestState = 2 ** 22

/** Shape of a cache input before the first token: no keys and values, or a convolution's state, which is zeros then. Throws as `cacheDims`. */
export function startDims(input: TensorFact, config: DecoderConfig): readonly number[] {
  return convolutionDims(input, config) ?? cacheDims(input, config)
}

/** [1, channels, tokens that the convolution reaches back]; null where the input is no such state. Throws `model/unsupported` for a size that no model has. Source: transformers.js 4.3.1, src/configs.js (names). */
function convolutionDims({ name, dims }: TensorFact, { architecture }: DecoderConfig): [number, number, number] | null {
  const [, channels, tokens] = dims
  const isState = convolving.includes(architecture) && /^past_conv\.\d+$/.test(name) && dims.length === 3
  if (!isState || typeof channels !== 'number' || typeof tokens !== 'number') return null
  if (!(channels > 0 && tokens > 0 && channels * tokens <= largestState))
    throw new EvalError(
      'model/unsupported',
      `wanted a convolution state of 1 to ${largestState} values, found "${name}" of shape [${dims.map(String).join(', ')}]`,
    )
  return [1, channels, tokens]
}

/** The past is keys and values alone, which can be cut to fewer tokens and continued by several texts. */
export function hasKeysAlone(graph: Pick<GraphFacts, 'cache'>): boolean {
  return graph.cache.every(({ past }) => past.dims.length === 4)
}

/** Shape of an empty cache input. Throws `model/unsupported` for what are no keys and values, and when neither the graph nor config.json tells a size. */
export function cacheDims(input: TensorFact, config: DecoderConfig): [number, number, number, number] {
  const [, heads, , headSize] = input.dims
  const known = [typeof heads === 'number' ? heads : config.keyValueHeads, typeof headSize === 'number' ? headSize : config.headSize]
  const [rows, columns] = known
  if (input.dims.length !== 4)
    throw new EvalError(
      'model/unsupported',
      `wanted a graph that goes on from keys and values alone, found the input "${input.name}" of shape [${input.dims.map(String).join(', ')}]: a state of another kind, such as a convolution's or a state space's, which can't be scored here`,
    )
  if (rows === null || rows === undefined || columns === null || columns === undefined) {
    throw new EvalError(
      'model/unsupported',
      `wanted the shape [batch, heads, tokens, head size] of "${input.name}", found [${input.dims.map(String).join(', ')}] and no sizes in config.json`,
    )
  }
  return [1, rows, 0, columns]
}
