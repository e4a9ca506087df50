import { EvalError } from '../../base/errors.ts'
import type { GraphFamily } from '../../contracts/engine.ts'
import { packedVarints, protobufFields } from '../../onnx/protobuf.ts'

/** An input or output of a graph. Symbolic dimensions are their names, unnamed ones null. */
export interface TensorFact {
  readonly name: string
  readonly elementType: string
  readonly dims: readonly (number | string | null)[]
}

/** What one layer keeps of the tokens before (keys, values, a convolution's last inputs): its input, and the output that continues it. */
export interface CacheSlot {
  readonly past: TensorFact
  readonly present: string
}

/** What a decoder's graph is, read from its raw bytes. */
export interface GraphFacts {
  readonly family: GraphFamily
  /** Activations are quantised with one scale for a whole pass, so that a token's score depends on what shares the pass. */
  readonly isDynamicallyQuantised: boolean
  /** Where in the file MatMulNBits nodes allow activations rounded to int8 (the byte that holds accuracy_level 4). */
  readonly int8ActivationOffsets: readonly number[]
  readonly operators: { readonly [type: string]: number }
  readonly inputs: readonly TensorFact[]
  readonly outputs: readonly TensorFact[]
  readonly logits: TensorFact
  readonly hasPositionIds: boolean
  readonly hasLogitsToKeep: boolean
  readonly cache: readonly CacheSlot[]
  /** Names of the nodes that compute sines and cosines of positions at run time. */
  readonly rotaryNodes: readonly string[]
  /** File names that the graph's weights are in, sorted; empty when they are embedded. */
  readonly externalFiles: readonly string[]
}

/**
 * Facts about a causal language model's ONNX graph, from its protobuf bytes; weights are stepped over, not decoded.
 *
 * Several `graph` fields are merged, as protobuf does. Throws `model/corrupt` for damaged bytes and `model/unsupported` for a graph
 * without a `logits` output, or whose cache outputs don't continue its inputs.
 * Source: onnx/onnx.proto of ONNX 1.19 (field numbers).
 */
export function readGraphFacts(model: Uint8Array): GraphFacts {
  const found: Findings = {
    // Without a prototype: a node may be of any type, `constructor` among them.
    operators: Object.create(null) as Findings['operators'],
    inputs: [],
    outputs: [],
    initializers: new Set(),
    externalFiles: new Set(),
    rotaryNodes: [],
    int8Levels: [],
    parts: 0,
  }
  let graphs = 0
  for (const field of protobufFields(model)) {
    if (field.number === 7) {
      readGraph(field.bytes, found, 0)
      graphs += 1
    } else if (field.number === 25) {
      readFunction(field.bytes, found)
    }
  }
  if (graphs === 0) throw new EvalError('model/corrupt', `wanted an ONNX model with a graph, found none in ${model.length} bytes`)
  // Old exports list their weights among the inputs too.
  const inputs = found.inputs.filter((input) => !found.initializers.has(input.name))
  const logits = found.outputs.find((output) => output.name === 'logits')
  if (logits === undefined) {
    const names = found.outputs.map((output) => output.name).slice(0, 5)
    throw new EvalError(
      'model/unsupported',
      `wanted a causal language model with an output named "logits", found outputs ${names.join(', ') || '(none)'}`,
    )
  }
  return {
    family: familyOf(found.operators),
    isDynamicallyQuantised: ['DynamicQuantizeLinear', 'MatMulInteger', 'DynamicQuantizeMatMul', 'ConvInteger'].some(
      (type) => type in found.operators,
    ),
    int8ActivationOffsets: found.int8Levels.map((level) => level.byteOffset - model.byteOffset),
    operators: found.operators,
    inputs,
    outputs: found.outputs,
    logits,
    hasPositionIds: inputs.some((input) => input.name === 'position_ids'),
    hasLogitsToKeep: inputs.some((input) => input.name === 'num_logits_to_keep'),
    cache: cacheOf(inputs, found.outputs),
    rotaryNodes: found.rotaryNodes,
    externalFiles: [...found.externalFiles].sort(),
  }
}

/**
 * Makes MatMulNBits compute with float32 activations, by setting accuracy_level 4 to 1 in the graph's own bytes.
 *
 * WASM ignores the level and always does; WebGPU rounds activations to int8, which moved a small model's scores by up to .19 nats a token:
 * no adapter could then be told from a wrong one. Idempotent.
 */
export function requireFloatActivations(graph: Uint8Array, facts: Pick<GraphFacts, 'int8ActivationOffsets'>): void {
  for (const offset of facts.int8ActivationOffsets) graph[offset] = 1
}

interface Findings {
  readonly operators: { [type: string]: number }
  readonly inputs: TensorFact[]
  readonly outputs: TensorFact[]
  readonly initializers: Set<string>
  readonly externalFiles: Set<string>
  readonly rotaryNodes: string[]
  readonly int8Levels: Uint8Array[]
  /** Nodes, weights and ports so far. */
  parts: number
}

/** Graphs stand in attributes of nodes of graphs: a branch within a loop within a branch, and hardly deeper. */
const maxNesting = 32
/** Today's largest models have some ten thousand; each takes far more memory here than in its file. */
const maxParts = 500_000

const fusedAttention = [
  'MultiHeadAttention',
  'Attention',
  'PagedAttention',
  'SparseAttention',
  'DecoderMaskedMultiHeadAttention',
  'LinearAttention',
  'PackedMultiHeadAttention',
]

function familyOf(operators: Findings['operators']): GraphFamily {
  if ('GroupQueryAttention' in operators) return 'gqa'
  if (fusedAttention.some((type) => type in operators)) return 'other'
  return 'Softmax' in operators && 'MatMul' in operators ? 'decomposed' : 'other'
}

function cacheOf(inputs: readonly TensorFact[], outputs: readonly TensorFact[]): CacheSlot[] {
  const past = inputs.filter((input) => input.name.startsWith('past'))
  return past.map((input) => {
    const names = [input.name.replace(/^past_key_values/, 'present'), input.name.replace(/^past/, 'present')]
    const present = outputs.find((output) => names.includes(output.name))
    if (present === undefined)
      throw new EvalError(
        'model/unsupported',
        `the graph takes "${input.name}" but has no output "${names.join('" or "')}" that continues it`,
      )
    return { past: input, present: present.name }
  })
}

/** `depth` = 0 for the model's own graph. */
function readGraph(graph: Uint8Array, found: Findings, depth: number): void {
  if (depth > maxNesting) throw new EvalError('model/unsupported', `wanted graphs nested at most ${maxNesting} deep, found deeper`)
  const isTop = depth === 0
  for (const field of protobufFields(graph)) {
    if (++found.parts > maxParts)
      throw new EvalError('model/unsupported', `wanted a graph of at most ${maxParts} nodes and weights, found more`)
    if (field.number === 1) readNode(field.bytes, found, depth)
    else if (field.number === 5) readInitializer(field.bytes, found)
    else if (field.number === 11 && isTop) found.inputs.push(readValueInfo(field.bytes))
    else if (field.number === 12 && isTop) found.outputs.push(readValueInfo(field.bytes))
  }
}

function readFunction(body: Uint8Array, found: Findings): void {
  for (const field of protobufFields(body)) if (field.number === 7) readNode(field.bytes, found, 0)
}

function readNode(node: Uint8Array, found: Findings, depth: number): void {
  let type = ''
  let name = ''
  let level: Uint8Array | null = null
  for (const field of protobufFields(node)) {
    if (field.number === 3) name = text(field.bytes)
    else if (field.number === 4) type = text(field.bytes)
    else if (field.number === 5) level = readAttribute(field.bytes, found, depth) ?? level
  }
  found.operators[type] = (found.operators[type] ?? 0) + 1
  if ((type === 'Cos' || type === 'Sin') && name !== '') found.rotaryNodes.push(name)
  if (type === 'MatMulNBits' && level !== null) found.int8Levels.push(level)
}

/** Walks subgraphs and tensors of an attribute; gives the byte of its value when it is an `accuracy_level` of 4, else null. */
function readAttribute(attribute: Uint8Array, found: Findings, depth: number): Uint8Array | null {
  let name = ''
  let level: Uint8Array | null = null
  for (const field of protobufFields(attribute)) {
    if (field.number === 1) name = text(field.bytes)
    else if (field.number === 3 && field.value === 4) level = attribute.subarray(field.end - 1, field.end)
    else if (field.number === 5) readTensor(field.bytes, found)
    else if (field.number === 6 || field.number === 11) readGraph(field.bytes, found, depth + 1)
  }
  return name === 'accuracy_level' ? level : null
}

function readInitializer(tensor: Uint8Array, found: Findings): void {
  const name = readTensor(tensor, found)
  if (name !== '') found.initializers.add(name)
}

function readTensor(tensor: Uint8Array, found: Findings): string {
  let name = ''
  for (const field of protobufFields(tensor)) {
    if (field.number === 8) name = text(field.bytes)
    if (field.number !== 13) continue
    const [key, value] = readEntry(field.bytes)
    if (key === 'location') found.externalFiles.add(value)
  }
  return name
}

function readEntry(entry: Uint8Array): [key: string, value: string] {
  let key = ''
  let value = ''
  for (const field of protobufFields(entry)) {
    if (field.number === 1) key = text(field.bytes)
    else if (field.number === 2) value = text(field.bytes)
  }
  return [key, value]
}

function readValueInfo(info: Uint8Array): TensorFact {
  let name = ''
  let elementType = 'unknown'
  let dims: TensorFact['dims'] = []
  for (const field of protobufFields(info)) {
    if (field.number === 1) name = text(field.bytes)
    if (field.number !== 2) continue
    for (const type of protobufFields(field.bytes)) {
      if (type.number !== 1) continue
      for (const part of protobufFields(type.bytes)) {
        if (part.number === 1) elementType = elementTypes[part.value] ?? `type ${part.value}`
        else if (part.number === 2) dims = readShape(part.bytes)
      }
    }
  }
  return { name, elementType, dims }
}

function readShape(shape: Uint8Array): TensorFact['dims'] {
  const dims: (number | string | null)[] = []
  for (const field of protobufFields(shape)) {
    if (field.number !== 1) continue
    let dim: number | string | null = null
    for (const part of protobufFields(field.bytes)) {
      if (part.number === 1) for (const value of packedVarints(part)) dim = value
      else if (part.number === 2) dim = text(part.bytes)
    }
    dims.push(dim)
  }
  return dims
}

// onnx.TensorProto.DataType, in ONNX Runtime's spelling.
const elementTypes: { readonly [code: number]: string } = {
  1: 'float32',
  2: 'uint8',
  3: 'int8',
  4: 'uint16',
  5: 'int16',
  6: 'int32',
  7: 'int64',
  8: 'string',
  9: 'bool',
  10: 'float16',
  11: 'float64',
  16: 'bfloat16',
}

const decoder = new TextDecoder()
function text(bytes: Uint8Array): string {
  return decoder.decode(bytes)
}
