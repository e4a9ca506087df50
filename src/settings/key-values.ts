/**
 * `k=v,…` or a JSON object, as `--model_args`, `--gen_kwargs` and `--metadata` take them, and the page's fields of the same names. Source: lm_eval 0.4.13,
 * `_cli/utils.py` (`MergeDictAction`, `key_val_to_dict`, `handle_cli_value_string`). Differs where the harness would go on to fail: white space around
 * a key is dropped, and values in braces may stand among others.
 */
import { EvalError, isEvalError, type Json, type JsonObject } from '../base/errors.ts'
import { literalEval } from '../python/literal.ts'
import { toJson } from '../python/value.ts'

/**
 * The object that a text spells: commas inside brackets and quotes don't part; a value is a boolean, a number, a Python literal or else text. Of a key
 * that comes twice the last value counts. Throws `settings/invalid` for a part without `key=`, and for a JSON object that isn't one.
 */
export function parseKeyValues(text: string): JsonObject {
  if (text.trim().startsWith('{')) return parseObject(text)
  const result: { [key: string]: Json } = {}
  for (const part of splitTopLevel(text)) {
    const at = part.indexOf('=')
    const key = part.slice(0, Math.max(at, 0)).trim()
    if (key === '') throw new EvalError('settings/invalid', `expected key=value, found ${JSON.stringify(part.trim())}`)
    // Inert data, also `__proto__`.
    Object.defineProperty(result, key, { value: parseValue(part.slice(at + 1)), enumerable: true, configurable: true, writable: true })
  }
  return result
}

/** One value. `inf` and `nan` stay text, because settings are JSON. */
function parseValue(text: string): Json {
  const lower = text.toLowerCase()
  if (lower === 'true' || lower === 'false') return lower === 'true'
  const number = parseFloatText(text)
  if (number !== null) return number
  try {
    const value = toJson(literalEval(text))
    // Beyond JSON's numbers.
    return typeof value === 'number' && !Number.isFinite(value) ? text : value
  } catch (error) {
    if (isEvalError(error)) return text
    throw error
  }
}

/** The number that Python's `float()` reads; null for none, and for those that JSON has none of. */
export function parseFloatText(text: string): number | null {
  const trimmed = text.trim()
  if (!/^[+-]?(\d+(_\d+)*\.?(\d+(_\d+)*)?|\.\d+(_\d+)*)([eE][+-]?\d+)?$/.test(trimmed)) return null
  const value = Number(trimmed.replaceAll('_', ''))
  return Number.isFinite(value) ? value : null
}

function parseObject(text: string): JsonObject {
  try {
    // What begins with a brace and is JSON is an object.
    return JSON.parse(text) as JsonObject
  } catch {
    throw new EvalError('settings/invalid', `wanted a JSON object (keys and texts in double quotes), found ${text.trim()}`)
  }
}

function splitTopLevel(text: string): string[] {
  const parts: string[] = []
  let part = ''
  let depth = 0
  let quote = ''
  for (const character of text) {
    if (quote !== '') {
      if (character === quote) quote = ''
    } else if (character === '"' || character === "'") quote = character
    else if ('[({'.includes(character)) depth++
    else if ('])}'.includes(character)) depth = Math.max(depth - 1, 0)
    else if (character === ',' && depth === 0) {
      parts.push(part)
      part = ''
      continue
    }
    part += character
  }
  return [...parts, part].filter((one) => one.trim() !== '')
}
