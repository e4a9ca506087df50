import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readGguf } from '../../../src/weights/gguf/header.ts'
import type { GgufArray, GgufValue } from '../../../src/weights/gguf/values.ts'
import type { ByteSource } from '../../../src/weights/source.ts'
import { sourceOfBytes } from '../../support/byte-source.ts'
import { ggufFile, text, u32, u64, type MadeFile, type MadeTensor } from '../../support/gguf-file.ts'

type Metadata = readonly (readonly [key: string, types: readonly string[], value: unknown])[]
type Tensors = readonly (readonly [name: string, type: string, sizes: readonly number[], sha256: string])[]
interface Golden {
  readonly files: readonly (readonly [what: string, base64: string, metadata: Metadata, tensors: Tensors])[]
  readonly big_endian: string
}
const golden = JSON.parse(readFileSync(join(import.meta.dirname, '../../goldens/weights/gguf-files.json'), 'utf8')) as Golden
const fileOf = (base64: string) => new Uint8Array(Buffer.from(base64, 'base64'))
const read = (file: Uint8Array) => readGguf(sourceOfBytes('model.gguf', file))

/** As the golden writes values. */
function plain(value: GgufValue): unknown {
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object') return value
  return value.items === 'booleans' ? Array.from(value.values, (byte) => byte === 1) : Array.from<unknown>(value.values)
}

describe("what gguf's own writer writes is read as its reader reads it", () => {
  test.each(golden.files)('%s', async (_, base64, metadata, tensors) => {
    const file = fileOf(base64)
    const found = await read(file)
    expect([...found.metadata].map(([key, value]) => [key, plain(value)])).toEqual(metadata.map(([key, , value]) => [key, value]))
    expect(
      [...found.tensors.values()].map(({ name, dtype, shape, start, end }) => [
        name,
        dtype,
        shape,
        createHash('sha256').update(file.subarray(start, end)).digest('hex'),
      ]),
    ).toEqual(tensors)
  })

  test('arrays keep their types', async () => {
    const { metadata } = await read(fileOf(golden.files[0]?.[1] ?? ''))
    expect(metadata.get('tokenizer.ggml.tokens')).toMatchObject({ items: 'texts' })
    expect((metadata.get('tokenizer.ggml.scores') as GgufArray).values).toBeInstanceOf(Float32Array)
    expect((metadata.get('tokenizer.ggml.token_type') as GgufArray).values).toBeInstanceOf(Int32Array)
    expect(metadata.get('t.booleans')).toMatchObject({ items: 'booleans' })
  })

  test('a big-endian file is refused by name', async () => {
    await expect(read(fileOf(golden.big_endian))).rejects.toMatchObject({
      code: 'model/unsupported',
      message: expect.stringContaining('wanted a little-endian GGUF file, found a big-endian one in model.gguf') as string,
    })
  })
})

const tensor = (over: Partial<MadeTensor> = {}): MadeTensor => ({ name: 'w', sizes: [32, 2], type: 0, offset: 0, ...over })
const uint8 = (value: number) => [...u32(0), value]
const huge = 2n ** 63n

type Refusal = readonly [what: string, file: MadeFile | Uint8Array, message: RegExp, code?: string]

describe('refuses', () => {
  const cases: readonly Refusal[] = [
    ['an empty file', new Uint8Array(0), /wanted 8 bytes of magic and version at byte 0 of model.gguf, found the file's end after 0/],
    ['another format', new TextEncoder().encode('PK\u0003\u0004 and more of it'), /found model.gguf without its first four letters/],
    ['version 1', { version: 1 }, /wanted GGUF version 2 or 3, found 1 in model.gguf: make it anew/, 'model/unsupported'],
    ['version 4', { version: 4 }, /found 4 in model.gguf/, 'model/unsupported'],
    ['a header that ends in its counts', ggufFile({}).subarray(0, 20), /wanted 16 bytes of the counts/],
    ['2^63 tensors', { tensorCount: huge }, /wanted at most 200000 tensors in model.gguf, found 9223372036854775808/],
    ['more metadata than the file has bytes', { metadataCount: 9999 }, /wanted 129987 bytes of 0 tensors and 9999 metadata entries/],
    [
      'a key without an end',
      { metadata: [['a'.repeat(30), uint8(1)]], metadataCount: 2, tensorCount: 1 },
      /wanted \d+ bytes of 1 tensors and 2 metadata entries/,
    ],
    ['a text beyond the file', { metadata: [['a', [...u32(8), ...u64(2n ** 50n)]]] }, /wanted 1125899906842624 bytes of a at byte/],
    [
      'a key that comes twice',
      {
        metadata: [
          ['a', uint8(1)],
          ['a', uint8(1)],
        ],
      },
      /wanted the metadata key a once in model.gguf/,
    ],
    ['a type unknown', { metadata: [['a', [...u32(13), 0]]] }, /wanted a type from 0 to 12 for a in model.gguf, found 13/],
    ['an array beyond the file', { metadata: [['a', [...u32(9), ...u32(10), ...u64(2n ** 40n)]]] }, /of 1099511627776 items of a at byte/],
    ['texts beyond the file', { metadata: [['a', [...u32(9), ...u32(8), ...u64(huge)]]] }, /items of a at byte/],
    ['no UTF-8', { metadata: [['a', [...u32(8), ...u64(1), 0xff]]] }, /wanted UTF-8 in a at byte/],
    ['a boolean of 2', { metadata: [['a', [...u32(7), 2]]] }, /wanted 0 or 1 as the boolean a in model.gguf, found 2/],
    [
      'arrays too deep',
      { metadata: [['a', [...u32(9), ...Array.from({ length: 12 }, () => [...u32(9), ...u64(1)]).flat()]]], dataBytes: 64 },
      /nested at most 8 deep as a/,
    ],
    [
      'an alignment of 24',
      { metadata: [['general.alignment', [...u32(4), ...u32(24)]]] },
      /wanted a power of two as general.alignment in model.gguf, found 24/,
    ],
    ['an alignment of 0', { metadata: [['general.alignment', [...u32(4), ...u32(0)]]] }, /found 0/],
    ['an alignment that is a text', { metadata: [['general.alignment', [...u32(8), ...text('x')]]] }, /found x/],
    [
      'five axes',
      { tensors: [tensor({ sizes: [32, 1, 1, 1, 1] })], dataBytes: 256 },
      /wanted at most 4 axes of the tensor w in model.gguf, found 5/,
    ],
    [
      'a long name',
      { tensors: [tensor({ name: 'w'.repeat(65) })], dataBytes: 256 },
      /wanted at most 64 bytes of the name of tensor 1 of 1 at byte 32 of model.gguf, found 65/,
    ],
    [
      'a type of tensors unknown',
      { tensors: [tensor({ type: 4 })], dataBytes: 256 },
      /for w in model.gguf, found number 4/,
      'model/unsupported',
    ],
    [
      'sizes whose product overflows',
      { tensors: [tensor({ sizes: [2n ** 32n, 2n ** 32n] })], dataBytes: 256 },
      /wanted sizes that fit into \d+ bytes for the tensor w/,
    ],
    ['a size of 2^64 - 1', { tensors: [tensor({ sizes: [-1n] })], dataBytes: 256 }, /wanted sizes that fit/],
    [
      'rows of no whole blocks',
      { tensors: [tensor({ sizes: [33, 32], type: 2 })], dataBytes: 2048 },
      /wanted rows of whole blocks of 32 values for the tensor w in model.gguf, found Q4_0 \[32, 33\]/,
    ],
    [
      'a tensor beyond the file',
      { tensors: [tensor({ sizes: [32, 3] })], dataBytes: 256 },
      /wanted the tensor w \(F32 \[3, 32\]\) in bytes 96 to 480 of model.gguf, found a file of 352 bytes/,
    ],
    ['an offset beyond the file', { tensors: [tensor({ offset: huge })], dataBytes: 256 }, /wanted the tensor w/],
    ['an offset out of line', { tensors: [tensor({ offset: 4 })], dataBytes: 512 }, /at a multiple of 32 bytes, found offset 4/],
    ['a tensor twice', { tensors: [tensor(), tensor({ offset: 256 })], dataBytes: 512 }, /wanted the tensor w once in model.gguf/],
    [
      'tensors that overlap',
      { tensors: [tensor({ name: 'v', offset: 32 }), tensor()], dataBytes: 512 },
      /wanted the tensor v behind w, which ends at byte 384 of model.gguf, found it at byte 160: they overlap/,
    ],
  ]
  test.each(cases.map(([what, made, message, code]) => [what, made, message, code ?? 'model/corrupt'] as const))(
    '%s',
    async (_, made, message, code) => {
      const file = made instanceof Uint8Array ? made : ggufFile(made)
      await expect(read(file)).rejects.toMatchObject({ name: 'EvalError', code, message: expect.stringMatching(message) as string })
    },
  )
})

test('reads nested arrays, empty arrays and empty tensors', async () => {
  const nested = [...u32(9), ...u32(9), ...u64(2), ...u32(5), ...u64(2), ...u32(7), ...u32(8), ...u32(8), ...u64(1), ...text('x')]
  const file = ggufFile({
    metadata: [
      ['nested', nested],
      ['empty', [...u32(9), ...u32(12), ...u64(0)]],
    ],
    tensors: [tensor({ sizes: [0, 5] }), tensor({ name: 'scalar', sizes: [], offset: 0 })],
    dataBytes: 4,
  })
  const { metadata, tensors } = await read(file)
  expect(metadata.get('nested')).toEqual({
    items: 'arrays',
    values: [
      { items: 'numbers', values: Int32Array.of(7, 8) },
      { items: 'texts', values: ['x'] },
    ],
  })
  expect(metadata.get('empty')).toEqual({ items: 'numbers', values: new Float64Array(0) })
  expect([...tensors.values()].map(({ shape, start, end }) => [shape, end - start])).toEqual([
    [[5, 0], 0],
    [[], 4],
  ])
})

describe('a large vocabulary', () => {
  const tokens = Array.from({ length: 100_000 }, (_, at) => `token ${at} é`)
  const encoder = new TextEncoder()
  const parts = [
    new Uint8Array([...u32(9), ...u32(8), ...u64(tokens.length)]),
    ...tokens.map((token) => {
      const bytes = encoder.encode(token)
      return Uint8Array.from([...u64(bytes.length), ...bytes])
    }),
  ]
  const start = ggufFile({ metadataCount: 1, tensorCount: 1 })
  const header = new Uint8Array(
    Buffer.concat([
      start,
      Uint8Array.from(text('tokenizer.ggml.tokens')),
      ...parts,
      Uint8Array.from([...text('w'), ...u32(2), ...u64(1024), ...u64(1024), ...u32(0), ...u64(0)]),
    ]),
  )

  test('is read by ranges that grow, and the weights are not', async () => {
    const reads: (readonly [number, number])[] = []
    const bytes = Math.ceil(header.length / 32) * 32 + 4 * 1024 * 1024
    const source: ByteSource = {
      name: 'large.gguf',
      bytes,
      read: (from, to) => {
        reads.push([from, to])
        const part = new Uint8Array(to - from)
        part.set(header.subarray(from, to))
        return Promise.resolve(part)
      },
    }
    const { metadata } = await readGguf(source)
    expect((metadata.get('tokenizer.ggml.tokens') as GgufArray).values).toEqual(tokens)
    expect(header.length).toBeGreaterThan(2_000_000)
    // 64 KiB, 128, 256, … one behind the other.
    expect(reads.map(([from, to]) => (to - from) / 65536)).toEqual([1, 2, 4, 8, 16, 32].slice(0, reads.length))
    expect(reads.slice(1).every(([from], at) => from === reads[at]?.[1])).toBe(true)
    expect(reads.at(-1)?.[1]).toBeLessThan(bytes)
  })
})
