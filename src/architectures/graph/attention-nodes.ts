/** Attention as the operators that it consists of, which WASM computes faster than its fused kernel does (decision 0052), and LFM2's short convolution. */
import { float, integer, integers } from '../../onnx/nodes.ts'
import { scoringNames } from '../../onnx/scoring-names.ts'
import type { Attention, Norm, Rope, ShortConvolution } from '../architecture.ts'
import { microsoft } from './graph-builder.ts'
import { floats, narrow, normalise, project, softcap, widen, type Context } from './linear-parts.ts'

/** What attention reads besides what its layer is given. */
export interface AttentionInputs {
  /** int64 [1, S]. */
  readonly positions: string
  /** float32, to be added to scores: [1, 1, S, T], or [S, T]. */
  readonly bias: string
  /** The same for layers that see a window. */
  readonly localBias: string
  /** Length of the rotary tables. */
  readonly tableRows: number
  /** Only the rows of `scoringNames.rows` are wanted of this layer: keys and values are made of all tokens, queries of these. */
  readonly rowsOnly: boolean
}

/** Mixed values, projected: [1, S, hidden size] in the type of activations, of float32 `x` of that shape. Its keys and values are those of layer `index`. */
export function attend(context: Context, x: string, attention: Attention, index: number, inputs: AttentionInputs): string {
  const { builder } = context
  const { heads, keyValueHeads, headSize, rope, norms, window } = attention
  const group = heads / keyValueHeads
  const given = narrow(context, x)
  const chosen = (name: string, axis: number): string =>
    inputs.rowsOnly ? builder.add('Gather', [name, scoringNames.rows], [integer('axis', axis)]) : name
  const rotated = (name: string, count: number, norm: Norm | null, positions: string): string =>
    rotate(context, withNorm(context, name, norm, norms?.over === 'head' ? [1, -1, count, headSize] : null), count, {
      rope,
      headSize,
      positions,
      rows: inputs.tableRows,
    })
  const byHead = (name: string, count: number): string =>
    builder.add('Transpose', [builder.reshape(name, 1, -1, count, headSize)], [integers('perm', [0, 2, 1, 3])])

  const query = rotated(
    project(context, chosen(given, 1), attention.query),
    heads,
    norms?.query ?? null,
    rope === null ? '' : chosen(inputs.positions, 1),
  )
  const key = rotated(project(context, given, attention.key), keyValueHeads, norms?.key ?? null, inputs.positions)
  const value = project(context, given, attention.value)
  const grow = (name: string, part: string): string =>
    builder.add(
      'Concat',
      [`past_key_values.${index}.${part}`, byHead(name, keyValueHeads)],
      [integer('axis', 2)],
      '',
      `present.${index}.${part}`,
    )
  const keys = grow(key, 'key')
  const values = grow(value, 'value')

  // Heads that share keys stand below each other, so that keys are never repeated.
  const grouped = builder.reshape(byHead(query, heads), 1, keyValueHeads, -1, headSize)
  const products = builder.add(
    'FusedMatMul',
    [grouped, keys],
    [integer('transA', 0), integer('transB', 1), float('alpha', attention.scale)],
    microsoft,
  )
  const scores = softcap(context, widen(context, products), attention.softcap)
  const bias = chosen(window === null ? inputs.bias : inputs.localBias, -2)
  // 0 copies the length of cache and pass.
  const masked = builder.add('Add', [builder.reshape(scores, keyValueHeads, group, -1, 0), bias])
  const weights = narrow(context, builder.add('Softmax', [masked], [integer('axis', -1)]))
  const mixed = builder.add('MatMul', [builder.reshape(weights, 1, keyValueHeads, -1, 0), values])
  const byToken = builder.add('Transpose', [builder.reshape(mixed, 1, heads, -1, headSize)], [integers('perm', [0, 2, 1, 3])])
  return project(context, builder.reshape(byToken, 1, -1, heads * headSize), attention.output)
}

/** `perHead`: the shape in which each head has its own norm. */
function withNorm(context: Context, x: string, norm: Norm | null, perHead: readonly number[] | null): string {
  if (norm === null) return x
  const { builder } = context
  const split = perHead === null ? x : builder.reshape(x, ...perHead)
  const normal = narrow(context, normalise(context, widen(context, split), norm))
  const [, , count = 0, size = 0] = perHead ?? []
  return perHead === null ? normal : builder.reshape(normal, 1, -1, count * size)
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
  if (rope === null) return x
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
    [x, positions, cos ?? '', sin ?? ''],
    Object.entries(attributes).map(([key, value]) => integer(key, value)),
    microsoft,
  )
}

/**
 * [1, S, hidden size] in the type of activations, of float32 `x` of that shape. Goes on from `past_conv.INDEX`, [1, hidden size, reach]: what the last tokens gave the
 * convolution, zeros before the first.
 */
export function convolve(context: Context, x: string, { input, kernel, reach, output }: ShortConvolution, index: number): string {
  const { builder, numbers } = context
  const channels = kernel.weight.rows
  const parts = builder.addMany('Split', [project(context, narrow(context, x), input)], 3, [integer('axis', -1), integer('num_outputs', 3)])
  const [before = '', after = '', value = ''] = parts
  const swapped = (name: string): string => builder.add('Transpose', [name], [integers('perm', [0, 2, 1])])
  const all = builder.add('Concat', [`past_conv.${index}`, swapped(builder.add('Mul', [before, value]))], [integer('axis', 2)])
  const from = (start: number, to?: string): string =>
    builder.add('Slice', [all, builder.integers(start), builder.integers(2 ** 31 - 1), builder.integers(2)], [], '', to)
  from(-reach, `present_conv.${index}`)
  const weights = floats(context, kernel.weight, numbers.activation, { shape: [channels, 1, reach] })
  const bias = kernel.bias === null ? [] : [floats(context, kernel.bias, numbers.activation)]
  const convolved = builder.add('Conv', [from(1), weights, ...bias], [integer('group', channels), integers('kernel_shape', [reach])])
  return project(context, builder.add('Mul', [after, swapped(convolved)]), output)
}
