/** Argument lists as the harness's flags take them: `max_length=1024,add_bos_token=true`. */
import { EvalError, type Json } from '../core/errors.ts'

type JsonObject = { readonly [key: string]: Json }

/**
 * The object that `k=v,…` or a JSON object spells.
 *
 * Values become booleans, integers, floats or `null` where they look like one, as `simple_parse_args_string` of the harness does.
 * Throws `settings/invalid` when a part has no `=`.
 */
export function parseKeyValues(text: string): JsonObject {
  const trimmed = text.trim()
  if (trimmed === '') return {}
  if (trimmed.startsWith('{')) return parseJsonObject(trimmed)
  return Object.fromEntries(
    trimmed
      .split(',')
      .filter((part) => part.trim() !== '')
      .map((part) => {
        const at = part.indexOf('=')
        if (at < 1) throw new EvalError('settings/invalid', `wanted name=value, found "${part.trim()}"`)
        return [part.slice(0, at).trim(), parseValue(part.slice(at + 1).trim())]
      }),
  )
}

/** The text that `parseKeyValues` turns back into the same object: `k=v,…` where that is unambiguous, JSON otherwise. */
export function formatKeyValues(values: JsonObject): string {
  const entries = Object.entries(values)
  const plain = entries
    .map(([key, value]) => `${key}=${value === null ? 'None' : typeof value === 'object' ? '' : String(value)}`)
    .join(',')
  const isPlain = entries.every(([, value]) => typeof value !== 'object' || value === null)
  if (isPlain && JSON.stringify(safely(() => parseKeyValues(plain))) === JSON.stringify(values)) return plain
  return JSON.stringify(values)
}

function parseJsonObject(text: string): JsonObject {
  // A parsed JSON object is Json by definition; arrays can't start with a brace.
  const parsed = safely(() => JSON.parse(text) as JsonObject)
  if (parsed === null) throw new EvalError('settings/invalid', `wanted a JSON object, found "${text}"`)
  return parsed
}

function parseValue(text: string): Json {
  if (/^true$/i.test(text)) return true
  if (/^false$/i.test(text)) return false
  if (text === 'None') return null
  if (/^[+-]?\d+$/.test(text) || /^[+-]?(\d+\.\d*|\.?\d+)(e[+-]?\d+)?$/i.test(text)) return Number(text)
  return text
}

function safely<T>(make: () => T): T | null {
  try {
    return make()
  } catch {
    return null
  }
}
