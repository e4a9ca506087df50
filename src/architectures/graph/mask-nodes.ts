import { integer } from '../../onnx/nodes.ts'
import type { GraphBuilder } from './graph-builder.ts'

/** Lowest number of 16 bits, which casts keep: a score with it added gets no weight. */
const lowest = -65504

/**
 * What the reference form adds to scores, float32 [S, T]: each token sees those before it and itself, `localBias` the last `window` of them, and none that `attention_mask`
 * leaves out. Tokens count by their places in cache and pass, as in transformers 4.57.6 (masking_utils.py).
 */
export function causalBias(builder: GraphBuilder, window: number | null): { readonly bias: string; readonly localBias: string } {
  const length = (name: string): string =>
    builder.add('Squeeze', [builder.add('Shape', [name], [integer('start', 1), integer('end', 2)]), builder.integers(0)])
  const one = builder.add('Squeeze', [builder.integers(1), builder.integers(0)])
  const none = builder.add('Squeeze', [builder.integers(0), builder.integers(0)])
  const total = length('attention_mask')
  const keys = builder.add('Range', [none, total, one])
  const first = builder.add('Sub', [total, length('input_ids')])
  const queries = builder.add('Unsqueeze', [builder.add('Range', [first, total, one]), builder.integers(1)])
  const shown = builder.cast('attention_mask', 'bool')
  const before = builder.add('And', [builder.add('LessOrEqual', [keys, queries]), shown])
  const biasOf = (sees: string): string => builder.add('Where', [sees, builder.float(0), builder.float(lowest)])
  if (window === null) return { bias: biasOf(before), localBias: '' }
  const near = builder.add('Greater', [keys, builder.add('Sub', [queries, builder.integers(window)])])
  return { bias: biasOf(before), localBias: biasOf(builder.add('And', [before, near])) }
}

/** What GroupQueryAttention is told of lengths: of cache and pass together less one, int32 [1], and that itself, int32. */
export function lengthsOf(builder: GraphBuilder): { readonly last: string; readonly total: string } {
  const total = builder.cast(builder.add('Shape', ['attention_mask'], [integer('start', 1), integer('end', 2)]), 'int32')
  const one = builder.cast(builder.integers(1), 'int32')
  return { last: builder.add('Sub', [total, one]), total: builder.add('Squeeze', [total, builder.integers(0)]) }
}
