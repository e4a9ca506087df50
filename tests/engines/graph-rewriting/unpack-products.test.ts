import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { moveWeightsOut, weightsFile } from '../../../src/engines/graph-rewriting/external-weights.ts'
import { unpackProducts } from '../../../src/engines/graph-rewriting/unpack-products.ts'
import { withExternalData, type ExternalFile } from '../../../src/engines/graph/external-data.ts'
import { fileBytes } from '../../../src/engines/graph/model-file.ts'
import { takeApart, writeNode } from '../../../src/onnx/model-graph.ts'
import { integer, node } from '../../../src/onnx/nodes.ts'
import { packHalves } from '../../../src/weights/convert/half.ts'
import { loadNodeOrt } from '../node-runtime.ts'
import { bytesField, float32, graph, integerField, valueInfo } from '../onnx-builder.ts'

const float16 = 10
const uint8 = 2

interface Form {
  readonly rows: number
  readonly columns: number
  readonly bits: 4 | 8
  readonly blockSize: number
  readonly hasZeroPoints?: boolean
  readonly isHalf?: boolean
  /** More inputs behind the zero points. */
  readonly more?: readonly string[]
}

const bytesOf = (count: number, shift: number): Uint8Array =>
  Uint8Array.from({ length: count }, (_, i) => (i * 31 + ((i * i) >> 3) + shift) & 0xff)
const waves = (count: number, size: number): Float32Array => Float32Array.from({ length: count }, (_, i) => Math.sin(i * 0.37 + 1) * size)

function stored(values: Float32Array, isHalf: boolean): Uint8Array {
  if (!isHalf) return new Uint8Array(values.buffer)
  const halves = new Uint16Array(values.length)
  packHalves(values, halves)
  return new Uint8Array(halves.buffer)
}

function tensor(name: string, type: number, dims: readonly number[], raw: Uint8Array): number[] {
  return [...dims.flatMap((dim) => integerField(1, dim)), ...integerField(2, type), ...bytesField(8, name), ...bytesField(9, [...raw])]
}

/** Products of x (1, S, columns) with packed weights, one after the other: `count` with the same weight, of `form`, and a second form's. */
function modelOf(forms: readonly Form[], count = 1): Uint8Array<ArrayBuffer> {
  const nodes: number[][] = []
  const initializers: number[][] = []
  const outputs: number[][] = []
  forms.forEach((form, index) => {
    const { rows, columns, bits, blockSize, hasZeroPoints = false, isHalf = false, more = [] } = form
    const type = isHalf ? float16 : float32
    const blocks = Math.ceil(columns / blockSize)
    const blob = (blockSize * bits) / 8
    const zeroBytes = Math.ceil((blocks * bits) / 8)
    initializers.push(
      tensor(`B${index}`, uint8, [rows, blocks, blob], bytesOf(rows * blocks * blob, index)),
      tensor(`scales${index}`, type, [rows * blocks], stored(waves(rows * blocks, 0.05), isHalf)),
      ...(hasZeroPoints ? [tensor(`zeros${index}`, uint8, [rows * zeroBytes], bytesOf(rows * zeroBytes, 7))] : []),
    )
    const attributes = Object.entries({ K: columns, N: rows, bits, block_size: blockSize }).map(([name, value]) => integer(name, value))
    for (let at = 0; at < count; at += 1) {
      const inputs = ['x', `B${index}`, `scales${index}`, hasZeroPoints ? `zeros${index}` : '', ...more]
      while (inputs.at(-1) === '') inputs.pop()
      nodes.push([...writeNode(node('MatMulNBits', inputs, [`y${index}_${at}`], attributes, 'com.microsoft'))])
      outputs.push(valueInfo(`y${index}_${at}`, type, [1, 'S', rows]))
    }
  })
  const [{ columns = 0, isHalf = false } = {}] = forms
  const body = graph({ nodes, initializers, inputs: [valueInfo('x', isHalf ? float16 : float32, [1, 'S', columns])], outputs })
  const set = (domain: string, version: number) => bytesField(8, [...bytesField(1, domain), ...integerField(2, version)])
  return Uint8Array.from([...integerField(1, 8), ...bytesField(7, body), ...set('', 17), ...set('com.microsoft', 1)])
}

function filed(model: Uint8Array): { readonly graph: Uint8Array; readonly files: readonly ExternalFile[] } {
  const bytes = fileBytes(model)
  return { graph: moveWeightsOut(bytes).graph, files: [{ path: weightsFile, bytes }] }
}

/** A hash of the bits of each output for `tokens` tokens. */
async function outputsOf(
  model: { readonly graph: Uint8Array; readonly files: readonly ExternalFile[] },
  { columns, isHalf = false }: Form,
  tokens: number,
): Promise<readonly string[]> {
  const { api } = await loadNodeOrt()
  const session = await withExternalData(model.files, 'wasm', (externalData) =>
    api.InferenceSession.create(model.graph, { executionProviders: ['wasm'], logSeverityLevel: 3, externalData }),
  )
  const values = Float32Array.from({ length: tokens * columns }, (_, i) => Math.cos(i * 0.11) * 2)
  const dims = [1, tokens, columns]
  const bytes = stored(values, isHalf)
  const x = isHalf ? new api.Tensor('float16', new Uint16Array(bytes.buffer), dims) : new api.Tensor('float32', values, dims)
  const outputs = await session.run({ x })
  const found = Object.keys(outputs)
    .sort()
    .map((name) => outputs[name]?.data)
  await session.release()
  return found.map((data) => {
    if (!ArrayBuffer.isView(data)) throw new Error('an output without numbers')
    return createHash('sha256')
      .update(new Uint8Array(data.buffer, data.byteOffset, data.byteLength))
      .digest('hex')
  })
}

const types = (model: Uint8Array): string[] => takeApart(model).nodes.map(({ type }) => type)

describe('unpackProducts', () => {
  const forms: readonly Form[] = [
    { rows: 300, columns: 576, bits: 4, blockSize: 32 },
    { rows: 1100, columns: 192, bits: 8, blockSize: 32 },
    { rows: 40, columns: 1088, bits: 4, blockSize: 32, hasZeroPoints: true },
    { rows: 129, columns: 650, bits: 8, blockSize: 64, hasZeroPoints: true },
    { rows: 200, columns: 330, bits: 4, blockSize: 128 },
    { rows: 96, columns: 640, bits: 4, blockSize: 32, isHalf: true },
    { rows: 300, columns: 96, bits: 4, blockSize: 16, hasZeroPoints: true, isHalf: true },
  ]
  it.each(forms)('gives the bits of the packed product: %o', async (form) => {
    const { graph: packed, files } = filed(modelOf([form]))
    const unpacked = unpackProducts(packed, files, Infinity)
    expect(unpacked.share).toEqual({ products: 1, unpacked: 1, bytes: 4 * form.rows * form.columns })
    expect(types(unpacked.graph)).not.toContain('MatMulNBits')
    for (const tokens of [1, 5, 130])
      expect(await outputsOf(unpacked, form, tokens)).toEqual(await outputsOf({ graph: packed, files }, form, tokens))
  })

  it('unpacks a weight once that several products share, and leaves out the packed one', async () => {
    const form: Form = { rows: 300, columns: 576, bits: 4, blockSize: 32 }
    const { graph: packed, files } = filed(modelOf([form], 2))
    const unpacked = unpackProducts(packed, files, Infinity)
    expect(unpacked.share).toEqual({ products: 2, unpacked: 2, bytes: 4 * 300 * 576 })
    expect(takeApart(unpacked.graph).weights.map(({ name }) => name)).toEqual(['B0.unpacked'])
    expect(await outputsOf(unpacked, form, 3)).toEqual(await outputsOf({ graph: packed, files }, form, 3))
  })

  it('unpacks the largest first, as many as there is room for', async () => {
    const forms: readonly Form[] = [
      { rows: 100, columns: 576, bits: 4, blockSize: 32 },
      { rows: 300, columns: 576, bits: 4, blockSize: 32 },
      { rows: 200, columns: 576, bits: 4, blockSize: 32 },
    ]
    const { graph: packed, files } = filed(modelOf(forms))
    // Each value takes 4 bytes instead of half a one and its share of a scale.
    const added = (rows: number) => rows * 576 * (4 - 1 / 2 - 4 / 32)
    const both = unpackProducts(packed, files, added(300) + added(100))
    expect(both.share).toEqual({ products: 3, unpacked: 2, bytes: 4 * 400 * 576 })
    expect(takeApart(both.graph).nodes.map(({ type, outputs: [output] }) => [type, output])).toEqual([
      ['FusedMatMul', 'y0_0'],
      ['FusedMatMul', 'y1_0'],
      ['MatMulNBits', 'y2_0'],
    ])
    expect(await outputsOf(both, { ...forms[0], columns: 576 } as Form, 2)).toEqual(
      await outputsOf({ graph: packed, files }, { ...forms[0], columns: 576 } as Form, 2),
    )
    const none = unpackProducts(packed, files, added(100) - 1)
    expect(none.graph).toBe(packed)
    expect(none.share).toEqual({ products: 3, unpacked: 0, bytes: 0 })
  })

  it('leaves alone what it can’t be sure of, and graphs without such products', () => {
    const form: Form = { rows: 300, columns: 576, bits: 4, blockSize: 32 }
    const reordered = filed(modelOf([{ ...form, more: ['order'] }]))
    expect(unpackProducts(reordered.graph, reordered.files, Infinity).share).toEqual({ products: 1, unpacked: 0, bytes: 0 })
    const cut = filed(modelOf([form]))
    expect(unpackProducts(cut.graph, [{ path: weightsFile, bytes: fileBytes(new Uint8Array(100)) }], Infinity).share.unpacked).toBe(0)
  })
})
