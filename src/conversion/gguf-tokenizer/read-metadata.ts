/** Values of a GGUF file's metadata, checked for their types. All throw `model/corrupt`, naming the key. */
import { EvalError } from '../../base/errors.ts'
import type { GgufValue } from '../../weights/gguf/values.ts'

export type Metadata = ReadonlyMap<string, GgufValue>

/** A text; null where the file has none. */
export function readText(metadata: Metadata, key: string): string | null {
  const value = metadata.get(key)
  if (value === undefined) return null
  if (typeof value === 'string') return value
  throw wanted('a text', key, value)
}

/** A boolean; null where the file has none. */
export function readFlag(metadata: Metadata, key: string): boolean | null {
  const value = metadata.get(key)
  if (value === undefined) return null
  if (typeof value === 'boolean') return value
  throw wanted('a boolean', key, value)
}

/** A whole number from 0 on, in whatever width the file gives it; null where the file has none. */
export function readCount(metadata: Metadata, key: string): number | null {
  const value = metadata.get(key)
  if (value === undefined) return null
  const number = typeof value === 'bigint' ? Number(value) : value
  if (typeof number === 'number' && Number.isSafeInteger(number) && number >= 0) return number
  throw wanted('a whole number', key, value)
}

/** A list of texts; null where the file has none. */
export function readTexts(metadata: Metadata, key: string): readonly string[] | null {
  const value = metadata.get(key)
  if (value === undefined) return null
  if (typeof value === 'object' && value.items === 'texts') return value.values
  // Some writers type an empty list as numbers.
  if (typeof value === 'object' && value.values.length === 0) return []
  throw wanted('a list of texts', key, value)
}

/** A list of numbers; null where the file has none. */
export function readNumbers(metadata: Metadata, key: string): ArrayLike<number> | null {
  const value = metadata.get(key)
  if (value === undefined) return null
  if (typeof value === 'object' && value.items === 'numbers') return value.values
  throw wanted('a list of numbers', key, value)
}

/** The error for metadata that can't be so. */
export function corrupt(wantedWhat: string, found: string): EvalError {
  return new EvalError('model/corrupt', `wanted ${wantedWhat} in the GGUF file's metadata, found ${found}`)
}

/** A text of the file as errors show it: quoted, and not all of a long one. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)
}

function wanted(what: string, key: string, value: GgufValue): EvalError {
  const found = typeof value === 'object' ? `a list of ${value.items}` : typeof value === 'string' ? quote(value) : String(value)
  return corrupt(`${what} as ${key}`, found)
}
