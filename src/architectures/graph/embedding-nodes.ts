import { integer } from '../../onnx/nodes.ts'
import type { Architecture } from '../architecture.ts'
import { microsoft } from './graph-builder.ts'
import { floats, quantised, times, type Context } from './linear-parts.ts'
import { bitsOf, blockSize } from './numbers.ts'

/** float32 [1, S, hidden size] of `input_ids`, with what positions add. */
export function embed(context: Context, { embedding, embeddingMultiplier, isTied, positionEmbedding }: Architecture): string {
  const { builder } = context
  const tokens = times(context, isTied ? sharedRows(context, embedding) : storedRows(context, embedding, 'input_ids'), embeddingMultiplier)
  return positionEmbedding === null ? tokens : builder.add('Add', [tokens, storedRows(context, positionEmbedding, 'position_ids')])
}

function storedRows(context: Context, table: Architecture['embedding'], ids: string): string {
  const { builder, numbers } = context
  const rows = builder.add('Gather', [floats(context, table, numbers.embedding), ids], [integer('axis', 0)])
  return numbers.embedding === 'float16' ? builder.cast(rows, 'float32') : rows
}

/** Rows of the head itself, in the form that it is stored in, so that it is in memory once. */
function sharedRows(context: Context, table: Architecture['embedding']): string {
  const { builder, numbers } = context
  const bits = bitsOf(numbers.projection)
  const columns = table.columns ?? 1
  if (bits === null) {
    const rows = builder.add('Gather', [floats(context, table, numbers.activation), 'input_ids'], [integer('axis', 0)])
    return numbers.activation === 'float16' ? builder.cast(rows, 'float32') : rows
  }
  const { blocks, scales } = quantised(context, table, bits)
  const count = Math.ceil(columns / blockSize)
  const data = builder.again(blocks, `${blocks}.rows`, [table.rows, (count * blockSize * bits) / 8])
  const rowScales = builder.again(scales, `${scales}.rows`, [table.rows, count])
  const attributes = { bits, block_size: blockSize, gather_axis: 0, quantize_axis: 1 }
  const rows = builder.add(
    'GatherBlockQuantized',
    [data, 'input_ids', rowScales],
    Object.entries(attributes).map(([name, value]) => integer(name, value)),
    microsoft,
  )
  const whole = columns % blockSize === 0 ? rows : builder.add('Slice', [rows, ...[0, columns, 2].map((one) => builder.integers(one))])
  return numbers.activation === 'float16' ? builder.cast(whole, 'float32') : whole
}
