/** Attention, as the operators that it consists of, which WASM computes faster than its fused kernel does (decision 0052), or by that kernel; and LFM2's short convolution. */
import { float, integer, integers } from '../../onnx/nodes.ts'
import { scoringNames } from '../../onnx/scoring-names.ts'
import type { Attention, Norm, Rope, ShortConvolution } from '../architecture.ts'
import { microsoft } from './graph-builder.ts'
import { floats, narrow, normalise, project, softcap, widen, type Context } from './linear-parts.ts'

/** What attention reads besides what its layer is given. */
export interface AttentionInputs {
  /** int64 [1, S]. */
  readonly positions: string
  /** To be added to scores: [1, 1, S, T], or [S, T]; float32, of the fused kernel in the type of activations. */
  readonly bias: string
  /** The same for layers that see a window. */
  readonly localBias: string
  /** What the fused kernel is told of lengths; null where attention is split. */
  readonly lengths: { readonly last: string; readonly total: string } | null
  /** Length of the rotary tables. */
  readonly tableRows: number
  /** Only the rows of `scoringNames.rows` are wanted of this layer: keys and values are made of all tokens, queries of these. */
  readonly rowsOnly: boolean
  /** How a pass is parted in groups of branches; null where no pass of the graph is. */
  readonly apart: ApartInputs | null
}

/** See `packingNames`. */
export interface ApartInputs {
  readonly isApart: string
  readonly slots: string
  readonly slotOf: string
  /** int64 [4]: G and ones, to which a cache is repeated. */
  readonly shape: string
  /** float32: of a pass in groups the biases are in groups too. */
  readonly rowBias: string
}

/** Mixed values, projected: [S, hidden size] in the type of activations, of float32 `x` of that shape. Its keys and values are those of layer `index`. */
export function attend(context: Context, x: string, attention: Attention, index: number, inputs: AttentionInputs): string {
  const { builder } = context
  const { heads, keyValueHeads, headSize, norms, rope } = attention
  const given = narrow(context, x)
  const ready = (name: string, count: number, norm: Norm | null, positions: string): string =>
    rotate(context, withNorm(context, name, norm, norms?.over === 'head' ? [-1, count, headSize] : null), count, {
      rope,
      headSize,
      positions,
      rows: inputs.tableRows,
    })
  const isSplit = inputs.lengths === null
  const chosen = (name: string, axis: number): string =>
    inputs.rowsOnly ? builder.add('Gather', [name, scoringNames.rows], [integer('axis', axis)]) : name
  const own = (name: string, axis: number): string => (isSplit ? chosen(name, axis) : name)
  const queries = project(context, own(given, 0), attention.query)
  const parts: Parts = {
    query: ready(queries, heads, norms?.query ?? null, rope === null ? '' : own(inputs.positions, 1)),
    key: ready(project(context, given, attention.key), keyValueHeads, norms?.key ?? null, inputs.positions),
    value: builder.reshape(project(context, given, attention.value), 1, -1, keyValueHeads * headSize),
  }
  const bias = attention.window === null ? inputs.bias : inputs.localBias
  const mixed = isSplit
    ? inputs.rowsOnly
      ? splitAttention(context, attention, parts, index, inputs.apart?.rowBias ?? chosen(bias, -2), null)
      : splitAttention(context, attention, parts, index, bias, inputs.apart)
    : chosen(groupedAttention(context, attention, parts, index, bias, inputs.lengths), 1)
  return project(context, builder.reshape(mixed, -1, heads * headSize), attention.output)
}

/** Of the pass's tokens, [1, S, heads · head size]: queries, keys and values as they are multiplied and kept. */
interface Parts {
  readonly query: string
  readonly key: string
  readonly value: string
}

/** [1, rows, heads · head size]. */
function splitAttention(
  context: Context,
  attention: Attention,
  { query, key, value }: Parts,
  index: number,
  bias: string,
  apart: ApartInputs | null,
): string {
  const { builder } = context
  const { heads, keyValueHeads, headSize } = attention
  const grow = (name: string, part: string): string => {
    const [past, present] = stateNames(index, part)
    return builder.add('Concat', [past, byHead(context, name, keyValueHeads, headSize)], [integer('axis', 2)], '', present)
  }
  const keys = grow(key, 'key')
  const values = grow(value, 'value')
  const together = (): string =>
    builder.reshape(mix(context, attention, byHead(context, query, heads, headSize), keys, values, bias), 1, -1, heads * headSize)
  if (apart === null) return together()
  // Each group's tokens in its places, behind the cache that all groups see.
  const placed = (name: string, count: number): string =>
    byHead(
      context,
      builder.add('Gather', [builder.reshape(name, -1, count * headSize), apart.slots], [integer('axis', 0)]),
      count,
      headSize,
    )
  const behindPast = (name: string, part: string): string => {
    const [past] = stateNames(index, part)
    return builder.add('Concat', [builder.add('Expand', [past, apart.shape]), placed(name, keyValueHeads)], [integer('axis', 2)])
  }
  const inGroups = (): string => {
    const mixed = mix(context, attention, placed(query, heads), behindPast(key, 'key'), behindPast(value, 'value'), bias)
    const rows = builder.add('Gather', [builder.reshape(mixed, -1, heads * headSize), apart.slotOf], [integer('axis', 0)])
    return builder.reshape(rows, 1, -1, heads * headSize)
  }
  return builder.choose(apart.isApart, inGroups, together, context.numbers.activation, [1, `rows_${index}`, heads * headSize])
}

/** [G, count, L, head size] of [G, L, count · head size]. */
function byHead({ builder }: Context, name: string, count: number, headSize: number): string {
  return builder.add('Transpose', [builder.reshape(name, 0, -1, count, headSize)], [integers('perm', [0, 2, 1, 3])])
}

/** Values [G, L, heads, head size] as queries [G, heads, L, head size] weigh them. Keys and values: [G, heads that have them, tokens, head size]. */
function mix(
  context: Context,
  { heads, keyValueHeads, headSize, scale, softcap: cap }: Attention,
  queries: string,
  keys: string,
  values: string,
  bias: string,
): string {
  const { builder } = context
  // 0 copies a length. Heads that share keys stand below each other, so that keys are never repeated.
  const grouped = builder.reshape(queries, 0, keyValueHeads, -1, headSize)
  const products = builder.add(
    'FusedMatMul',
    [grouped, keys],
    [integer('transA', 0), integer('transB', 1), float('alpha', scale)],
    microsoft,
  )
  const scores = softcap(context, widen(context, products), cap)
  const masked = builder.add('Add', [builder.reshape(scores, 0, heads, -1, 0), bias])
  const weights = narrow(context, builder.add('Softmax', [masked], [integer('axis', -1)]))
  const mixed = builder.add('MatMul', [builder.reshape(weights, 0, keyValueHeads, -1, 0), values])
  return builder.add('Transpose', [builder.reshape(mixed, 0, heads, -1, headSize)], [integers('perm', [0, 2, 1, 3])])
}

/** [1, S, heads · head size] by com.microsoft.GroupQueryAttention, which takes what was rotated before. */
function groupedAttention(
  { builder }: Context,
  { heads, keyValueHeads, scale, softcap: cap }: Attention,
  { query, key, value }: Parts,
  index: number,
  bias: string,
  { last, total }: NonNullable<AttentionInputs['lengths']>,
): string {
  const [pastKey, presentKey] = stateNames(index, 'key')
  const [pastValue, presentValue] = stateNames(index, 'value')
  const attributes = [integer('num_heads', heads), integer('kv_num_heads', keyValueHeads), integer('do_rotary', 0), float('scale', scale)]
  return builder.addNamed(
    'GroupQueryAttention',
    [query, key, value, pastKey, pastValue, last, total, '', '', '', bias],
    [presentKey, presentValue],
    [...attributes, ...(cap === null ? [] : [float('softcap', cap)])],
    microsoft,
  )
}

function stateNames(index: number, part: string): readonly [past: string, present: string] {
  return [`past_key_values.${index}.${part}`, `present.${index}.${part}`]
}

/** `perHead`: the shape in which each head has its own norm. */
function withNorm(context: Context, x: string, norm: Norm | null, perHead: readonly number[] | null): string {
  if (norm === null) return x
  const { builder } = context
  const split = perHead === null ? x : builder.reshape(x, ...perHead)
  const normal = narrow(context, normalise(context, widen(context, split), norm))
  const [, count = 0, size = 0] = perHead ?? []
  return perHead === null ? normal : builder.reshape(normal, -1, count * size)
}

function rotate(
  { builder, numbers, ropes }: Context,
  x: string,
  heads: number,
  {
    rope,
    headSize,
    positions,
    rows,
  }: { readonly rope: Rope | null; readonly headSize: number; readonly positions: string; readonly rows: number },
): string {
  const pass = builder.reshape(x, 1, -1, heads * headSize)
  if (rope === null) return pass
  const size = 2 * rope.frequencies.length
  // Layers whose ropes are alike read one table.
  const recipe = JSON.stringify(rope)
  if (!ropes.includes(recipe)) ropes.push(recipe)
  const name = `rotary.${ropes.indexOf(recipe)}`
  const [cos, sin] = (['cos', 'sin'] as const).map((part) =>
    builder.weight(`${name}.${part}`, { kind: 'rotary', part, rope }, numbers.activation, [rows, size / 2]),
  )
  const attributes = { interleaved: 0, num_heads: heads, ...(size === headSize ? {} : { rotary_embedding_dim: size }) }
  return builder.add(
    'RotaryEmbedding',
    [pass, positions, cos ?? '', sin ?? ''],
    Object.entries(attributes).map(([key, value]) => integer(key, value)),
    microsoft,
  )
}

/**
 * [S, hidden size] in the type of activations, of float32 `x` of that shape. Goes on from `past_conv.INDEX`, [1, hidden size, reach]: what the last tokens gave the
 * convolution, zeros before the first.
 */
export function convolve(context: Context, x: string, { input, kernel, reach, output }: ShortConvolution, index: number): string {
  const { builder, numbers } = context
  const channels = kernel.weight.rows
  const parts = builder.addMany('Split', [project(context, narrow(context, x), input)], 3, [integer('axis', -1), integer('num_outputs', 3)])
  const [before = '', after = '', value = ''] = parts
  const swapped = (name: string): string => builder.add('Transpose', [name], [integers('perm', [1, 0])])
  const fresh = builder.reshape(swapped(builder.add('Mul', [before, value])), 1, channels, -1)
  const all = builder.add('Concat', [`past_conv.${index}`, fresh], [integer('axis', 2)])
  const from = (start: number, to?: string): string =>
    builder.add('Slice', [all, builder.integers(start), builder.integers(2 ** 31 - 1), builder.integers(2)], [], '', to)
  from(-reach, `present_conv.${index}`)
  const weights = floats(context, kernel.weight, numbers.activation, { shape: [channels, 1, reach] })
  const bias = kernel.bias === null ? [] : [floats(context, kernel.bias, numbers.activation)]
  const convolved = builder.add('Conv', [from(1), weights, ...bias], [integer('group', channels), integers('kernel_shape', [reach])])
  return project(context, builder.add('Mul', [after, swapped(builder.reshape(convolved, channels, -1))]), output)
}
