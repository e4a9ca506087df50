/** Parquet files written by hand, so that they can promise what no writer would. */

type Thrift =
  | { readonly i32: number }
  | { readonly i64: number }
  | { readonly text: string | Uint8Array }
  | { readonly list: readonly Thrift[] }
  /** A list's head alone: so many structs, of which none follows. */
  | { readonly promisedStructs: number }
  | { readonly struct: { readonly [field: number]: Thrift } }

function varint(value: number): number[] {
  const bytes: number[] = []
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return [...bytes, rest]
    bytes.push((rest % 128) + 128)
  }
}

const zigzag = (value: number): number[] => varint(value * 2)
const typeOf = (value: Thrift): number => ('i32' in value ? 5 : 'i64' in value ? 6 : 'text' in value ? 8 : 'struct' in value ? 12 : 9)

function write(value: Thrift): number[] {
  if ('i32' in value) return zigzag(value.i32)
  if ('i64' in value) return zigzag(value.i64)
  if ('text' in value) {
    const bytes = typeof value.text === 'string' ? new TextEncoder().encode(value.text) : value.text
    return [...varint(bytes.length), ...bytes]
  }
  if ('promisedStructs' in value) return [0xf0 + 12, ...varint(value.promisedStructs)]
  if ('list' in value) {
    const [first] = value.list
    const bytes: number[] = [0xf0 + (first === undefined ? 12 : typeOf(first)), ...varint(value.list.length)]
    for (const item of value.list) for (const byte of write(item)) bytes.push(byte)
    return bytes
  }
  const bytes: number[] = []
  let before = 0
  for (const [field, item] of Object.entries(value.struct)) {
    bytes.push((Number(field) - before) * 16 + typeOf(item))
    for (const byte of write(item)) bytes.push(byte)
    before = Number(field)
  }
  bytes.push(0)
  return bytes
}

/** Codes of parquet.thrift. */
export const types = { boolean: 0, int32: 1, int64: 2, byteArray: 6 } as const
export const encodings = { plain: 0, plainDictionary: 2, rle: 3, deltaBinaryPacked: 5, deltaByteArray: 7, rleDictionary: 8 } as const
export const codecs = { none: 0, snappy: 1, gzip: 2, brotli: 4, zstd: 6 } as const

export interface Page {
  readonly kind: 'data' | 'dictionary'
  readonly body: Uint8Array
  /** Its length when it is unpacked; absent = the body's. */
  readonly unpacked?: number
  readonly values: number
  readonly encoding: number
}

export interface Column {
  readonly name: string
  readonly type: number
  readonly codec?: number
  readonly pages: readonly Page[]
  /** What the footer says; absent = the rows. */
  readonly values?: number
}

export interface Group {
  readonly rows: number
  readonly columns: readonly Column[]
}

function pageBytes({ kind, body, unpacked = body.length, values, encoding }: Page): Uint8Array {
  const sizes = { 2: { i32: unpacked }, 3: { i32: body.length } } as const
  const levels = { i32: encodings.rle }
  const header: Thrift =
    kind === 'dictionary'
      ? { struct: { 1: { i32: 2 }, ...sizes, 7: { struct: { 1: { i32: values }, 2: { i32: encoding } } } } }
      : { struct: { 1: { i32: 0 }, ...sizes, 5: { struct: { 1: { i32: values }, 2: { i32: encoding }, 3: levels, 4: levels } } } }
  return Buffer.concat([Uint8Array.from(write(header)), body])
}

/** A file of required, flat columns. `schema` names columns and types, those of the first group by themselves. */
export function parquetFile(
  groups: readonly Group[],
  schema: readonly { readonly name: string; readonly type: number }[] = groups[0]?.columns ?? [],
): Uint8Array {
  const parts: Uint8Array[] = [new TextEncoder().encode('PAR1')]
  let at = 4
  const rowGroups = groups.map(({ rows, columns }): Thrift => {
    const chunks = columns.map((column): Thrift => {
      const start = at
      const hasDictionary = column.pages[0]?.kind === 'dictionary'
      let dataStart = at
      column.pages.forEach((page, index) => {
        const bytes = pageBytes(page)
        parts.push(bytes)
        at += bytes.length
        if (index === 0 && hasDictionary) dataStart = at
      })
      const meta: Thrift = {
        struct: {
          1: { i32: column.type },
          2: { list: [{ i32: encodings.plain }] },
          3: { list: [{ text: column.name }] },
          4: { i32: column.codec ?? codecs.none },
          5: { i64: column.values ?? rows },
          6: { i64: at - start },
          7: { i64: at - start },
          9: { i64: dataStart },
          ...(hasDictionary ? { 11: { i64: start } } : {}),
        },
      }
      return { struct: { 2: { i64: start }, 3: meta } }
    })
    return { struct: { 1: { list: chunks }, 2: { i64: 0 }, 3: { i64: rows } } }
  })
  const root: Thrift = { struct: { 4: { text: 'schema' }, 5: { i32: schema.length } } }
  const elements = schema.map(({ name, type }): Thrift => ({ struct: { 1: { i32: type }, 3: { i32: 0 }, 4: { text: name } } }))
  const total = groups.reduce((sum, { rows }) => sum + rows, 0)
  return withFooter(parts, { struct: { 1: { i32: 1 }, 2: { list: [root, ...elements] }, 3: { i64: total }, 4: { list: rowGroups } } })
}

/** A file with this footer behind these parts. */
export function withFooter(parts: readonly Uint8Array[], footer: Thrift): Uint8Array {
  const bytes = Uint8Array.from(write(footer))
  const length = new Uint8Array(4)
  new DataView(length.buffer).setUint32(0, bytes.length, true)
  return new Uint8Array(Buffer.concat([...parts, bytes, length, new TextEncoder().encode('PAR1')]))
}

/** Texts as plain values. */
export function plainTexts(texts: readonly string[]): Uint8Array {
  return Buffer.concat(
    texts.map((text) => {
      const bytes = new TextEncoder().encode(text)
      const length = new Uint8Array(4)
      new DataView(length.buffer).setUint32(0, bytes.length, true)
      return Buffer.concat([length, bytes])
    }),
  )
}

/** The same place of the dictionary so many times, in a run of a few bytes. */
export function sameIndex(times: number): Uint8Array {
  return Uint8Array.from([1, ...varint(times * 2), 0])
}

/** Differences that are all alike: the first value, and what each is more than the one before. */
export function steadyDeltas(count: number, first: number, more: number): Uint8Array {
  const block = 2 ** 20
  const blocks: number[] = []
  for (let done = 1; done < count; done += block) blocks.push(...zigzag(more), 0)
  return Uint8Array.from([...varint(block), ...varint(1), ...varint(count), ...zigzag(first), ...blocks])
}
