import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readGguf } from '../../src/weights/gguf/header.ts'
import { rowFormatOf } from '../../src/weights/row-format.ts'
import { requireTensor, type TensorEntry } from '../../src/weights/tensor-table.ts'
import { sourceOfBytes } from '../support/byte-source.ts'

const golden = JSON.parse(readFileSync(join(import.meta.dirname, '../goldens/weights/gguf-files.json'), 'utf8')) as {
  readonly files: readonly (readonly [what: string, base64: string])[]
}
const { tensors } = await readGguf(sourceOfBytes('model.gguf', new Uint8Array(Buffer.from(golden.files[0]?.[1] ?? '', 'base64'))))

const bytes = new Uint8Array(64)
const entry = (over: Partial<TensorEntry>): TensorEntry => ({
  name: 'w',
  dtype: 'F32',
  shape: [2, 4],
  source: sourceOfBytes('f', bytes),
  start: 0,
  end: 32,
  ...over,
})

test.each([...tensors.keys()])('%s comes out alike whole and row by row', async (name) => {
  const entry = requireTensor(tensors, name)
  const { rows, columns, bytesPerRow, unpack } = await rowFormatOf(entry)
  const read = async (from: number, to: number): Promise<Float32Array> => {
    const out = new Float32Array((to - from) * columns)
    unpack(await entry.source.read(entry.start + from * bytesPerRow, entry.start + to * bytesPerRow), out)
    return out
  }
  const whole = await read(0, rows)
  expect(whole).toHaveLength(rows * columns)
  for (let row = 0; row < rows; row++) expect(await read(row, row + 1)).toEqual(whole.subarray(row * columns, (row + 1) * columns))
})

test('a tensor of three axes has the product of the first two as rows, one of none has a value', async () => {
  expect(await rowFormatOf(requireTensor(tensors, 'blk.0.cube.weight'))).toMatchObject({ rows: 6, columns: 32, bytesPerRow: 128 })
  expect(await rowFormatOf(entry({ shape: [], end: 4 }))).toMatchObject({ rows: 1, columns: 1 })
})

describe('refuses', () => {
  test.each(['F64', 'I64', 'I8', 'U8', 'BOOL', 'F8_E4M3', 'F4', 'Q8_K', 'Q8_1', 'Q1_0', '__proto__'])(
    '%s as a weight, by its name',
    async (dtype) => {
      await expect(rowFormatOf(entry({ dtype }))).rejects.toMatchObject({
        code: 'model/unsupported',
        message: expect.stringMatching(new RegExp(`^wanted the weight w of f as one of F32, F16, BF16, .*, found ${dtype}$`)) as string,
      })
    },
  )

  test('bytes that are not as many as type and shape say', async () => {
    for (const over of [{ dtype: 'Q4_0' }, { dtype: 'F16' }, { dtype: 'Q4_0', shape: [1, 16], end: 9 }, { shape: [3, 4] }])
      await expect(rowFormatOf(entry(over))).rejects.toMatchObject({ code: 'model/corrupt' })
  })
})

test('a tensor that is not there is named, and where it was looked for', () => {
  expect(() => requireTensor(tensors, 'lm_head.weight')).toThrow(/wanted the tensor lm_head.weight, found \d+ others in model.gguf/)
})
