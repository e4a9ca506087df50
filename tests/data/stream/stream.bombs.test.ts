/** Small files that would take gigabytes are refused before they do. */
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { bytesFile } from '../../../src/data/dataset/data-file.ts'
import type { Format } from '../../../src/data/dataset/formats.ts'
import { decodeHere } from '../../../src/data/stream/decode-split.ts'
import { checkThrift } from '../../../src/data/stream/thrift.ts'
import { codecs, encodings, parquetFile, plainTexts, sameIndex, steadyDeltas, types, withFooter, type Page } from '../parquet-builder.ts'

const read = (format: Format, name: string, bytes: Uint8Array, options: { readonly [key: string]: string } = {}) =>
  decodeHere({ format, options, files: [bytesFile(name, () => Promise.resolve(bytes))] })
const refused = (message: string) => ({ code: 'dataset/malformed', message: expect.stringContaining(message) as string })

const page = (body: Uint8Array, values: number, more: Partial<Page> = {}): Page => ({
  kind: 'data',
  body,
  values,
  encoding: encodings.plain,
  ...more,
})
const text = { name: 't', type: types.byteArray }
const long = 'x'.repeat(100_000)
/** Packing well takes seconds. */
const quickly = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }
const utf8 = (value: string): Uint8Array => new TextEncoder().encode(value)

describe('a parquet file by hand', () => {
  it('is read as it was meant', async () => {
    const plain = parquetFile([{ rows: 2, columns: [{ ...text, pages: [page(plainTexts(['a', 'b']), 2)] }] }])
    expect((await read('parquet', 'x.parquet', plain)).rows).toEqual([['a'], ['b']])
    const indexed = parquetFile([
      {
        rows: 3,
        columns: [
          {
            ...text,
            pages: [page(plainTexts(['same']), 1, { kind: 'dictionary' }), page(sameIndex(3), 3, { encoding: encodings.rleDictionary })],
          },
        ],
      },
    ])
    expect((await read('parquet', 'x.parquet', indexed)).rows).toEqual([['same'], ['same'], ['same']])
    const body = Buffer.concat([steadyDeltas(3, 0, 1), steadyDeltas(3, 1, 0), utf8('abc')])
    const prefixed = parquetFile([{ rows: 3, columns: [{ ...text, pages: [page(body, 3, { encoding: encodings.deltaByteArray })] }] }])
    expect((await read('parquet', 'x.parquet', prefixed)).rows).toEqual([['a'], ['ab'], ['abc']])
    for (const [codec, packed] of [
      [codecs.brotli, brotliCompressSync(plainTexts(['abc']))],
      [codecs.gzip, gzipSync(plainTexts(['abc']))],
    ] as const) {
      const file = parquetFile([{ rows: 1, columns: [{ ...text, codec, pages: [page(new Uint8Array(packed), 1, { unpacked: 7 })] }] }])
      expect((await read('parquet', 'x.parquet', file)).rows).toEqual([['abc']])
    }
  })
})

describe('a parquet file is refused that', () => {
  const groups = (count: number, rows: number) => Array.from({ length: count }, () => ({ rows, columns: [] }))
  it.each([
    ['has rows and no columns', parquetFile(groups(30, 30_000_000), []), 'rows without a column'],
    ['has row groups without the columns that it names', parquetFile(groups(30, 30_000_000), [text]), 'row group of 0 columns'],
    [
      'has fewer values than rows',
      parquetFile([{ rows: 30_000_000, columns: [{ ...text, values: 1, pages: [page(plainTexts(['a']), 1)] }] }]),
      'promises 30000000 rows',
    ],
    [
      'has many columns and row groups with one',
      parquetFile(
        [{ rows: 3, columns: [{ ...text, pages: [page(plainTexts(['a', 'b', 'c']), 3)] }] }],
        Array.from({ length: 5000 }, (_, at) => ({ ...text, name: `t${at}` })),
      ),
      'row group of 1 columns, of the 5000',
    ],
    [
      'promises a footer of endless lists',
      withFooter([utf8('PAR1')], { struct: { 2: { promisedStructs: 30_000_000 } } }),
      'a list of 30000000 items',
    ],
    [
      'repeats one long text in all its rows',
      parquetFile([
        {
          rows: 1_000_000,
          columns: [
            {
              ...text,
              pages: [
                page(plainTexts([long]), 1, { kind: 'dictionary' }),
                page(sameIndex(1_000_000), 1_000_000, { encoding: encodings.rleDictionary }),
              ],
            },
          ],
        },
      ]),
      'is refused: its first',
    ],
    [
      'writes a long text once and lets all others begin with it',
      parquetFile([
        {
          rows: 100_000,
          columns: [
            {
              ...text,
              pages: [
                page(Buffer.concat([deltasFromSecond(100_000, long.length), suffixesOfFirst(100_000, long.length), utf8(long)]), 100_000, {
                  encoding: encodings.deltaByteArray,
                }),
              ],
            },
          ],
        },
      ]),
      'is refused: it unpacks',
    ],
    [
      'makes room for millions of blocks of differences',
      parquetFile([
        {
          rows: 2,
          columns: [
            {
              name: 'n',
              type: types.int64,
              pages: [
                page(Uint8Array.from([0x80, 0x01, 0xff, 0xff, 0xff, 0x7f, 2, 0, 0, 0]), 2, { encoding: encodings.deltaBinaryPacked }),
              ],
            },
          ],
        },
      ]),
      'blocks',
    ],
    [
      'unpacks to more than its page header says',
      parquetFile([
        {
          rows: 1,
          columns: [
            {
              ...text,
              codec: codecs.brotli,
              pages: [page(new Uint8Array(brotliCompressSync(Buffer.alloc(200 * 2 ** 20), quickly)), 1, { unpacked: 7 })],
            },
          ],
        },
      ]),
      'can not be read',
    ],
    [
      'has a zstd page with a window of two gigabytes',
      parquetFile([
        {
          rows: 1,
          columns: [
            { ...text, codec: codecs.zstd, pages: [page(Uint8Array.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0xa7, 1, 0, 0]), 1, { unpacked: 7 })] },
          ],
        },
      ]),
      'x.parquet',
    ],
  ])('%s', async (_what, file, message) => {
    await expect(read('parquet', 'x.parquet', file)).rejects.toMatchObject(refused(message))
  })
})

describe('a header in thrift', () => {
  it.each([
    ['a list longer than what holds it', [0x19, 0xfc, 0xff, 0xff, 0xff, 0x07]],
    ['lists within lists', [...Array.from({ length: 60 }, (_, at) => (at === 0 ? 0x19 : 0x19)), 0]],
    ['a number without an end', [0x15, ...Array.from({ length: 40 }, () => 0xff)]],
    ['a text longer than what holds it', [0x18, 0xff, 0x7f, 0x61]],
    ['no end', [0x15, 0x02]],
  ])('is refused with %s', (_what, bytes) => {
    expect(() => checkThrift(Uint8Array.from(bytes), 0)).toThrow(RangeError)
  })

  it('ends where its struct does', () => {
    expect(checkThrift(Uint8Array.from([9, 9, 0x15, 0x02, 0x1c, 0x18, 1, 0x61, 0, 0, 7]), 2)).toBe(10)
  })
})

// Each reads some hundred kilobytes of rows before it refuses them: seconds, more on a busy machine.
describe('rows of many shapes', { timeout: 120_000 }, () => {
  const keys = Array.from({ length: 40_000 }, (_, at) => `{"k${at}":1}`).join('\n')
  it('in lines that have one column each are refused', async () => {
    await expect(read('json', 'x.jsonl', utf8(keys))).rejects.toMatchObject(refused('is refused'))
  })

  it('in an array that have one column each are refused', async () => {
    await expect(read('json', 'x.json', utf8(`[${keys.replaceAll('\n', ',')}]`))).rejects.toMatchObject(refused('is refused'))
  })

  it('in records within one column are refused', async () => {
    const nested = Array.from({ length: 20_000 }, (_, at) => `{"a":{"k${at}":1}}`).join(' ')
    await expect(read('json', 'x.jsonl', utf8(nested))).rejects.toMatchObject(refused('is refused'))
  })

  it('under a key are refused', async () => {
    await expect(read('json', 'x.json', utf8(`{"data":[${keys.replaceAll('\n', ',')}]}`), { field: 'data' })).rejects.toMatchObject(
      refused('is refused'),
    )
  })

  it('below a header of very many columns are refused', async () => {
    const header = Array.from({ length: 30_000 }, (_, at) => `c${at}`).join(',')
    await expect(read('csv', 'x.csv', utf8(`${header}\n${'1\n'.repeat(9_000)}`))).rejects.toMatchObject(refused('is refused'))
  })

  it('that leave most of two hundred columns out are read', async () => {
    const rows = Array.from({ length: 2000 }, (_, at) => `{"k${at % 200}":"some text of a usual length"}`).join('\n')
    expect((await read('json', 'x.jsonl', utf8(rows))).columns.length).toBe(200)
  })
})

/** Prefix lengths 0, then always `length`. */
function deltasFromSecond(count: number, length: number): Uint8Array {
  return jump(count, 0, length)
}

/** Suffix lengths `length`, then always 0. */
function suffixesOfFirst(count: number, length: number): Uint8Array {
  return jump(count, length, 0)
}

/** Differences of `first` and then always `then`: one block of one value that jumps, then blocks that stay. */
function jump(count: number, first: number, then: number): Uint8Array {
  const number = (value: number): number[] => {
    const bytes: number[] = []
    for (let rest = value; ; rest = Math.floor(rest / 128)) {
      if (rest < 128) return [...bytes, rest]
      bytes.push((rest % 128) + 128)
    }
  }
  const signed = (value: number): number[] => number(value < 0 ? -2 * value - 1 : 2 * value)
  // A block of one value each: the first jumps, all others stay.
  const bytes = [...number(1), ...number(1), ...number(count), ...signed(first), ...signed(then - first), 0]
  for (let at = 2; at < count; at++) bytes.push(0, 0)
  return Uint8Array.from(bytes)
}
