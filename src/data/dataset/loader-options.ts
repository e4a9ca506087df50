/** Options of the loaders, by the names that `datasets` gives them: which there are, and which a reader here can follow. */
import { EvalError, type Json } from '../../base/errors.ts'
import type { Format } from './formats.ts'

type Options = { readonly [key: string]: Json }

const ofAll = ['name', 'version', 'description', 'features', 'data_dir', 'data_files']

/** What each loader's config has. Options that only say how fast to read are known and change nothing. */
const known: { readonly [format in Format]: readonly string[] } = {
  json: ['encoding', 'encoding_errors', 'field', 'use_threads', 'block_size', 'chunksize', 'on_mixed_types', 'parse_agent_traces'],
  csv: [
    ...[
      'sep',
      'delimiter',
      'header',
      'names',
      'column_names',
      'quotechar',
      'quoting',
      'encoding',
      'encoding_errors',
      'chunksize',
      'engine',
    ],
    ...['low_memory', 'memory_map', 'verbose', 'error_bad_lines', 'warn_bad_lines', 'mangle_dupe_cols'],
  ],
  parquet: ['batch_size', 'on_bad_files'],
  text: ['encoding', 'errors', 'encoding_errors', 'chunksize', 'keep_linebreaks', 'sample_by'],
}

/** Options that would change the rows and that no reader here follows. */
const unsupported: { readonly [format in Format]: readonly string[] } = {
  json: ['newlines_in_values'],
  csv: [
    ...[
      'index_col',
      'usecols',
      'prefix',
      'converters',
      'true_values',
      'false_values',
      'skipinitialspace',
      'skiprows',
      'nrows',
      'na_values',
    ],
    ...['keep_default_na', 'na_filter', 'skip_blank_lines', 'thousands', 'decimal', 'lineterminator', 'escapechar', 'comment', 'dialect'],
    ...['skipfooter', 'doublequote', 'float_precision', 'on_bad_lines', 'date_format'],
  ],
  parquet: ['columns', 'filters', 'fragment_scan_options'],
  text: [],
}

/** What `datasets` takes for an option that isn't set, where saying so aloud changes nothing. */
const defaults: Options = {
  header: 'infer',
  skipinitialspace: false,
  keep_default_na: true,
  na_filter: true,
  skip_blank_lines: true,
  decimal: '.',
  doublequote: true,
  skipfooter: 0,
  on_bad_lines: 'error',
  on_bad_files: 'error',
}

/** The options of a README's config that its loader has; `datasets` ignores the others. */
export function pickLoaderOptions(options: Options, format: Format): Options {
  const names = new Set([...ofAll, ...known[format], ...unsupported[format]])
  return Object.fromEntries(Object.entries(options).filter(([key]) => names.has(key)))
}

/** Throws `task/invalid` for an option that the loader hasn't got, `task/unsupported` for one whose effect is not covered here. */
export function checkLoaderOptions(options: Options, format: Format): void {
  for (const [key, value] of Object.entries(options)) {
    const isDefault = value === null || value === defaults[key]
    if (unsupported[format].includes(key) && !isDefault) throw notCovered(format, key, value)
    if (!ofAll.includes(key) && !known[format].includes(key) && !unsupported[format].includes(key)) {
      const names = [...known[format], ...unsupported[format]].join(', ')
      throw new EvalError('task/invalid', `dataset_kwargs: the ${format} loader has no option '${key}'; it has ${names}.`, {
        details: { option: key },
      })
    }
    if (key === 'features' && value !== null) throw notCovered(format, key, value)
    if (key === 'encoding' && !isDefault && !(typeof value === 'string' && /^utf-?8$/i.test(value))) throw notCovered(format, key, value)
  }
}

function notCovered(format: Format, key: string, value: Json): EvalError {
  return new EvalError('task/unsupported', `dataset_kwargs: the ${format} option '${key}' (${JSON.stringify(value)}) is not supported.`, {
    details: { option: key },
  })
}
