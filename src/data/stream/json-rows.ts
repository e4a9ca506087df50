/**
 * Rows of jsonl and json files, while they stream.
 *
 * `datasets` 5 (packaged_modules/json/json.py) reads 10 MiB and the rest of a line at a time. The first such chunk of the first file decides
 * the columns and their types; what comes later, also from further files, is typed by itself and cast to them, or refused. A file that
 * begins with `[` is one chunk, whatever its size.
 *
 * A chunk is read twice, once for its types and once for its cells: its bytes take a fraction of the memory that its values would.
 */
import type { Cell, Table } from '../../contracts/rows.ts'
import { holdsJson, mendCell, toCell } from '../decode/infer.ts'
import { dropNonFinite, type Row } from '../decode/json.ts'
import { TypeState } from '../decode/type-state.ts'
import { BlockStore } from './block-store.ts'
import { rowCaster, settleJson, type SettledColumns } from './cast.ts'
import { ArrayParser, ValueParser, type RowParser } from './json-parts.ts'
import { CellCount } from './limits.ts'
import { evenPieces, peekPieces } from './pieces.ts'
import { batchesOf, type RowBatch } from './row-batch.ts'
import { notUtf8, textBlocks } from './text-blocks.ts'
import { decodeUtf8Text } from './utf8.ts'

interface JsonFile {
  readonly name: string
  /** Unpacked. */
  readonly pieces: AsyncIterable<Uint8Array>
}

interface JsonRowOptions {
  /** Casts rows to columns that are declared elsewhere: the first chunk settles nothing then. */
  readonly declare?: ((table: Table) => Table) | null
  /** For tests. */
  readonly chunkBytes?: number
}

/** Bytes of a file that are typed at a time, as in `datasets`. */
export const jsonChunkBytes = 10 * 2 ** 20

/** Bytes of an array that are read at a time. */
const arrayPieceBytes = 32 * 1024

/** Throws `dataset/malformed` with file, line and column, and `dataset/schema` for rows that don't fit the first chunk's columns. */
export async function* jsonRows(
  files: Iterable<JsonFile>,
  { declare = null, chunkBytes = jsonChunkBytes }: JsonRowOptions = {},
): AsyncGenerator<RowBatch> {
  let settled: SettledColumns | null = null
  for (const { name, pieces } of files) {
    const cells = new CellCount(name)
    for await (const chunk of jsonChunks(pieces, name, { chunkBytes, isTypedAlone: declare !== null })) {
      const typed: TypedChunk = typeChunk(chunk, settled, { file: name, cells })
      if (declare === null) settled ??= { columns: typed.columns, timestamps: typed.timestamps, isStrict: chunk.isArray }
      for (const { rows, bytes } of chunk.read()) {
        cells.add(rows.length * Math.max(typed.columns.length, settled?.columns.length ?? 0), bytes)
        const table = { columns: typed.columns, rows: rows.map(typed.toCells) }
        if (declare !== null) yield* batchesOf(declare(table), bytes)
        else yield* batchesOf({ columns: settled?.columns ?? typed.columns, rows: table.rows.map(typed.cast) }, bytes)
      }
    }
  }
}

/** A chunk after its first reading. */
interface Chunk {
  readonly isArray: boolean
  /** Every line was one value. */
  readonly areLines: boolean
  /** The types of its columns, in order of appearance. */
  readonly columns: ReadonlyMap<string, TypeState>
  /** Its rows, a block at a time. */
  readonly read: () => Iterable<{ readonly rows: readonly Row[]; readonly bytes: number }>
}

interface TypedChunk {
  readonly columns: Table['columns']
  readonly timestamps: ReadonlySet<string>
  readonly toCells: (row: Row) => readonly Cell[]
  /** From this chunk's columns to the settled ones. */
  readonly cast: (cells: readonly Cell[]) => readonly Cell[]
}

function typeChunk(
  { isArray, areLines, columns: states }: Chunk,
  settled: SettledColumns | null,
  { file, cells: counted }: { readonly file: string; readonly cells: CellCount },
): TypedChunk {
  const count = (cells: number): void => {
    counted.add(cells)
  }
  // Only at the start does `datasets` look for records of different shapes, and only where each line is a value.
  const options = { records: settled === null && areLines ? 'json' : 'merge' } as const
  const known = new Map(settled?.columns.map(({ name, type }) => [name, type]))
  const columns = [...states].map(([name, state]) => {
    const inferred = state.finish(options)
    const type = settleJson(inferred, known.get(name) ?? inferred)
    return { name, type, places: state.timestamps(type) }
  })
  const timestamps = new Set(columns.flatMap(({ name, places }) => (places.kind === 'text' ? [name] : [])))
  // An array is first rewritten, one object a line; so is a file with values of mixed shapes, from where they are met.
  const isRewritten = isArray || [...columns, ...(settled?.columns ?? [])].some(({ type }) => holdsJson(type))
  const own = { columns: columns.map(({ name, type }) => ({ name, type })), timestamps }
  return {
    ...own,
    toCells: (row) =>
      columns.map(({ name, type, places }) => mendCell(toCell(row.get(name) ?? null, type, { isRewritten, count }), places)),
    cast: settled === null ? (cells) => cells : rowCaster(own, settled, file),
  }
}

interface ChunkOptions {
  readonly chunkBytes: number
  /** Later chunks are typed as the first is. */
  readonly isTypedAlone: boolean
}

async function* jsonChunks(pieces: AsyncIterable<Uint8Array>, file: string, options: ChunkOptions): AsyncGenerator<Chunk> {
  const { head, whole } = await peekPieces(pieces, 4)
  const hasMark = head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf
  if (head[hasMark ? 3 : 0] === '['.charCodeAt(0)) yield await readArrayChunk(whole, file)
  else yield* readLineChunks(whole, file, options)
}

async function* readLineChunks(
  pieces: AsyncIterable<Uint8Array>,
  file: string,
  { chunkBytes, isTypedAlone }: ChunkOptions,
): AsyncGenerator<Chunk> {
  const store = new BlockStore()
  let parser = new ValueParser({ file, line: 1, column: 1 }, 0, true)
  let second = new ValueParser({ file, line: 1, column: 1 }, 0, false)
  let columns = new Map<string, TypeState>()
  const chunk = (isEnd: boolean): Chunk => ({
    isArray: false,
    areLines: parser.areLines,
    columns,
    read: () => readAgain(store, second, isEnd),
  })
  let isFirstBlock = true
  for await (const { text, bytes, endsChunk } of textBlocks(pieces, { file, chunkBytes })) {
    store.add(isFirstBlock ? withoutMark(bytes) : bytes)
    isFirstBlock = false
    addTypes(columns, parser.take(text), false)
    if (!endsChunk || !parser.isBetween) continue
    yield chunk(false)
    store.clear()
    columns = new Map()
    parser = new ValueParser(parser.place, parser.values, isTypedAlone)
    second = new ValueParser(parser.place, parser.values, false)
  }
  addTypes(columns, parser.end(), false)
  if (parser.values > second.values) yield chunk(true)
}

function withoutMark(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes
}

function* readAgain(
  store: BlockStore,
  parser: RowParser,
  isEnd: boolean,
): Generator<{ readonly rows: readonly Row[]; readonly bytes: number }> {
  for (const block of store.blocks()) yield { rows: parser.take(decodeUtf8Text(block) ?? ''), bytes: block.length }
  if (isEnd) yield { rows: parser.end(), bytes: 0 }
}

function addTypes(columns: Map<string, TypeState>, rows: readonly Row[], isRewritten: boolean): void {
  for (const row of rows) {
    for (const [name, value] of row) {
      let state = columns.get(name)
      if (state === undefined) {
        state = new TypeState()
        columns.set(name, state)
      }
      state.add(isRewritten ? dropNonFinite(value) : value)
    }
  }
}

async function readArrayChunk(pieces: AsyncIterable<Uint8Array>, file: string): Promise<Chunk> {
  const store = new BlockStore()
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const parser = new ArrayParser(file)
  const columns = new Map<string, TypeState>()
  for await (const piece of evenPieces(pieces, arrayPieceBytes)) {
    let text: string
    try {
      text = decoder.decode(piece, { stream: true })
    } catch {
      throw notUtf8(piece, { file, line: parser.place.line, offset: store.bytes })
    }
    store.add(piece)
    addTypes(columns, parser.take(text), true)
  }
  try {
    addTypes(columns, parser.take(decoder.decode()), true)
  } catch (cause) {
    throw cause instanceof TypeError ? notUtf8(new Uint8Array(0), { file, line: parser.place.line, offset: store.bytes }) : cause
  }
  addTypes(columns, parser.end(), true)
  return { isArray: true, areLines: true, columns, read: () => readArrayAgain(store, file) }
}

function* readArrayAgain(store: BlockStore, file: string): Generator<{ readonly rows: readonly Row[]; readonly bytes: number }> {
  const decoder = new TextDecoder('utf-8')
  const parser = new ArrayParser(file)
  for (const block of store.blocks()) yield { rows: parser.take(decoder.decode(block, { stream: true })), bytes: block.length }
  yield { rows: [...parser.take(decoder.decode()), ...parser.end()], bytes: 0 }
}
