import { describe, expect, it } from 'vitest'
import { moveWeightsOut, weightsFile } from '../../../src/engines/graph-rewriting/external-weights.ts'
import { takeApart, writeNode } from '../../../src/onnx/model-graph.ts'
import { integer, node } from '../../../src/onnx/nodes.ts'
import { splitProducts } from '../../../src/engines/graph-rewriting/split-products.ts'
import { withExternalData } from '../../../src/engines/graph/external-data.ts'
import { fileBytes } from '../../../src/engines/graph/model-file.ts'
import { loadNodeOrt } from '../node-runtime.ts'
import { bytesField, float32, graph, integerField, valueInfo } from '../onnx-builder.ts'

const rows = 64
const block = 32
const columns = 4100
const blocks = rows / block

interface Shape {
  readonly hasZeroPoints: boolean
  readonly hasBias: boolean
  /** Scales and zero points with a dimension of their own for columns, or in one row. */
  readonly isFlat: boolean
  /** A second product reads the same weight. */
  readonly isShared: boolean
}

const bytesOf = (count: number, shift: number): number[] =>
  Array.from({ length: count }, (_, i) => (i * 31 + ((i * i) >> 3) + shift) & 0xff)
const waveBytes = (count: number, shift: number): number[] => [
  ...new Uint8Array(Float32Array.from({ length: count }, (_, i) => Math.sin(i * 0.37 + shift)).buffer),
]

function tensor(name: string, type: number, dims: readonly number[], raw: readonly number[]): number[] {
  return [...dims.flatMap((dim) => integerField(1, dim)), ...integerField(2, type), ...bytesField(8, name), ...bytesField(9, raw)]
}

/** Activations (1, S, 64) times 4-bit weights, plain or through a second product that reads the same ones. */
function modelOf({ hasZeroPoints, hasBias, isFlat, isShared }: Shape): Uint8Array<ArrayBuffer> {
  const inputs = ['x', 'B', 'scales', hasZeroPoints ? 'zeros' : '', '', hasBias ? 'bias' : '']
  while (inputs.at(-1) === '') inputs.pop()
  const attributes = [integer('K', rows), integer('N', columns), integer('bits', 4), integer('block_size', block)]
  const product = (output: string) => ({ ...node('MatMulNBits', inputs, [output], attributes, 'com.microsoft'), name: output })
  const byColumn = (...dims: readonly number[]) => (isFlat ? [dims.reduce((size, dim) => size * dim, columns)] : [columns, ...dims])
  const body = graph({
    nodes: [product('y'), ...(isShared ? [product('z')] : [])].map((one) => [...writeNode(one)]),
    initializers: [
      tensor('B', 2, [columns, blocks, block / 2], bytesOf(columns * blocks * (block / 2), 1)),
      tensor('scales', float32, byColumn(blocks), waveBytes(columns * blocks, 2)),
      ...(hasZeroPoints ? [tensor('zeros', 2, byColumn(Math.ceil(blocks / 2)), bytesOf(columns * Math.ceil(blocks / 2), 3))] : []),
      ...(hasBias ? [tensor('bias', float32, [columns], waveBytes(columns, 4))] : []),
    ],
    inputs: [valueInfo('x', float32, [1, 'S', rows])],
    outputs: [valueInfo('y', float32, [1, 'S', columns]), ...(isShared ? [valueInfo('z', float32, [1, 'S', columns])] : [])],
  })
  const set = (domain: string, version: number) => bytesField(8, [...bytesField(1, domain), ...integerField(2, version)])
  return Uint8Array.from([...integerField(1, 8), ...bytesField(7, body), ...set('', 17), ...set('com.microsoft', 1)])
}

async function outputOf(model: Uint8Array, file: Uint8Array): Promise<Float32Array> {
  const { api } = await loadNodeOrt()
  const session = await withExternalData([{ path: weightsFile, bytes: fileBytes(file) }], 'wasm', (externalData) =>
    api.InferenceSession.create(model, { executionProviders: ['wasm'], externalData }),
  )
  const x = new api.Tensor(
    'float32',
    Float32Array.from({ length: 3 * rows }, (_, i) => Math.cos(i * 0.71)),
    [1, 3, rows],
  )
  const { y } = await session.run({ x })
  await session.release()
  expect(y?.dims).toEqual([1, 3, columns])
  if (!(y?.data instanceof Float32Array)) throw new Error('wanted float32')
  return y.data
}

const types = (model: Uint8Array): string[] => takeApart(model).nodes.map(({ type }) => type)
const unpacked = 4 * rows * columns
const plain: Shape = { hasZeroPoints: false, hasBias: false, isFlat: true, isShared: false }

describe('splitting products of 4-bit weights', () => {
  const shapes: readonly Shape[] = [
    plain,
    { ...plain, isFlat: false },
    { ...plain, hasZeroPoints: true },
    { ...plain, hasZeroPoints: true, hasBias: true, isFlat: false },
  ]
  it.each(shapes)('gives the bits that the whole product gives: %o', async (shape) => {
    const file = modelOf(shape)
    const whole = moveWeightsOut(fileBytes(file)).graph
    // Three parts, the last of which is shorter.
    const split = splitProducts(whole, Math.ceil(unpacked / 3))
    expect(types(split)).toEqual(['MatMulNBits', 'MatMulNBits', 'MatMulNBits', 'Concat'])
    const [wanted, found] = [await outputOf(whole, file), await outputOf(split, file)]
    expect(wanted.some((value) => Math.abs(value) > 1)).toBe(true)
    expect(largest(wanted, found)).toBe(0)
  })

  it('shares the parts of a weight between two products', async () => {
    const file = modelOf({ ...plain, isShared: true })
    const whole = moveWeightsOut(fileBytes(file)).graph
    const split = splitProducts(whole, unpacked / 2)
    expect(types(split)).toEqual(['MatMulNBits', 'MatMulNBits', 'Concat', 'MatMulNBits', 'MatMulNBits', 'Concat'])
    expect(takeApart(split).weights.map(({ name }) => name)).toEqual([
      'B_columns_0_of_2',
      'scales_columns_0_of_2',
      'B_columns_2112_of_2',
      'scales_columns_2112_of_2',
    ])
    expect(largest(await outputOf(whole, file), await outputOf(split, file))).toBe(0)
  })

  it('keeps a weight whole that another node reads too', () => {
    const whole = takeApart(moveWeightsOut(fileBytes(modelOf(plain))).graph)
    const reader = node('Shape', ['B'], ['size'])
    const body = [
      ...[...whole.nodes, reader].map((one) => bytesField(1, [...writeNode(one)])),
      ...whole.weights.map(({ message }) => bytesField(5, [...message])),
    ]
    const split = takeApart(splitProducts(Uint8Array.from(bytesField(7, body.flat())), unpacked / 2))
    expect(split.weights.map(({ name }) => name).filter((name) => !name.includes('_columns_'))).toEqual(['B'])
    expect(split.nodes.at(-1)?.inputs).toEqual(['B'])
  })

  it('leaves a graph alone whose products are small enough, or whose weights lie in the graph itself', () => {
    const file = modelOf(plain)
    const whole = moveWeightsOut(fileBytes(file)).graph
    expect(splitProducts(whole, unpacked)).toBe(whole)
    expect(splitProducts(whole)).toBe(whole)
    expect(types(splitProducts(file, unpacked / 2))).toEqual(['MatMulNBits'])
  })
})

function largest(wanted: Float32Array, found: Float32Array): number {
  expect(found.length).toBe(wanted.length)
  let most = 0
  wanted.forEach((value, i) => (most = Math.max(most, Math.abs(value - (found[i] ?? NaN)))))
  return most
}
