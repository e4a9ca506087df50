/**
 * Rows of jsonl and json files, while they stream.
 *
 * `datasets` 5 (packaged_modules/json/json.py) reads 10 MiB and the rest of a line at a time. The first such chunk of the first file decides
 * the columns and their types; what comes later, also from further files, is typed by itself and cast to them, or refused. A file that
 * begins with `[` is one chunk, whatever its size.
 */
import { EvalError } from '../../core/errors.ts'
import type { Table } from '../../core/types.ts'
import { holdsJson, isRecord } from '../decode/infer.ts'
import { parseArrayPrefix, parseJsonPrefix, type ArrayState, type JsonNode, type TextPlace } from '../decode/json-parser.ts'
import { tableOfRows, type Row, type RowOptions } from '../decode/json.ts'
import { castTable, isAllTimestamps, settleJson, type SettledColumns } from './cast.ts'
import { maxRecordBytes } from './limits.ts'
import { evenPieces, peekPieces } from './pieces.ts'
import { batchesOf, type RowBatch } from './row-batch.ts'
import { notUtf8, textBlocks, tooLong, type TextBlock } from './text-blocks.ts'

export interface JsonFile {
  readonly name: string
  /** Unpacked. */
  readonly pieces: AsyncIterable<Uint8Array>
}

/** Bytes of a file that are typed at a time, as in `datasets`. */
export const jsonChunkBytes = 10 * 2 ** 20

export interface JsonRowOptions {
  /** Casts a chunk to columns that are declared elsewhere: the first chunk settles nothing then. */
  readonly declare?: ((table: Table) => Table) | null
  /** For tests. */
  readonly chunkBytes?: number
}

/** Throws `dataset/malformed` with file, line and column, and `dataset/schema` for rows that don't fit the first chunk's columns. */
export async function* jsonRows(
  files: Iterable<JsonFile>,
  { declare = null, chunkBytes = jsonChunkBytes }: JsonRowOptions = {},
): AsyncGenerator<RowBatch> {
  let schema: SettledColumns | null = null
  for (const { name, pieces } of files) {
    for await (const chunk of jsonChunks(pieces, name, chunkBytes)) {
      const { table, next } = tableOfChunk(chunk, schema, name)
      if (declare !== null) {
        yield* batchesOf(declare(table), chunk.bytes)
        continue
      }
      schema = next
      yield* batchesOf(table, chunk.bytes)
    }
  }
}

interface Chunk {
  readonly rows: readonly Row[]
  readonly bytes: number
  readonly kind: 'lines' | 'values' | 'array'
}

function tableOfChunk(
  { rows, kind }: Chunk,
  schema: SettledColumns | null,
  file: string,
): { readonly table: Table; readonly next: SettledColumns } {
  const options: RowOptions = {
    // An array is first rewritten, one object a line; so is all that follows a chunk of values of mixed shapes.
    isRewritten: kind === 'array' || (schema?.columns.some(({ type }) => holdsJson(type)) ?? false),
    isTimestamp: () => true,
    settle: (column, type) => settleJson(type, schema?.columns.find(({ name }) => name === column)?.type ?? type),
  }
  // Only at the start does `datasets` look for records of different shapes, and only where each line is a value.
  const table = tableOfRows(rows, { records: schema === null && kind !== 'values' ? 'json' : 'merge' }, options)
  if (schema !== null) return { table: castTable(table, schema, file), next: schema }
  const timestamps = new Set(table.columns.flatMap(({ name }, at) => (isAllTimestamps(table, at) ? [name] : [])))
  return { table, next: { columns: table.columns, timestamps, isStrict: kind === 'array' } }
}

async function* jsonChunks(pieces: AsyncIterable<Uint8Array>, file: string, chunkBytes: number): AsyncGenerator<Chunk> {
  const { head, whole } = await peekPieces(pieces, 4)
  const hasMark = head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf
  const isArray = head[hasMark ? 3 : 0] === '['.charCodeAt(0)
  if (isArray) yield await readArrayChunk(whole, file)
  else yield* readLineChunks(textBlocks(whole, { file, chunkBytes }), file)
}

/** Text of a value that isn't there whole yet, and where it begins. */
interface Rest extends TextPlace {
  readonly text: string
  /** Parsed again when it has grown to this many characters, so that a long value isn't read from its start for every block. */
  readonly retryAt: number
}

async function* readLineChunks(blocks: AsyncIterable<TextBlock>, file: string): AsyncGenerator<Chunk> {
  let rows: Row[] = []
  let bytes = 0
  let areLines = true
  let values = 0
  let rest: Rest | null = null
  const take = (nodes: readonly JsonNode[]): void => {
    for (const node of nodes) {
      values += 1
      if (!isRecord(node)) throw malformed(file, `value ${values} is no object; a row is an object of columns`)
      rows.push(node)
    }
  }
  for await (const block of blocks) {
    bytes += block.bytes
    const begin: Rest = rest ?? { text: '', file, line: block.line, column: 1, retryAt: 0 }
    const text: string = begin.text + block.text
    const { nodes, end } = text.length < begin.retryAt ? { nodes: [], end: 0 } : parsePart(text, begin, false)
    take(nodes)
    areLines &&= rest === null && end === text.length && hasValuePerLine(text, nodes.length)
    rest = end === text.length ? null : restOf(text, end, begin)
    if (block.endsChunk && rest === null) {
      yield { rows, bytes, kind: areLines ? 'lines' : 'values' }
      rows = []
      bytes = 0
    }
  }
  if (rest !== null) take(parsePart(rest.text, rest, true).nodes)
  if (rows.length > 0) yield { rows, bytes, kind: areLines ? 'lines' : 'values' }
}

function parsePart(text: string, place: TextPlace, isLast: boolean): { readonly nodes: readonly JsonNode[]; readonly end: number } {
  const { values, end } = parseJsonPrefix(text, place, isLast)
  return { nodes: values, end }
}

function restOf(text: string, end: number, begin: Rest): Rest {
  if (end === 0) return { ...begin, text, retryAt: checkLength(text, begin) * 2 }
  const place = placeAt(text, end, begin)
  const rest = text.slice(end)
  return { ...place, text: rest, retryAt: checkLength(rest, place) * 2 }
}

/** The length of a value's text so far. Throws `dataset/malformed` beyond the limit. */
function checkLength(text: string, { file, line }: TextPlace): number {
  if (text.length > maxRecordBytes) throw tooLong(file, line, 'a value')
  return text.length
}

function placeAt(text: string, at: number, { file, line, column }: TextPlace): TextPlace {
  const before = text.slice(0, at)
  const lines = before.split('\n').length - 1
  return { file, line: line + lines, column: lines === 0 ? column + at : at - before.lastIndexOf('\n') }
}

/** As Python's `splitlines` sees it: no blank lines, no value over two lines, no two values on one. */
function hasValuePerLine(text: string, values: number): boolean {
  const lines = text.split(/\r\n|\n|\r/)
  if (lines.at(-1) === '') lines.pop()
  return lines.length === values && lines.every((line) => line.trim() !== '')
}

const arrayPieceBytes = 256 * 1024

/** All items of the one array that the file holds; plain values become the column `text`. */
async function readArrayChunk(pieces: AsyncIterable<Uint8Array>, file: string): Promise<Chunk> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const rows: Row[] = []
  let bytes = 0
  let state: ArrayState = 'start'
  let rest: Rest = { text: '', file, line: 1, column: 1, retryAt: 0 }
  const parse = (more: string, isLast: boolean): void => {
    const text = rest.text + more
    if (!isLast && text.length < rest.retryAt) {
      rest = { ...rest, text }
      return
    }
    const part = parseArrayPrefix(text, rest, { state, isLast })
    for (const item of part.items) rows.push(isRecord(item) ? item : new Map([['text', item]]))
    state = part.state
    rest = restOf(text, part.end, rest)
  }
  for await (const piece of evenPieces(pieces, arrayPieceBytes)) {
    parse(decodePart(decoder, piece, { ...rest, offset: bytes }), false)
    bytes += piece.length
  }
  parse(decodePart(decoder, null, { ...rest, offset: bytes }), true)
  return { rows, bytes, kind: 'array' }
}

function decodePart(
  decoder: TextDecoder,
  piece: Uint8Array | null,
  { text, line, file, offset }: Rest & { readonly offset: number },
): string {
  try {
    return piece === null ? decoder.decode() : decoder.decode(piece, { stream: true })
  } catch (cause) {
    throw notUtf8(piece ?? new Uint8Array(0), { file, line: line + text.split('\n').length - 1, offset }, cause)
  }
}

function malformed(file: string, what: string): EvalError {
  return new EvalError('dataset/malformed', `${file}: ${what}.`, { details: { file } })
}
