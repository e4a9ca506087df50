/** Which decoder reads which file. */
import { EvalError, type Json } from '../core/errors.ts'
import type { Table } from '../core/types.ts'
import { decodeCsv, readCsvOptions } from './decode/csv.ts'
import { gunzip, isGzip } from './decode/gzip.ts'
import { decodeJson, type NamedBytes } from './decode/json.ts'
import { decodeParquet } from './decode/parquet.ts'
import { decodeText } from './decode/text.ts'

export type Format = 'json' | 'csv' | 'parquet' | 'text'

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

function extensionOf(path: string): string {
  return /\.([^./]+)$/.exec(path.replace(/\.gz$/, ''))?.[1]?.toLowerCase() ?? ''
}

/** The rows of a split's files. `kwargs` are the loader's options. Throws `dataset/malformed`, `dataset/schema`, `task/unsupported`. */
export async function decodeFiles(format: Format, packed: readonly NamedBytes[], kwargs: { readonly [key: string]: Json }): Promise<Table> {
  const files = await Promise.all(
    packed.map(async ({ name, bytes }) => ({ name, bytes: isGzip(bytes) ? await gunzip(bytes, name) : bytes })),
  )
  switch (format) {
    case 'json':
      return decodeJson(files, readField(kwargs))
    case 'csv':
      return decodeCsv(files, readCsvOptions(kwargs, separatorOf(files[0]?.name ?? '')))
    case 'parquet':
      return decodeParquet(files)
    case 'text':
      return decodeText(files, kwargs)
  }
}

/** Tabs for files that say so by their name. */
function separatorOf(name: string): string {
  return extensionOf(name) === 'tsv' ? '\t' : ','
}

function readField(kwargs: { readonly [key: string]: Json }): string | null {
  const { field } = kwargs
  if (field === undefined || field === null) return null
  if (typeof field === 'string') return field
  throw new EvalError('task/invalid', `dataset_kwargs: 'field' is the name of a key, not ${JSON.stringify(field)}.`)
}
