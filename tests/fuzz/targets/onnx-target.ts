/** ONNX graphs: what is read of them, and the graph that fast scoring cuts out of them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { takeApart, wholeFields, writeNode } from '../../../src/onnx/model-graph.ts'
import { float, integer, node } from '../../../src/onnx/nodes.ts'
import { makeScoringGraph } from '../../../src/engines/graph-rewriting/scoring-graph.ts'
import { bytesField, integerField, joinBytes } from '../../../src/onnx/wire.ts'
import { readGraphFacts, requireFloatActivations } from '../../../src/engines/graph/graph-facts.ts'
import { protobufFields } from '../../../src/onnx/protobuf.ts'
import { gzipTokens, mutate } from '../mutations.ts'
import { mutateMessage } from '../protobuf-mutations.ts'
import type { Random } from '../random.ts'
import type { FuzzTarget } from '../target.ts'

const hub = join(import.meta.dirname, '../../../public/hub/yardstick')

let loaded: readonly Uint8Array[] | null = null

/** The graphs of the models that the project brings, without their weights. */
function seeds(): readonly Uint8Array[] {
  loaded ??= ['pico/resolve', 'pico-gqa/resolve'].map((folder) => {
    const files = readdirSync(join(hub, folder))
      .sort()
      .map((commit) => join(hub, folder, commit, 'onnx/model.onnx'))
    return withoutWeights(new Uint8Array(readFileSync(files.find(existsSync) ?? '')))
  })
  return loaded
}

function withoutWeights(model: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = []
  for (const [field, whole] of wholeFields(model)) {
    if (field.number !== 7) {
      parts.push(whole)
      continue
    }
    const graph: Uint8Array[] = []
    for (const [part, wholePart] of wholeFields(field.bytes))
      graph.push(part.number === 5 ? bytesField(5, weightless(part.bytes)) : wholePart)
    parts.push(bytesField(7, joinBytes(graph)))
  }
  return joinBytes(parts)
}

/** A tensor with its first bytes only. */
function weightless(tensor: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = []
  for (const [field, whole] of wholeFields(tensor)) parts.push(field.number === 9 ? bytesField(9, field.bytes.slice(0, 64)) : whole)
  return joinBytes(parts)
}

/** Chains of nodes as long as no model has, some that end in themselves. */
function chain(random: Random): Uint8Array {
  const length = random.pick([10, 1000, 20_000])
  const type = random.pick(['Add', 'MatMul', 'Softmax', 'Shape', 'Slice', 'Identity', 'Cast'])
  const name = (at: number): string => (at === length ? 'logits' : `t${at}`)
  const nodes = Array.from({ length }, (_, at) =>
    bytesField(
      1,
      writeNode(
        node(
          type,
          [at === 0 ? (random.chance(30) ? name(length) : 'input_ids') : name(at), name(Math.max(0, at - random.below(3)))],
          [name(at + 1)],
        ),
      ),
    ),
  )
  return joinBytes([
    integerField(1, 8),
    bytesField(7, joinBytes([...nodes, port(11, 'input_ids'), port(12, 'logits')])),
    bytesField(8, integerField(2, 17)),
  ])
}

const port = (number: number, name: string): Uint8Array =>
  bytesField(number, joinBytes([bytesField(1, name), bytesField(2, bytesField(1, integerField(1, 1)))]))

/** One layer of attention with a mask, a cache and a projection: small, so that damage meets what is looked for. */
function small(random: Random): Uint8Array {
  const softmax = [
    node('MatMul', ['query', 'present.0.key'], ['products']),
    node('Shape', ['input_ids'], ['shape']),
    node('ConstantOfShape', ['shape'], ['ones']),
    node('Where', ['ones', 'zero', 'shape'], ['mask']),
    node('Add', ['products', 'mask'], ['scores']),
    node('Softmax', ['scores'], ['weights'], [integer('axis', -1)]),
    node('IsNaN', ['weights'], ['odd']),
    node('Where', ['odd', 'zero', 'weights'], ['guarded']),
    node('MatMul', ['guarded', 'query'], ['hidden']),
  ]
  const names = ['query', 'query', 'query', 'past_key_values.0.key', '', 'seqlens', 'total', 'cos', 'sin']
  const settings = [integer('num_heads', 1), integer('kv_num_heads', 1), integer('do_rotary', 1), float('scale', 0.5)]
  const grouped = [node('GroupQueryAttention', names, ['hidden', 'present.0.key'], settings, 'com.microsoft')]
  const nodes = [
    node('Gather', ['table', 'input_ids'], ['embedded']),
    node('MatMul', ['embedded', 'w'], ['query']),
    node('Concat', ['past_key_values.0.key', 'query'], ['present.0.key'], [integer('axis', 2)]),
    ...(random.chance(50) ? softmax : grouped),
    node('MatMulNBits', ['hidden', 'w'], ['mixed'], [integer('accuracy_level', 4)], 'com.microsoft'),
    node('MatMul', ['mixed', 'projection'], ['logits']),
  ]
  const weights = ['table', 'w', 'zero', 'cos', 'sin', 'projection'].map((name) =>
    joinBytes([integerField(2, 1), bytesField(8, name), bytesField(9, new Uint8Array(8))]),
  )
  const graph = [
    ...nodes.map((one) => bytesField(1, writeNode(one))),
    ...weights.map((weight) => bytesField(5, weight)),
    ...['input_ids', 'past_key_values.0.key', 'seqlens', 'total'].map((name) => port(11, name)),
    ...['logits', 'present.0.key'].map((name) => port(12, name)),
  ]
  return joinBytes([
    integerField(1, 8),
    bytesField(7, joinBytes(graph)),
    bytesField(8, joinBytes([bytesField(1, ''), integerField(2, 17)])),
  ])
}

function make(random: Random): Uint8Array {
  if (random.below(1000) < 2) return chain(random)
  const [large = new Uint8Array(0), second = large] = seeds()
  const seed = random.chance(85) ? small(random) : random.chance(90) ? second : large
  if (random.chance(20)) return mutate(random, seed, gzipTokens, second)
  let bytes = seed
  for (let changes = 1 + random.below(4); changes > 0; changes--) bytes = mutateMessage(random, bytes)
  return bytes
}

export const onnxTarget: FuzzTarget<Uint8Array> = {
  make(random) {
    const bytes = make(random)
    return { data: bytes, name: 'model.onnx', bytes }
  },
  run(model) {
    const facts = readGraphFacts(model)
    for (const count of Object.values(facts.operators))
      if (!Number.isInteger(count) || count < 1) return `an operator that occurs ${String(count)} times`
    requireFloatActivations(model.slice(), facts)
    for (const allowPacking of model.length % 4 === 0 ? [true, false] : [true]) {
      const { graph } = makeScoringGraph(model, { vocabularySize: 2048, elementType: 'float32', allowPacking, splitHeadSize: 16 })
      if (graph.length > 3 * model.length + 100_000) return `a graph of ${graph.length} bytes out of ${model.length}`
      // What was written can be read again.
      takeApart(graph)
      for (const field of protobufFields(graph)) if (field.number < 1) return 'a field without a number'
    }
    return null
  },
}
