/** Products with weights, norms and activations, as nodes. */
import { float, integer } from '../../onnx/nodes.ts'
import type { Activation, Norm, Projection, Weight } from '../architecture.ts'
import { microsoft, type GraphBuilder } from './graph-builder.ts'
import type { HalfType } from '../weight-plan.ts'
import { bitsOf, blockSize, storageOf, type BlocksOf, type HalfOf, type Numbers, type Storage } from './numbers.ts'

/** What all parts of a graph are made with. */
export interface Context {
  readonly builder: GraphBuilder
  readonly numbers: Numbers
  /** Blocks that the checkpoint has; null where all weights are made in the same way. */
  readonly blocksOf: BlocksOf | null
  /** The 16 bits in which the checkpoint has a table whose rows are looked up, and the graph too; null where tables are what activations are. */
  readonly halfOf: HalfOf | null
  /** A float32 embedding that is the head too is one weight. */
  readonly sharesTable: boolean
  /** Ropes that have tables, as text. */
  readonly ropes: string[]
}

/** Name of a weight: its tensor's, and the place where it is only a part of it. */
function nameOf({ pieces: [piece], rows, columns }: Weight): string {
  if (piece === undefined) return 'none'
  const { tensor, shape, isTransposed, from } = piece
  const outer = columns === null || isTransposed ? shape.slice(-1) : shape.slice(0, -1)
  return outer.reduce((product, size) => product * size, 1) === rows ? tensor : `${tensor}[${from}]`
}

/** The float weight as [rows, columns], [rows], or as `shape` says. */
export function floats(
  { builder }: Context,
  source: Weight,
  type: 'float32' | 'float16',
  { shape, add = 0 }: { readonly shape?: readonly number[]; readonly add?: 0 | 1 } = {},
): string {
  const dims = source.columns === null ? [source.rows] : [source.rows, source.columns]
  return builder.weight(nameOf(source), { kind: 'values', source, add }, type, shape ?? dims)
}

/** The 16 bits in which a table is looked up; null where it is in another type, or put together of several tensors. */
export function halfOf(context: Context, { pieces: [piece, ...others] }: Weight): HalfType | null {
  return piece === undefined || others.length > 0 ? null : (context.halfOf?.(piece.tensor) ?? null)
}

/** A table in the 16 bits that the checkpoint has it in, [rows, columns]: apart from the same weight as a product reads it. */
export function halves({ builder }: Context, source: Weight, type: HalfType): string {
  return builder.weight(`${nameOf(source)}.table`, { kind: 'values', source, add: 0 }, type, [source.rows, source.columns ?? 1])
}

/** The table of tokens as [columns, rows], which an embedding and a head can both read; see `sharesTable`. */
export function turned({ builder }: Context, source: Weight): string {
  const make = { kind: 'values', source, add: 0, isTurned: true } as const
  return builder.unarranged(`${nameOf(source)}.turned`, make, 'float32', [source.columns ?? 1, source.rows])
}

/** Names of a quantised matrix's blocks [rows, blocks of a row, bytes of a block] and scales [rows · blocks of a row]. */
export function quantised(context: Context, source: Weight, bits: 4 | 8): { readonly blocks: string; readonly scales: string } {
  const { builder, numbers } = context
  const name = nameOf(source)
  const count = Math.ceil((source.columns ?? 1) / blockSize)
  const isStored = context.blocksOf?.(source.pieces[0]?.tensor ?? '') === bits
  const make = { kind: 'quantised', bits, block: blockSize, isStored, source } as const
  return {
    blocks: builder.weight(`${name}.q${bits}`, { ...make, part: 'blocks' }, 'uint8', [source.rows, count, (blockSize * bits) / 8]),
    scales: builder.weight(`${name}.scales`, { ...make, part: 'scales' }, numbers.activation, [source.rows * count]),
  }
}

/** x Wᵀ + b in the type of activations: `x` [n, inputs] to [n, outputs]. Gemm takes a weight as checkpoints have it, on WASM and WebGPU. */
export function project(context: Context, x: string, { weight, bias }: Projection, as?: Storage): string {
  const { builder, numbers, blocksOf } = context
  const storage = as ?? storageOf(blocksOf, weight, numbers.projection)
  const added = bias === null ? [] : [floats(context, bias, numbers.activation)]
  const bits = bitsOf(storage)
  if (bits === null) return builder.add('Gemm', [x, floats(context, weight, numbers.activation), ...added], [integer('transB', 1)])
  const { blocks, scales } = quantised(context, weight, bits)
  // Level 1: activations stay float32, where an engine would else round them to 8 bits.
  const sizes = { K: weight.columns ?? 1, N: weight.rows, bits, block_size: blockSize, accuracy_level: 1 }
  const product = builder.add(
    'MatMulNBits',
    [x, blocks, scales],
    Object.entries(sizes).map(([name, value]) => integer(name, value)),
    microsoft,
  )
  return bias === null ? product : builder.add('Add', [product, ...added])
}

/** The norm of float32 `x` over its last dimension, float32. */
export function normalise(context: Context, x: string, { kind, weight, bias, epsilon, offset }: Norm): string {
  const inputs = [weight, ...(bias === null ? [] : [bias])].map((one) => floats(context, one, 'float32', { add: offset }))
  return context.builder.add(
    kind === 'rms' ? 'SimplifiedLayerNormalization' : 'LayerNormalization',
    [x, ...inputs],
    [integer('axis', -1), float('epsilon', epsilon), integer('stash_type', 1)],
  )
}

export function activate({ builder }: Context, x: string, activation: Activation): string {
  switch (activation) {
    case 'silu':
      return builder.add('QuickGelu', [x], [float('alpha', 1)], microsoft)
    case 'gelu':
      return builder.add('Gelu', [x], [], microsoft)
    case 'gelu-tanh':
      return builder.add('FastGelu', [x], [], microsoft)
    case 'relu':
      return builder.add('Relu', [x])
  }
}

/** In the type of activations, from float32. */
export function narrow({ builder, numbers }: Context, x: string): string {
  return numbers.activation === 'float16' ? builder.cast(x, 'float16') : x
}

/** In float32, from the type of activations. */
export function widen({ builder, numbers }: Context, x: string): string {
  return numbers.activation === 'float16' ? builder.cast(x, 'float32') : x
}

/** `x` times a number, itself where that is one; float32. */
export function times({ builder }: Context, x: string, factor: number): string {
  return factor === 1 ? x : builder.add('Mul', [x, builder.float(factor)])
}

/** cap · tanh(x / cap), float32; `x` itself where there is no cap. */
export function softcap({ builder }: Context, x: string, cap: number | null): string {
  if (cap === null) return x
  const scaled = builder.add('Div', [x, builder.float(cap)])
  return builder.add('Mul', [builder.add('Tanh', [scaled]), builder.float(cap)])
}
