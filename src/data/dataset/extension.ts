/** What a data file's name tells. */

/** The loaders of `datasets` that are covered. */
export type Format = 'json' | 'csv' | 'parquet' | 'text'

/** The lower-case extension of a name, that of compression aside; empty when it has none. */
export function extensionOf(path: string): string {
  return /\.([^./]+)$/.exec(path.replace(/\.gz$/, ''))?.[1]?.toLowerCase() ?? ''
}
