/**
 * A decoder as onnxruntime-genai's builder exports it: GroupQueryAttention that rotates, queries, keys and values by one product, norms fused with the sums before them.
 * Written after the graphs that onnxruntime-genai 0.18 made of SmolLM2-135M-Instruct and of the embedded model (operator set 21). The tied embedding lies in the file as
 * checkpoints have it, and its transpose is the head; the builder has it the other way round.
 */
import { rotaryTable } from '../../../../src/architectures/rope.ts'
import { float, integer, integers } from '../../../../src/onnx/nodes.ts'
import { elementTypes, port } from '../../../../src/onnx/ports.ts'
import { floatBytes, GraphFile, microsoft } from './graph-file.ts'
import { GraphWeights, type GraphNumbers } from './graph-weights.ts'
import type { MadeWeights } from './made-weights.ts'
import { ropeOf } from './rope-of.ts'
import { embeddingName, headSizeOf, type ShapeConfig } from './shapes.ts'

/** Writes `file` and its weights into `folder`; gives the names of the files of weights. */
export function writeGroupQuery(
  folder: string,
  file: string,
  config: ShapeConfig,
  made: MadeWeights,
  numbers: GraphNumbers,
): readonly string[] {
  const graph = new GraphFile(file, 21)
  const weights = new GraphWeights(graph, made, numbers)
  const { num_hidden_layers: layers, num_key_value_heads: heads, vocab_size: vocabulary } = config
  const lengths = writeLengths(graph)
  const tables = writeTables(graph, config, numbers)
  const embedding = weights.plain(embeddingName)
  let hidden = graph.add('Gather', [embedding, 'input_ids'])
  let normal = graph.add(
    'SimplifiedLayerNormalization',
    [hidden, weights.plain('model.layers.0.input_layernorm.weight')],
    [float('epsilon', config.rms_norm_eps), integer('axis', -1), integer('stash_type', 1)],
  )
  const addAndNorm = (added: string, weight: string): void => {
    const [next, sum] = [graph.fresh('SkipLayerNorm'), graph.fresh('Sum')]
    const inputs = [hidden, added, weights.plain(weight)]
    graph.addNamed('SkipSimplifiedLayerNormalization', inputs, [next, '', '', sum], [float('epsilon', config.rms_norm_eps)], microsoft)
    hidden = sum
    normal = next
  }
  for (let layer = 0; layer < layers; layer += 1) {
    const at = `model.layers.${layer}`
    addAndNorm(attention(graph, weights, normal, { layer, config, lengths, tables }), `${at}.post_attention_layernorm.weight`)
    const product = (x: string, part: string): string => weights.project(x, [`${at}.mlp.${part}.weight`], `${at}.mlp.${part}.MatMul.weight`)
    const gate = product(normal, 'gate_proj')
    const up = product(normal, 'up_proj')
    const opened = graph.add('Mul', [gate, graph.add('Sigmoid', [gate])])
    const next = layer + 1 < layers ? `model.layers.${layer + 1}.input_layernorm.weight` : 'model.norm.weight'
    addAndNorm(product(graph.add('Mul', [opened, up]), 'down_proj'), next)
  }
  if (numbers.isPacked) weights.project(normal, [embeddingName], 'lm_head.MatMul.weight', 'logits')
  else graph.add('MatMul', [normal, graph.add('Transpose', [embedding], [integers('perm', [1, 0])])], [], '', 'logits')
  const { int64 } = elementTypes
  const inner = elementTypes[numbers.float]
  const states = (name: string, tokens: string) =>
    Array.from({ length: layers }, (_, layer) =>
      ['key', 'value'].map((part) => port(`${name}.${layer}.${part}`, inner, ['batch_size', heads, tokens, headSizeOf(config)])),
    ).flat()
  return graph.write(
    folder,
    [
      port('input_ids', int64, ['batch_size', 'sequence_length']),
      port('attention_mask', int64, ['batch_size', 'total_sequence_length']),
      ...states('past_key_values', 'past_sequence_length'),
    ],
    [port('logits', inner, ['batch_size', 'sequence_length', vocabulary]), ...states('present', 'total_sequence_length')],
  )
}

/** What the kernel is told of lengths: of cache and pass together less one, int32 [batch], and that itself, int32. */
interface Lengths {
  readonly last: string
  readonly total: string
}

function writeLengths(graph: GraphFile): Lengths {
  const cast = (name: string): string => graph.add('Cast', [name], [integer('to', elementTypes.int32)])
  const one = graph.integers(1)
  const sum = graph.add('ReduceSum', ['attention_mask', one], [integer('keepdims', 0)])
  const total = graph.add('Gather', [graph.add('Shape', ['attention_mask']), graph.integer(1)], [integer('axis', 0)])
  return { last: cast(graph.add('Sub', [sum, one])), total: cast(total) }
}

function writeTables(graph: GraphFile, config: ShapeConfig, { float: type }: GraphNumbers): readonly [cos: string, sin: string] {
  const rope = ropeOf(config)
  const positions = config.max_position_embeddings
  const table = (part: 'cos' | 'sin'): string =>
    graph.weight(`${part}_cache`, type, [positions, rope.frequencies.length], () => [floatBytes(rotaryTable(rope, part, positions), type)])
  return [table('cos'), table('sin')]
}

function attention(
  graph: GraphFile,
  weights: GraphWeights,
  x: string,
  {
    layer,
    config,
    lengths,
    tables,
  }: {
    readonly layer: number
    readonly config: ShapeConfig
    readonly lengths: Lengths
    readonly tables: readonly [cos: string, sin: string]
  },
): string {
  const at = `model.layers.${layer}`
  const parts = ['q_proj', 'k_proj', 'v_proj'].map((part) => `${at}.self_attn.${part}`)
  const product = weights.project(
    x,
    parts.map((part) => `${part}.weight`),
    `${at}.attn.qkv_proj.MatMul.weight`,
  )
  const biases = parts.map((part) => `${part}.bias`)
  const packed =
    config.model_type === 'qwen2' ? graph.add('Add', [product, weights.joined(biases, `${at}.attn.qkv_proj.Add.bias`)]) : product
  const mixed = graph.fresh('GroupQueryAttention')
  const past = (part: string): string => `past_key_values.${layer}.${part}`
  graph.addNamed(
    'GroupQueryAttention',
    [packed, '', '', past('key'), past('value'), lengths.last, lengths.total, ...tables, '', ''],
    [mixed, `present.${layer}.key`, `present.${layer}.value`],
    [
      integer('num_heads', config.num_attention_heads),
      integer('kv_num_heads', config.num_key_value_heads),
      float('scale', headSizeOf(config) ** -0.5),
      integer('local_window_size', -1),
      float('softcap', 0),
      integer('do_rotary', 1),
      integer('rotary_interleaved', 0),
    ],
    microsoft,
  )
  return weights.project(mixed, [`${at}.self_attn.o_proj.weight`], `${at}.attn.o_proj.MatMul.weight`)
}
