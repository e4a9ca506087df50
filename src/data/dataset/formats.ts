/** Which loader reads which file. */
import type { Json } from '../../base/errors.ts'
import type { Table } from '../../contracts/rows.ts'
import type { NamedBytes } from '../decode/json.ts'
import { decodeHere } from '../stream/decode-split.ts'
import { bytesFile } from './data-file.ts'
import { extensionOf, type Format } from './extension.ts'

export type { Format }

export const formats: readonly Format[] = ['json', 'csv', 'parquet', 'text']

const byExtension = new Map<string, Format>([
  ['json', 'json'],
  ['jsonl', 'json'],
  ['ndjson', 'json'],
  ['csv', 'csv'],
  ['tsv', 'csv'],
  ['parquet', 'parquet'],
  ['txt', 'text'],
])

/** The format that a file's name tells, compressed or not; null for none of ours. */
export function formatOf(path: string): Format | null {
  return byExtension.get(extensionOf(path)) ?? null
}

/** The rows of files that are in memory. `kwargs` are the loader's options. Throws what `streamRows` throws. */
export async function decodeFiles(format: Format, files: readonly NamedBytes[], kwargs: { readonly [key: string]: Json }): Promise<Table> {
  return decodeHere({ format, options: kwargs, files: files.map(({ name, bytes }) => bytesFile(name, () => Promise.resolve(bytes))) })
}
