import { append } from '../../base/arrays.ts'
import { attributeNames, floatAttribute, integerAttribute, type GraphNode } from '../../onnx/model-graph.ts'
import { constant, float, integer, integers, node } from '../../onnx/nodes.ts'

/** What the split graph is fed: the additive mask (1, 1, S, T), and the position of each of the pass’s tokens, int64 (1, S). */
interface SplitInputs {
  readonly bias: string
  readonly positions: string
}

const microsoft = 'com.microsoft'

/** What a node may say that the operators below compute too. */
const understood = new Set([
  'num_heads',
  'kv_num_heads',
  'scale',
  'do_rotary',
  'rotary_interleaved',
  'local_window_size',
  'softcap',
  'smooth_softmax',
  'qk_output',
])

/**
 * Each GroupQueryAttention node as the operators that it stands for: rotation, products, mask, softmax. The kernel of the WASM provider costs a token several
 * times what matrix products do, and more the longer the pass and its cache are; it is also given rows by their count, so that branches need the
 * tables moved, which positions here don't. Null when a node isn't understood (windows, soft caps, sinks, quantised caches) or hasn't got both heads' counts.
 *
 * Source: ONNX Runtime's contrib operators, com.microsoft.GroupQueryAttention and com.microsoft.RotaryEmbedding, 1.30.
 */
export function splitAttention(nodes: readonly GraphNode[], headSize: number, given: SplitInputs): readonly GraphNode[] | null {
  const split: GraphNode[] = []
  for (const [index, one] of nodes.entries()) {
    if (one.type !== 'GroupQueryAttention') {
      split.push(one)
      continue
    }
    const parts = splitOne(one, `yardstick_attention_${index}_`, headSize, given)
    if (parts === null) return null
    append(split, parts)
  }
  return split
}

function splitOne(attention: GraphNode, own: string, headSize: number, given: SplitInputs): GraphNode[] | null {
  const heads = integerAttribute(attention, 'num_heads') ?? 0
  const keyHeads = integerAttribute(attention, 'kv_num_heads') ?? 0
  const [query = '', key = '', value = '', pastKey = '', pastValue = '', , , cos = '', sin = '', ...others] = attention.inputs
  const [output = '', presentKey = '', presentValue = '', ...more] = attention.outputs
  const isRotating = integerAttribute(attention, 'do_rotary') === 1
  const isPlain =
    attributeNames(attention).every((name) => understood.has(name)) &&
    ['rotary_interleaved', 'smooth_softmax', 'qk_output'].every((name) => (integerAttribute(attention, name) ?? 0) === 0) &&
    (integerAttribute(attention, 'local_window_size') ?? -1) <= 0 &&
    (floatAttribute(attention, 'softcap') ?? 0) === 0 &&
    [...others, ...more].every((name) => name === '')
  const isWhole =
    [query, pastKey, pastValue, output, presentKey, presentValue].every((name) => name !== '') && (key === '') === (value === '')
  if (!isPlain || !isWhole || heads === 0 || keyHeads === 0 || heads % keyHeads !== 0 || (isRotating && (cos === '' || sin === '')))
    return null

  const name = (part: string): string => `${own}${part}`
  const shape = (part: string, dims: readonly number[]): GraphNode => constant(name(part), dims)
  const reshape = (input: string, dims: string, to: string): GraphNode => node('Reshape', [input, name(dims)], [to])
  const transpose = (input: string, to: string): GraphNode => node('Transpose', [input], [to], [integers('perm', [0, 2, 1, 3])])
  const rotate = (input: string, to: string, count: number): GraphNode[] =>
    isRotating
      ? [
          node(
            'RotaryEmbedding',
            [input, given.positions, cos, sin],
            [to],
            [integer('interleaved', 0), integer('num_heads', count)],
            microsoft,
          ),
        ]
      : [node('Identity', [input], [to])]
  const group = heads / keyHeads
  const scale = floatAttribute(attention, 'scale') ?? 0
  const packed = key === ''
  const source = packed ? { query: name('q'), key: name('k'), value: name('v') } : { query, key, value }
  return [
    shape('heads_shape', [1, -1, heads, headSize]),
    shape('key_heads_shape', [1, -1, keyHeads, headSize]),
    shape('grouped_shape', [1, keyHeads, -1, headSize]),
    // 0 copies the length of cache and run.
    shape('masked_shape', [keyHeads, group, -1, 0]),
    shape('unmasked_shape', [1, keyHeads, -1, 0]),
    shape('by_head_shape', [1, heads, -1, headSize]),
    shape('joined_shape', [1, -1, heads * headSize]),
    ...(packed
      ? [
          shape('split_sizes', [heads * headSize, keyHeads * headSize, keyHeads * headSize]),
          node('Split', [query, name('split_sizes')], [source.query, source.key, source.value], [integer('axis', -1)]),
        ]
      : []),
    ...rotate(source.query, name('q_rotated'), heads),
    ...rotate(source.key, name('k_rotated'), keyHeads),
    reshape(name('q_rotated'), 'heads_shape', name('q_heads')),
    transpose(name('q_heads'), name('q_first')),
    reshape(name('q_first'), 'grouped_shape', name('q_grouped')),
    reshape(name('k_rotated'), 'key_heads_shape', name('k_heads')),
    transpose(name('k_heads'), name('k_first')),
    reshape(source.value, 'key_heads_shape', name('v_heads')),
    transpose(name('v_heads'), name('v_first')),
    node('Concat', [pastKey, name('k_first')], [presentKey], [integer('axis', 2)]),
    node('Concat', [pastValue, name('v_first')], [presentValue], [integer('axis', 2)]),
    node(
      'FusedMatMul',
      [name('q_grouped'), presentKey],
      [name('products')],
      [integer('transA', 0), integer('transB', 1), float('alpha', scale === 0 ? 1 / Math.sqrt(headSize) : scale)],
      microsoft,
    ),
    reshape(name('products'), 'masked_shape', name('scores')),
    node('Add', [name('scores'), given.bias], [name('masked')]),
    node('Softmax', [name('masked')], [name('weights')], [integer('axis', -1)]),
    reshape(name('weights'), 'unmasked_shape', name('weights_grouped')),
    node('MatMul', [name('weights_grouped'), presentValue], [name('mixed')]),
    reshape(name('mixed'), 'by_head_shape', name('by_head')),
    transpose(name('by_head'), name('by_token')),
    reshape(name('by_token'), 'joined_shape', output),
  ]
}
