/** One case of the fuzzer: the decoder must give the right rows or an error of its own, whatever the file and however it arrives. */
import { isEvalError, type EvalError } from '../../src/base/errors.ts'
import type { Table } from '../../src/contracts/rows.ts'
import { decodeHere } from '../../src/data/stream/decode-split.ts'
import type { RowFile } from '../../src/data/stream/stream-rows.ts'
import { differsFromObjects, differsFromRecords } from './agreement.ts'
import type { FuzzCase } from './cases.ts'
import { readValues } from './json-reading.ts'
import { readGzip, readRecords, readRowCount } from './other-readings.ts'
import type { Random } from './random.ts'
import type { CaseResult } from './target.ts'

type Outcome = { readonly table: Table } | { readonly error: EvalError }

/** Decodes the case at once and in random chunks, and holds both against each other and against another reading. */
export async function runCase(one: FuzzCase): Promise<CaseResult> {
  const whole = await attempt(one, one.bytes, null)
  if (typeof whole === 'string') return { failure: whole, wasRead: false }
  // Parquet is read by ranges: how it streams makes no difference.
  const chunked = one.format === 'parquet' ? whole : await attempt(one, one.bytes, one.random)
  const wasRead = 'table' in whole
  if (typeof chunked === 'string') return { failure: `in chunks: ${chunked}`, wasRead }
  const failure = differsByChunks(whole, chunked) ?? (await contradiction(one, whole)) ?? pollution()
  return { failure, wasRead }
}

/** The outcome, or what kind of foreign error came. */
async function attempt({ name, loader }: FuzzCase, bytes: Uint8Array, random: Random | null): Promise<Outcome | string> {
  try {
    return { table: await decodeHere({ format: loader, options: {}, files: [fileOf(name, bytes, random)] }) }
  } catch (error) {
    if (isEvalError(error) && error.code !== 'internal') return { error }
    return `threw ${error instanceof Error ? `${error.name}: ${error.message}\n${error.stack ?? ''}` : String(error)}`
  }
}

function fileOf(name: string, bytes: Uint8Array, random: Random | null): RowFile {
  return {
    name,
    length: () => Promise.resolve(bytes.length),
    read: (start, end) => Promise.resolve(bytes.subarray(start, end)),
    async *stream() {
      let at = 0
      while (at < bytes.length) {
        const size = random === null ? bytes.length : random.below(random.pick([2, 10, 100, bytes.length + 1]))
        // Enough pieces: large files would take millions of them.
        const end = Math.max(at + size, bytes.length > 100_000 ? at + 5000 + size : 0)
        yield bytes.subarray(at, end)
        at = end
      }
    },
  }
}

function differsByChunks(whole: Outcome, chunked: Outcome): string | null {
  if ('error' in whole && 'error' in chunked)
    return whole.error.code === chunked.error.code && whole.error.message === chunked.error.message
      ? null
      : `in chunks: ${chunked.error.message}, at once: ${whole.error.message}`
  if ('error' in whole) return `in chunks it can be read, at once: ${whole.error.message}`
  if ('error' in chunked) return `at once it can be read, in chunks: ${chunked.error.message}`
  return print(whole.table) === print(chunked.table) ? null : 'other rows in chunks than at once'
}

function print(table: Table): string {
  return JSON.stringify(table, (_, value: unknown) =>
    typeof value === 'bigint' ? `${value}n` : typeof value === 'number' && !Number.isFinite(value) ? String(value) : value,
  )
}

function pollution(): string | null {
  return Object.keys(Object.prototype).length > 0 || 'polluted' in {} ? 'Object.prototype was changed' : null
}

async function contradiction(one: FuzzCase, outcome: Outcome): Promise<string | null> {
  switch (one.format) {
    case 'jsonl':
    case 'json':
      return jsonContradiction(one.bytes, outcome)
    case 'csv':
      return csvContradiction(one.bytes, outcome)
    case 'gz':
      return gzipContradiction(one, outcome)
    case 'parquet':
      return parquetContradiction(one, outcome)
  }
}

/** Errors for what `JSON.parse` takes and we refuse on purpose. */
const stricter = /comes twice|too large for a float|surrogate|nested deeper|is no object|longer than/

function jsonContradiction(bytes: Uint8Array, outcome: Outcome): string | null {
  const text = decode(bytes)
  const values = text === null ? null : readValues(text)
  if (values === null) return 'table' in outcome ? 'rows from a text that is no JSON' : null
  const isArray = text?.startsWith('[') === true
  if (isArray && (values.length !== 1 || !Array.isArray(values[0])))
    return 'table' in outcome ? 'rows from an array with more behind it' : null
  const items: readonly unknown[] = isArray && Array.isArray(values[0]) ? values[0] : values
  if ('error' in outcome) return stricter.test(outcome.error.message) ? null : `refused what can be read: ${outcome.error.message}`
  const rows = items.map((item) => (isObject(item) ? item : { text: item }))
  return differsFromObjects(outcome.table, rows)
}

function csvContradiction(bytes: Uint8Array, outcome: Outcome): string | null {
  const text = decode(bytes)
  const records = text === null ? null : readRecords(text)
  if (records === null) return 'table' in outcome ? 'rows from a text with an open quote, or that is none' : null
  const [header] = records
  const tooLong = header === undefined || records.some((fields) => fields.length > header.length)
  if ('error' in outcome)
    return tooLong || /64 bits/.test(outcome.error.message) ? null : `refused what can be read: ${outcome.error.message}`
  return tooLong ? 'rows from records that are longer than their header' : differsFromRecords(outcome.table, records)
}

async function gzipContradiction(one: FuzzCase, outcome: Outcome): Promise<string | null> {
  const isMarked = one.bytes[0] === 0x1f && one.bytes[1] === 0x8b && one.bytes[2] === 8
  if (!isMarked) return jsonContradiction(one.bytes, outcome)
  const other = readGzip(one.bytes)
  if (other === null) return 'table' in outcome ? 'rows from a file that zlib refuses' : null
  if (other.rest === 'member') return null
  if (other.rest === 'other') return 'table' in outcome ? 'rows from a file with something behind its last member' : null
  const inner = await attempt(one, other.bytes, null)
  if (typeof inner === 'string') return inner
  if ('error' in inner && 'error' in outcome) return null
  if ('error' in outcome) return `refused what zlib unpacks: ${outcome.error.message}`
  if ('error' in inner) return `rows that the unpacked file hasn't got: ${inner.error.message}`
  return print(inner.table) === print(outcome.table) ? null : 'other rows than the unpacked file has'
}

function parquetContradiction({ bytes, isIntact }: FuzzCase, outcome: Outcome): string | null {
  if ('error' in outcome) return isIntact ? `refused an intact file: ${outcome.error.message}` : null
  const count = readRowCount(bytes)
  if (count === null || count !== BigInt(outcome.table.rows.length))
    return `${outcome.table.rows.length} rows, the footer says ${String(count)}`
  const ragged = outcome.table.rows.findIndex((row) => row.length !== outcome.table.columns.length)
  return ragged === -1 ? null : `row ${ragged} is not as wide as the table`
}

function decode(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
