/**
 * A decoder as optimum exports it, and transformers.js' own conversions have it: attention as the operators that PyTorch's is made of, shapes computed node by node.
 * Written after the graphs that optimum 2 made of SmolLM2-135M-Instruct and of the embedded model (operator set 18).
 */
import { integer, integers } from '../../../../src/onnx/nodes.ts'
import { elementTypes, port } from '../../../../src/onnx/ports.ts'
import { GraphFile } from './graph-file.ts'
import { GraphWeights, type GraphNumbers } from './graph-weights.ts'
import type { MadeWeights } from './made-weights.ts'
import { ropeOf } from './rope-of.ts'
import { embeddingName, headSizeOf, type ShapeConfig } from './shapes.ts'

/** Writes `file` and its weights into `folder`; gives the names of the files of weights. */
export function writeDecomposed(
  folder: string,
  file: string,
  config: ShapeConfig,
  made: MadeWeights,
  numbers: GraphNumbers,
): readonly string[] {
  return new Decomposed(file, config, made, numbers).write(folder)
}

/** What all layers read. */
interface Shared {
  readonly mask: string
  readonly cos: string
  readonly sin: string
}

class Decomposed {
  readonly #graph: GraphFile
  readonly #weights: GraphWeights
  readonly #config: ShapeConfig
  readonly #numbers: GraphNumbers

  constructor(file: string, config: ShapeConfig, made: MadeWeights, numbers: GraphNumbers) {
    this.#graph = new GraphFile(file, 18)
    this.#weights = new GraphWeights(this.#graph, made, numbers)
    this.#config = config
    this.#numbers = numbers
  }

  write(folder: string): readonly string[] {
    const { vocab_size: vocabulary, num_key_value_heads: heads, num_hidden_layers: layers } = this.#config
    const embedded = this.#graph.add('Gather', [this.#weights.plain(embeddingName), 'input_ids'])
    const shared: Shared = { mask: this.#mask(embedded), ...this.#rotary() }
    let hidden = embedded
    for (let layer = 0; layer < layers; layer += 1) hidden = this.#layer(hidden, layer, shared)
    this.#head(this.#norm(hidden, 'model.norm.weight'))
    const { int64 } = elementTypes
    const inner = elementTypes[this.#numbers.float]
    const both = 'past_sequence_length + sequence_length'
    const states = (name: string, tokens: string) =>
      Array.from({ length: layers }, (_, layer) =>
        ['key', 'value'].map((part) => port(`${name}.${layer}.${part}`, inner, ['batch_size', heads, tokens, headSizeOf(this.#config)])),
      ).flat()
    return this.#graph.write(
      folder,
      [
        port('input_ids', int64, ['batch_size', 'sequence_length']),
        port('attention_mask', int64, ['batch_size', both]),
        port('position_ids', int64, ['batch_size', 'sequence_length']),
        ...states('past_key_values', 'past_sequence_length'),
      ],
      [port('logits', inner, ['batch_size', 'sequence_length', vocabulary]), ...states('present', both)],
    )
  }

  /** One dimension of a tensor, an int64 scalar. */
  #dim(name: string, axis: number): string {
    const graph = this.#graph
    return graph.add('Gather', [graph.add('Shape', [name]), graph.integer(axis)], [integer('axis', 0)])
  }

  /** Scalars as a shape: names are int64 scalars, numbers stand for themselves. */
  #shape(...dims: readonly (string | number)[]): string {
    const graph = this.#graph
    const parts = dims.map((dim) => (typeof dim === 'number' ? graph.integers(dim) : graph.add('Unsqueeze', [dim, graph.integers(0)])))
    return graph.add('Concat', parts, [integer('axis', 0)])
  }

  /** What PyTorch's `expand` becomes: sizes of -1 stay. */
  #expand(name: string, shape: string): string {
    const graph = this.#graph
    const wanted = graph.add('Reshape', [shape, graph.integers(-1)], [integer('allowzero', 0)])
    const ones = graph.add('Expand', [graph.integer(1), graph.add('Shape', [wanted])])
    const negative = graph.add('Mul', [ones, graph.integer(-1)])
    const sizes = graph.add('Where', [graph.add('Equal', [wanted, negative]), ones, wanted])
    return graph.add('Expand', [name, sizes])
  }

  /** bool [batch, 1, S, T]: what each token sees. */
  #mask(embedded: string): string {
    const graph = this.#graph
    const past = this.#dim('past_key_values.0.key', 2)
    const total = graph.add('Add', [past, this.#dim(embedded, 1)])
    const range = (from: string): string => graph.add('Range', [from, total, graph.integer(1)])
    const wide = (name: string, ...axes: readonly number[]): string =>
      axes.reduce((value, axis) => graph.add('Unsqueeze', [value, graph.integers(axis)]), name)
    const queries = wide(range(past), 0, 1, 3)
    const keys = wide(range(graph.integer(0)), 0, 1, 2)
    const shown = wide(graph.add('Cast', ['attention_mask'], [integer('to', elementTypes.bool)]), 1, 2)
    const sees = graph.add('And', [graph.add('LessOrEqual', [keys, queries]), shown])
    return this.#expand(sees, this.#shape(this.#dim(embedded, 0), -1, this.#dim(embedded, 1), total))
  }

  /** Cosines and sines of the pass's positions, [batch, S, head size]. */
  #rotary(): Pick<Shared, 'cos' | 'sin'> {
    const graph = this.#graph
    const { frequencies, magnitude } = ropeOf(this.#config)
    const table = graph.table('inv_freq', Float32Array.from(frequencies), [1, frequencies.length, 1])
    const rows = this.#expand(table, this.#shape(this.#dim('position_ids', 0), -1, 1))
    const positions = graph.add(
      'Cast',
      [graph.add('Unsqueeze', ['position_ids', graph.integers(1)])],
      [integer('to', elementTypes.float32)],
    )
    const angles = graph.add('Transpose', [graph.add('MatMul', [rows, positions])], [integers('perm', [0, 2, 1])])
    const both = graph.add('Concat', [angles, angles], [integer('axis', -1)])
    const values = (type: 'Cos' | 'Sin'): string =>
      graph.add(
        'Cast',
        [graph.add('Mul', [graph.add(type, [both]), graph.real(magnitude, 'float32')])],
        [integer('to', elementTypes[this.#numbers.float])],
      )
    return { cos: values('Cos'), sin: values('Sin') }
  }

  #norm(x: string, weight: string): string {
    const graph = this.#graph
    const wide = graph.add('Cast', [x], [integer('to', elementTypes.float32)])
    const squares = graph.add('Pow', [wide, graph.real(2, 'float32')])
    const mean = graph.add('ReduceMean', [squares, graph.integers(-1)], [integer('keepdims', 1)])
    const root = graph.add('Sqrt', [graph.add('Add', [mean, graph.real(this.#config.rms_norm_eps, 'float32')])])
    const normal = graph.add('Mul', [wide, graph.add('Div', [graph.real(1, 'float32'), root])])
    const narrow = graph.add('Cast', [normal], [integer('to', elementTypes[this.#numbers.float])])
    return graph.add('Mul', [this.#weights.plain(weight), narrow])
  }

  #layer(x: string, layer: number, shared: Shared): string {
    const graph = this.#graph
    const at = `model.layers.${layer}`
    const mixed = this.#attention(this.#norm(x, `${at}.input_layernorm.weight`), layer, shared)
    const between = graph.add('Add', [x, mixed])
    const given = this.#norm(between, `${at}.post_attention_layernorm.weight`)
    const gate = this.#project(given, `${at}.mlp.gate_proj`)
    const opened = graph.add('Mul', [gate, graph.add('Sigmoid', [gate])])
    const product = graph.add('Mul', [opened, this.#project(given, `${at}.mlp.up_proj`)])
    return graph.add('Add', [between, this.#project(product, `${at}.mlp.down_proj`)])
  }

  #project(x: string, name: string): string {
    return this.#weights.project(x, [`${name}.weight`], `${name}.MatMul.weight`)
  }

  #attention(x: string, layer: number, { mask, cos, sin }: Shared): string {
    const graph = this.#graph
    const { num_attention_heads: heads, num_key_value_heads: shared, model_type: type } = this.#config
    const { float } = this.#numbers
    const size = headSizeOf(this.#config)
    const at = `model.layers.${layer}.self_attn`
    const [batch, length] = [this.#dim(x, 0), this.#dim(x, 1)]
    const byHead = (part: string): string => {
      const product = this.#project(x, `${at}.${part}`)
      const whole = type === 'qwen2' ? graph.add('Add', [this.#weights.plain(`${at}.${part}.bias`), product]) : product
      const split = graph.add('Reshape', [whole, this.#shape(batch, length, -1, size)], [integer('allowzero', 0)])
      return graph.add('Transpose', [split], [integers('perm', [0, 2, 1, 3])])
    }
    const [queries, keys, values] = [byHead('q_proj'), byHead('k_proj'), byHead('v_proj')]
    const cosines = graph.add('Unsqueeze', [cos, graph.integers(1)])
    const sines = graph.add('Unsqueeze', [sin, graph.integers(1)])
    const turned = this.#rotate(queries, cosines, sines)
    const grow = (name: string, part: string): string =>
      graph.add('Concat', [`past_key_values.${layer}.${part}`, name], [integer('axis', -2)], '', `present.${layer}.${part}`)
    const allKeys = this.#repeat(grow(this.#rotate(keys, cosines, sines), 'key'), heads / shared)
    const allValues = this.#repeat(grow(values, 'value'), heads / shared)
    const seen = graph.add('Slice', [
      mask,
      graph.integers(0),
      graph.add('Unsqueeze', [this.#dim(allKeys, 2), graph.integers(0)]),
      graph.integers(3),
      graph.integers(1),
    ])
    const root = graph.real(size ** -0.25, float)
    const turnedKeys = graph.add('Transpose', [allKeys], [integers('perm', [0, 1, 3, 2])])
    const products = graph.add('MatMul', [graph.add('Mul', [turned, root]), graph.add('Mul', [turnedKeys, root])])
    const lowest = float === 'float16' ? -65504 : -3.4028234663852886e38
    const bias = graph.add('Where', [seen, graph.real(0, float), graph.real(lowest, float)])
    const shares = graph.add('Softmax', [graph.add('Add', [products, bias])], [integer('axis', -1)])
    const guarded = graph.add('Where', [graph.add('IsNaN', [shares]), graph.real(0, float), shares])
    const mixed = graph.add('Transpose', [graph.add('MatMul', [guarded, allValues])], [integers('perm', [0, 2, 1, 3])])
    const joined = graph.add('Reshape', [mixed, this.#shape(batch, length, -1)], [integer('allowzero', 0)])
    return this.#project(joined, `${at}.o_proj`)
  }

  /** Halves of a head rotated against each other. */
  #rotate(x: string, cos: string, sin: string): string {
    const graph = this.#graph
    const half = graph.add('Unsqueeze', [graph.add('Div', [this.#dim(x, 3), graph.integer(2)]), graph.integers(0)])
    const slice = (from: string, to: string): string => graph.add('Slice', [x, from, to, graph.integers(3), graph.integers(1)])
    const end = graph.integers(2 ** 31 - 1)
    const turned = graph.add('Concat', [graph.add('Neg', [slice(half, end)]), slice(graph.integers(0), half)], [integer('axis', -1)])
    return graph.add('Add', [graph.add('Mul', [x, cos]), graph.add('Mul', [turned, sin])])
  }

  /** Keys or values once for each head that shares them. */
  #repeat(x: string, times: number): string {
    const graph = this.#graph
    if (times === 1) return x
    const [batch, heads, tokens, size] = [this.#dim(x, 0), this.#dim(x, 1), this.#dim(x, 2), this.#dim(x, 3)]
    const wide = graph.add('Unsqueeze', [x, graph.integers(2)])
    const repeated = this.#expand(wide, this.#shape(batch, heads, times, tokens, size))
    const count = graph.add('Mul', [heads, graph.integer(times)])
    return graph.add('Reshape', [repeated, this.#shape(batch, count, tokens, size)], [integer('allowzero', 0)])
  }

  /** A tied head: the embedding turned, or its own blocks of 4 bits. */
  #head(x: string): void {
    const graph = this.#graph
    if (this.#numbers.isPacked) this.#weights.project(x, [embeddingName], 'lm_head.MatMul.weight', 'logits')
    else graph.add('MatMul', [x, graph.add('Transpose', [embeddingName], [integers('perm', [1, 0])])], [], '', 'logits')
  }
}
