import type { InferenceSession } from 'onnxruntime-common'
import { describe, expect, it } from 'vitest'
import { writeNode, type GraphNode } from '../../../src/onnx/model-graph.ts'
import { float, integer, node } from '../../../src/onnx/nodes.ts'
import { splitAttention } from '../../../src/engines/graph-rewriting/split-attention.ts'
import { maskOf } from '../../../src/engines/scoring/tree-pass.ts'
import { loadNodeOrt } from '../node-runtime.ts'
import { bytesField, float32, graph, int64, integerField, valueInfo } from '../onnx-builder.ts'

const int32 = 6
const headSize = 16
const positions = 32
const given = { bias: 'bias', positions: 'positions' }

interface Shape {
  readonly heads: number
  readonly keyHeads: number
  readonly isPacked: boolean
  readonly isRotating: boolean
  /** 0: one over the root of the head's size. */
  readonly scale: number
}

function attention({ heads, keyHeads, isPacked, isRotating, scale }: Shape, more: readonly Uint8Array[] = []): GraphNode {
  const sources = isPacked ? ['query', '', ''] : ['query', 'key', 'value']
  const tables = isRotating ? ['cos', 'sin'] : ['', '']
  return node(
    'GroupQueryAttention',
    [...sources, 'past_key', 'past_value', 'seqlens', 'total', ...tables],
    ['output', 'present_key', 'present_value'],
    [
      integer('num_heads', heads),
      integer('kv_num_heads', keyHeads),
      integer('do_rotary', isRotating ? 1 : 0),
      float('scale', scale),
      ...more,
    ],
    'com.microsoft',
  )
}

/** A model of these nodes whose inputs are all that either form of attention is fed. */
function modelOf(nodes: readonly GraphNode[], shape: Shape): Uint8Array {
  const used = new Set(nodes.flatMap(({ inputs }) => inputs))
  const { heads, keyHeads, isPacked } = shape
  const ports: readonly (readonly [name: string, type: number, dims: readonly (number | string)[]])[] = [
    ['query', float32, [1, 'S', (heads + (isPacked ? 2 * keyHeads : 0)) * headSize]],
    ['key', float32, [1, 'S', keyHeads * headSize]],
    ['value', float32, [1, 'S', keyHeads * headSize]],
    ['past_key', float32, [1, keyHeads, 'P', headSize]],
    ['past_value', float32, [1, keyHeads, 'P', headSize]],
    ['seqlens', int32, [1, 1]],
    ['total', int32, [1]],
    ['cos', float32, [positions, headSize / 2]],
    ['sin', float32, [positions, headSize / 2]],
    ['bias', float32, [1, 1, 'S', 'T']],
    ['positions', int64, [1, 'S']],
  ]
  const body = graph({
    nodes: nodes.map((one) => [...writeNode(one)]),
    inputs: ports.filter(([name]) => used.has(name)).map(([name, type, dims]) => valueInfo(name, type, dims)),
    outputs: [
      valueInfo('output', float32, [1, 'S', heads * headSize]),
      ...['present_key', 'present_value'].map((name) => valueInfo(name, float32, [1, keyHeads, 'T', headSize])),
    ],
  })
  const set = (domain: string, version: number) => bytesField(8, [...bytesField(1, domain), ...integerField(2, version)])
  return Uint8Array.from([...integerField(1, 8), ...bytesField(7, body), ...set('', 17), ...set('com.microsoft', 1)])
}

const wave = (count: number, shift: number): Float32Array =>
  Float32Array.from({ length: count }, (_, i) => Math.sin(i * i * 0.13 + i + shift))

function fail(name: string): never {
  throw new Error(`wanted a feed for ${name}`)
}

/** Runs both forms of attention on the same tokens, one after the other; gives the largest difference of any output. */
async function largestDifference(shape: Shape, run: number, past: number): Promise<number> {
  const { api } = await loadNodeOrt()
  const whole = attention(shape)
  const split = splitAttention([whole], headSize, given)
  if (split === null) throw new Error('wanted a node that can be split')
  const { heads, keyHeads, isPacked } = shape
  const tensor = (dims: readonly number[], shift: number) =>
    new api.Tensor(
      'float32',
      wave(
        dims.reduce((product, dim) => product * dim, 1),
        shift,
      ),
      dims,
    )
  const angles = Float32Array.from(
    { length: positions * (headSize / 2) },
    (_, i) => Math.floor(i / (headSize / 2)) / 3 ** (i % (headSize / 2)),
  )
  const feeds: { [name: string]: InferenceSession.OnnxValueMapType[string] } = {
    query: tensor([1, run, (heads + (isPacked ? 2 * keyHeads : 0)) * headSize], 1),
    key: tensor([1, run, keyHeads * headSize], 2),
    value: tensor([1, run, keyHeads * headSize], 3),
    past_key: tensor([1, keyHeads, past, headSize], 4),
    past_value: tensor([1, keyHeads, past, headSize], 5),
    seqlens: new api.Tensor('int32', Int32Array.of(past + run - 1), [1, 1]),
    total: new api.Tensor('int32', Int32Array.of(past + run), [1]),
    cos: new api.Tensor('float32', angles.map(Math.cos), [positions, headSize / 2]),
    sin: new api.Tensor('float32', angles.map(Math.sin), [positions, headSize / 2]),
    bias: new api.Tensor(
      'float32',
      maskOf(
        Int32Array.from({ length: run }, (_, i) => i - 1),
        past,
        -3.4e38,
      ),
      [1, 1, run, past + run],
    ),
    positions: new api.Tensor(
      'int64',
      BigInt64Array.from({ length: run }, (_, i) => BigInt(past + i)),
      [1, run],
    ),
  }
  const outputs = []
  for (const nodes of [[whole], split]) {
    const session = await api.InferenceSession.create(modelOf(nodes, shape), { executionProviders: ['wasm'] })
    outputs.push(await session.run(Object.fromEntries(session.inputNames.map((name) => [name, feeds[name] ?? fail(name)]))))
    await session.release()
  }
  const [before, after] = outputs
  let largest = 0
  for (const name of ['output', 'present_key', 'present_value']) {
    const [wanted, found] = [before?.[name], after?.[name]]
    expect(found?.dims).toEqual(wanted?.dims)
    const values = found?.data
    if (!(wanted?.data instanceof Float32Array) || !(values instanceof Float32Array)) return NaN
    wanted.data.forEach((value, i) => (largest = Math.max(largest, Math.abs(value - (values[i] ?? NaN)))))
  }
  return largest
}

const plain: Shape = { heads: 4, keyHeads: 2, isPacked: true, isRotating: true, scale: 0 }

describe('attention as the operators that it stands for', () => {
  it.each([
    ['packed', plain],
    ['with queries, keys and values apart', { ...plain, isPacked: false }],
    ['as many key heads as heads', { ...plain, keyHeads: 4 }],
    ['one key head', { ...plain, keyHeads: 1, isPacked: false }],
    ['without rotation', { ...plain, isRotating: false, isPacked: false }],
    ['with a scale of its own', { ...plain, scale: 0.5 }],
  ] as const)('is the kernel’s, %s', async (_, shape) => {
    for (const [run, past] of [
      [5, 0],
      [1, 7],
      [6, 9],
    ] as const)
      expect(await largestDifference(shape, run, past)).toBeLessThan(2e-6)
  })

  it.each([
    ['a window', attention(plain, [integer('local_window_size', 4)])],
    ['a soft cap', attention(plain, [float('softcap', 30)])],
    ['pairs that stand beside each other', attention(plain, [integer('rotary_interleaved', 1)])],
    ['what is not known', attention(plain, [integer('sparkle', 1)])],
    ['a sink', { ...attention(plain), inputs: [...attention(plain).inputs, '', '', 'sink'] }],
    ['no past', { ...attention(plain), inputs: attention(plain).inputs.map((name) => (name === 'past_key' ? '' : name)) }],
    ['heads that don’t divide', attention({ ...plain, keyHeads: 3 })],
  ] as const)('is left to the kernel with %s', (_, one) => {
    expect(splitAttention([one], headSize, given)).toBeNull()
  })
})
