import { integer, integers } from '../../onnx/nodes.ts'
import type { Architecture, Weight } from '../architecture.ts'
import { floats, halfOf, halves, quantised, times, turned, widen, type Context } from './linear-parts.ts'
import { bitsOf, blockSize, storageOf, type Storage } from './numbers.ts'

/** float32 [S, hidden size] of `input_ids`, with what positions add. A tied embedding is read in the form that the head is stored in, so that it is in the file once. */
export function embed(context: Context, { embedding, embeddingMultiplier, hiddenSize, isTied, positionEmbedding }: Architecture): string {
  const { builder, numbers } = context
  const storage = storageOf(context.blocksOf, embedding, isTied ? numbers.projection : numbers.embedding)
  const rows = context.sharesTable ? gatherTurned(context, embedding, 'input_ids') : gather(context, embedding, 'input_ids', storage)
  const tokens = times(context, rows, embeddingMultiplier)
  const placed =
    positionEmbedding === null
      ? tokens
      : builder.add('Add', [tokens, gather(context, positionEmbedding, 'position_ids', numbers.activation)])
  return builder.reshape(placed, -1, hiddenSize)
}

/** float32 [1, S, columns]: the rows of a table that `ids`, [1, S], name. A table of 16 bits stays so, since widening its rows loses nothing. */
function gather(context: Context, table: Weight, ids: string, storage: Storage): string {
  const { builder, numbers } = context
  const bits = bitsOf(storage)
  if (bits === null) {
    const half = numbers.activation === 'float32' ? halfOf(context, table) : null
    if (half !== null) return builder.cast(builder.add('Gather', [halves(context, table, half), ids], [integer('axis', 0)]), 'float32')
    return widen(context, builder.add('Gather', [floats(context, table, numbers.activation), ids], [integer('axis', 0)]))
  }
  return dequantised(context, table, ids, bits)
}

/** The same of a table that stands with columns first, [columns, rows]. */
function gatherTurned(context: Context, table: Weight, ids: string): string {
  const { builder } = context
  const taken = builder.add('Gather', [turned(context, table), ids], [integer('axis', 1)])
  return builder.add('Transpose', [taken], [integers('perm', [1, 2, 0])])
}

/**
 * Rows of blocks, unpacked by plain operators: com.microsoft.GatherBlockQuantized does the same, but the build of onnxruntime-web 1.30 that WebGPU needs has no kernel of it for the
 * CPU, on which its self-check runs. Bytes are numbers of 8 bits, or hold an even value in the low half and the odd one in the high.
 */
function dequantised(context: Context, table: Weight, ids: string, bits: 4 | 8): string {
  const { builder } = context
  const columns = table.columns ?? 1
  const count = Math.ceil(columns / blockSize)
  const { blocks, scales } = quantised(context, table, bits)
  // The same bytes as a product reads, in the shape of a table.
  const data = builder.again(blocks, `${blocks}.rows`, [table.rows, (count * blockSize * bits) / 8])
  const rowScales = builder.again(scales, `${scales}.rows`, [table.rows, count])
  const taken = (name: string): string => builder.add('Gather', [name, ids], [integer('axis', 0)])
  const bytes = builder.cast(taken(data), 'float32')
  const values = builder.reshape(bits === 8 ? bytes : nibbles(context, bytes), -1, count, blockSize)
  const centred = builder.add('Sub', [values, builder.float(2 ** (bits - 1))])
  const scaled = builder.add('Mul', [centred, builder.reshape(widen(context, taken(rowScales)), -1, count, 1)])
  const rows = builder.reshape(scaled, 1, -1, count * blockSize)
  return columns % blockSize === 0 ? rows : builder.add('Slice', [rows, ...[0, columns, 2].map((one) => builder.integers(one))])
}

/** Low and high half of each byte, one behind the other, as numbers. */
function nibbles({ builder }: Context, bytes: string): string {
  const high = builder.add('Floor', [builder.add('Mul', [bytes, builder.float(1 / 16)])])
  const low = builder.add('Sub', [bytes, builder.add('Mul', [high, builder.float(16)])])
  const last = builder.integers(-1)
  return builder.add(
    'Concat',
    [low, high].map((one) => builder.add('Unsqueeze', [one, last])),
    [integer('axis', -1)],
  )
}
