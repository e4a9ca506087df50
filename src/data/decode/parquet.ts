/** What parquet's types and values are as columns and cells. */
import { parquetSchema, type Compressors, type FileMetaData, type SchemaTree } from 'hyparquet'
import type { Cell, Feature, Table } from '../../contracts/rows.ts'
import { bounded } from './decompress.ts'
import { printDatetime } from './timestamps.ts'

/** The columns that a footer describes. */
export function columnsOfParquet(metadata: FileMetaData): Table['columns'] {
  return parquetSchema(metadata).children.map((child) => ({ name: child.element.name, type: featureOf(child) }))
}

/** Decompressors for the codecs that the footer names. They come in a chunk of their own: most files need none of them. */
export async function loadCompressors(metadata: FileMetaData): Promise<Compressors | null> {
  const codecs = new Set(metadata.row_groups.flatMap(({ columns }) => columns.map((column) => column.meta_data?.codec ?? 'UNCOMPRESSED')))
  if ([...codecs].every((codec) => codec === 'UNCOMPRESSED' || codec === 'SNAPPY')) return null
  const { compressors, decompressZstd } = await import('hyparquet-compressors')
  return bounded(compressors, decompressZstd)
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Dates and times become the text that Python's `str` prints. */
export const parsers = {
  stringFromBytes: (bytes: Uint8Array | undefined) => (bytes === undefined ? undefined : strictUtf8.decode(bytes)),
  timestampFromMilliseconds: (millis: bigint) => printMicroseconds(millis * 1000n),
  timestampFromMicroseconds: printMicroseconds,
  timestampFromNanoseconds: (nanos: bigint) => printMicroseconds(nanos / 1000n),
  dateFromDays: (days: number) => new Date(days * 86_400_000).toISOString().slice(0, 10),
}

function printMicroseconds(micros: bigint): string {
  const fraction = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n
  return printDatetime(new Date(Number((micros - fraction) / 1000n)), Number(fraction))
}

function featureOf(node: SchemaTree): Feature {
  const { element, children } = node
  const isRepeated = element.repetition_type === 'REPEATED'
  const type = element.converted_type === 'LIST' || element.logical_type?.type === 'LIST' ? featureOfList(children) : featureOfValue(node)
  return isRepeated ? { list: type } : type
}

/** A list is a group around a repeated group around the item; older writers leave the inner group out. */
function featureOfList(children: readonly SchemaTree[]): Feature {
  const [repeated] = children
  if (repeated === undefined) return 'null'
  const [item] = repeated.children
  if (item === undefined) return { list: featureOfValue(repeated) }
  return { list: repeated.children.length === 1 ? featureOf(item) : featureOfValue(repeated) }
}

function featureOfValue({ element, children }: SchemaTree): Feature {
  if (children.length > 0) return { struct: children.map((child) => [child.element.name, featureOf(child)] as const) }
  if (element.logical_type?.type === 'NULL') return 'null'
  switch (element.type) {
    case 'BOOLEAN':
      return 'bool'
    case 'INT32':
    case 'INT64':
      return isWholeNumber(element.converted_type, element.logical_type?.type)
        ? 'int64'
        : isDecimal(element.converted_type)
          ? 'float64'
          : 'string'
    case 'FLOAT':
    case 'DOUBLE':
      return 'float64'
    default:
      return element.logical_type?.type === 'FLOAT16' || isDecimal(element.converted_type) ? 'float64' : 'string'
  }
}

function isWholeNumber(converted: string | undefined, logical: string | undefined): boolean {
  if (converted !== undefined) return converted.startsWith('INT_') || converted.startsWith('UINT_')
  return logical === undefined || logical === 'INTEGER'
}

function isDecimal(converted: string | undefined): boolean {
  return converted === 'DECIMAL'
}

/** What the reader gave, as a cell. Integers are bigints there whatever their size. */
export function cellOfParquet(value: unknown, type: Feature): Cell {
  if (value === null || value === undefined) return null
  if (typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number') return value
  if (typeof value === 'bigint') {
    const isSafe = value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER)
    return isSafe || type === 'float64' ? Number(value) : value
  }
  if (Array.isArray(value) || ArrayBuffer.isView(value)) {
    const inner = typeof type === 'object' && 'list' in type ? type.list : 'string'
    return Array.from(value as ArrayLike<unknown>, (item) => cellOfParquet(item, inner)) // Arrays of numbers may come typed.
  }
  if (typeof type !== 'object' || !('struct' in type))
    throw new Error(`a value of an unknown kind: ${Object.prototype.toString.call(value)}`)
  const record = value as { readonly [key: string]: unknown } // The schema says so.
  return Object.fromEntries(type.struct.map(([name, inner]) => [name, cellOfParquet(record[name], inner)]))
}
