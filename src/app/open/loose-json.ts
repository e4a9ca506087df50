/** JSON as Python writes it: with NaN, Infinity and -Infinity, which JSON itself doesn't have, and floats that are told from integers. */
import { EvalError, type Json } from '../../base/errors.ts'
import { encodeKey, pyFloat, type PyValue } from '../../python/value.ts'

/** Deeper nesting is refused before it is parsed: walking over it would overflow the stack. */
const maxDepth = 100

/** One of Python's three numbers, outside strings. */
const special = /-?\bInfinity\b|\bNaN\b/g
/** As above, or a number with a fraction or an exponent. */
const specialOrFloat = /-?\bInfinity\b|\bNaN\b|(?<!\d)-?\d+(?:\.\d+(?:[eE][+-]?\d+)?|[eE][+-]?\d+)/g
/** Marks a text that was a float: a character that Unicode promises never to use. */
const floatMark = '\ufdd0'

/**
 * The value; each of Python's three numbers as the text `NaN`, `Infinity` or `-Infinity`. Throws `results/invalid` for what is no JSON, or
 * nested more than `maxDepth` deep.
 */
export function parseLooseJson(text: string): Json {
  refuseDepth(text)
  try {
    // JSON.parse gives nothing but Json.
    return JSON.parse(text) as Json
  } catch (cause) {
    // The common case is plain JSON, and only the other one pays for the search.
    if (!/NaN|Infinity/.test(text)) throw notJson(cause)
  }
  return parseMarked(text, special, '')
}

/** The text as `parse` reads it; an error says where the text stands. */
export function parseNamed<T>(parse: (text: string) => T, text: string, where: string): T {
  try {
    return parse(text)
  } catch (cause) {
    throw new EvalError('results/invalid', `${where}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}

/** The value as Python's `json.loads` gives it, floats told from integers. Throws as `parseLooseJson`. */
export function parseTypedJson(text: string): PyValue {
  refuseDepth(text)
  return unmark(parseMarked(text, specialOrFloat, floatMark))
}

/** The number that a value of `parseLooseJson` is; null for anything else. */
export function looseNumber(value: Json | undefined): number | null {
  if (typeof value === 'number') return value
  if (typeof value !== 'string' || !/^(?:NaN|-?Infinity)$/.test(value)) return null
  return Number(value)
}

function parseMarked(text: string, pattern: RegExp, mark: string): Json {
  try {
    return JSON.parse(markOutsideStrings(text, pattern, mark)) as Json
  } catch (cause) {
    throw notJson(cause)
  }
}

/**
 * The text with what matches outside strings as marked strings. Strings are walked by hand, each character once: a pattern for them would begin
 * anew at every quote of one that never ends, and would overflow the stack in a long one.
 */
function markOutsideStrings(text: string, pattern: RegExp, mark: string): string {
  const parts: string[] = []
  let at = 0
  while (at < text.length) {
    const quote = text.indexOf('"', at)
    const outside = text.slice(at, quote < 0 ? text.length : quote)
    parts.push(outside.replace(pattern, (match) => `"${mark}${match}"`))
    if (quote < 0) break
    at = endOfString(text, quote)
    parts.push(text.slice(quote, at))
  }
  return parts.join('')
}

/** Behind the quote that ends the string which begins at `quote`, or the text's end. */
function endOfString(text: string, quote: number): number {
  for (let at = quote + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 92) at += 1
    else if (code === 34) return at + 1
  }
  return text.length
}

function unmark(value: Json): PyValue {
  if (typeof value === 'string') return value.startsWith(floatMark) ? pyFloat(Number(value.slice(1))) : value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(unmark)
  return new Map(Object.entries(value).map(([key, item]) => [encodeKey(key), unmark(item)]))
}

function refuseDepth(text: string): void {
  let depth = 0
  let isInString = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (isInString) {
      if (code === 92) at += 1
      else if (code === 34) isInString = false
    } else if (code === 34) isInString = true
    else if (code === 91 || code === 123) {
      depth += 1
      if (depth > maxDepth) throw new EvalError('results/invalid', `Wanted JSON nested at most ${maxDepth} deep, found deeper.`)
    } else if (code === 93 || code === 125) depth -= 1
  }
}

function notJson(cause: unknown): EvalError {
  return new EvalError('results/invalid', `Wanted JSON, found: ${cause instanceof Error ? cause.message : String(cause)}.`, { cause })
}
