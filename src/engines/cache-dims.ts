import { EvalError } from '../core/errors.ts'
import type { TensorFact } from './graph-facts.ts'
import type { DecoderConfig } from './model-config.ts'

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
