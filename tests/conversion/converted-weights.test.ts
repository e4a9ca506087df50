/** Weights of a checkpoint in blocks, as a graph asks for them. */
import { expect, test } from 'vitest'
import type { Initializer } from '../../src/architectures/weight-plan.ts'
import type { FileBytes } from '../../src/weights/file-bytes.ts'
import { convertModel } from '../../src/conversion/convert.ts'
import { tinyModel } from '../architectures/tiny-models.ts'
import { floatsTensor, safetensorsFile } from '../support/safetensors-file.ts'

/** A tiny model, and how many bytes of its checkpoint were read so far. */
async function convert(model = 'llama', dtype = 'q4') {
  const { config, tensors } = tinyModel(model)
  const file = safetensorsFile(
    tensors.names.map((name) => {
      const { shape, values } = tensors.read(name)
      return floatsTensor(name, shape, values)
    }),
  )
  let bytesRead = 0
  const bytes: FileBytes = {
    length: file.length,
    read(start, end) {
      bytesRead += end - start
      return file.subarray(start, end)
    },
    rest: () => undefined,
  }
  const { reference, weights } = await convertModel([{ path: 'model.safetensors', bytes }], JSON.stringify(config), dtype, {
    device: 'wasm',
    keepsHalves: true,
  })
  return { initializers: reference.initializers, tensors, weights, bytesRead: () => bytesRead }
}

/** Blocks and scales of one matrix. */
function partsOf(initializers: readonly Initializer[]) {
  const of = (wanted: 'blocks' | 'scales'): Initializer => {
    const found = initializers.find(
      ({ make, tensor }) => make.kind === 'quantised' && make.part === wanted && tensor.includes('layers.1.mlp.up'),
    )
    if (found === undefined) throw new Error(`no ${wanted}`)
    return found
  }
  return { blocks: of('blocks'), scales: of('scales') }
}

test('scales and blocks of the same rows are rounded once, with the bits of two roundings', async () => {
  const { initializers, tensors, weights, bytesRead } = await convert()
  const { blocks, scales } = partsOf(initializers)
  const read = ({ offset, bytes }: Initializer) => weights.read(offset, offset + bytes).slice()
  const before = bytesRead()
  const first = [read(scales), read(blocks)]
  const once = bytesRead() - before
  const [rows = 0, columns = 0] = tensors.read(blocks.tensor).shape
  expect(once).toBe(4 * rows * columns)
  // Nothing is kept once the weights are at rest.
  const apart = [scales, blocks].map((one) => {
    weights.rest()
    return read(one)
  })
  expect(bytesRead() - before).toBe(3 * once)
  expect(apart).toEqual(first)
})

test('another matrix between the two takes the place of the first', async () => {
  const { initializers, weights } = await convert()
  const { blocks, scales } = partsOf(initializers)
  const other = initializers.find(({ make, tensor }) => make.kind === 'quantised' && tensor.includes('layers.0.mlp.up'))
  if (other === undefined) throw new Error('no other matrix')
  const read = ({ offset, bytes }: Initializer) => weights.read(offset, offset + bytes).slice()
  const wanted = read(blocks)
  read(scales)
  const between = read(other)
  expect(read(blocks)).toEqual(wanted)
  expect(between).not.toEqual(wanted)
})

test('reads go through one buffer, which is given back once the weights are at rest', async () => {
  const { initializers, weights } = await convert()
  const { blocks, scales } = partsOf(initializers)
  const read = ({ offset, bytes }: Initializer) => weights.read(offset, offset + bytes)
  const [first, second] = [read(blocks), read(scales)]
  expect(second.buffer).toBe(first.buffer)
  weights.rest()
  expect(second.length).toBe(0)
})

test('a table that a head reads too stands with columns first, read or written to its place', async () => {
  const { initializers, tensors, weights } = await convert('llama-tied', 'fp32')
  const table = initializers.find(({ name }) => name === 'model.embed_tokens.weight.turned')
  if (table === undefined) throw new Error('no turned table')
  const { shape, values } = tensors.read('model.embed_tokens.weight')
  const [rows = 0, columns = 0] = shape
  expect(table.shape).toEqual([columns, rows])
  const wanted = Float32Array.from({ length: rows * columns }, (_, at) => values[(at % rows) * columns + Math.floor(at / rows)] ?? NaN)
  const place = new Uint8Array(table.bytes + 128)
  weights.fill?.(place.subarray(64, 64 + table.bytes), table.offset)
  expect(new Float32Array(place.slice(64, 64 + table.bytes).buffer)).toEqual(wanted)
  expect(place.subarray(64 + table.bytes)).toEqual(new Uint8Array(64))
  expect(weights.read(table.offset, table.offset + table.bytes)).toEqual(place.subarray(64, 64 + table.bytes))
  expect(() => weights.read(table.offset, table.offset + 64)).toThrow('whole')
})
