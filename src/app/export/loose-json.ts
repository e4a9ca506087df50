/** JSON as Python writes it: with NaN, Infinity and -Infinity, which JSON itself doesn't have. */
import { EvalError, type Json } from '../../core/errors.ts'

/** Deeper nesting is refused before it is parsed: walking over it would overflow the stack. */
export const maxDepth = 100

/** A string, or one of Python's three numbers. Strings come first, so that nothing inside them matches. */
const stringOrSpecial = /"(?:[^"\\]|\\.)*"|-?\bInfinity\b|\bNaN\b/gs

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
  try {
    return JSON.parse(text.replace(stringOrSpecial, (match) => (match.startsWith('"') ? match : `"${match}"`))) as Json
  } catch (cause) {
    throw notJson(cause)
  }
}

/** The number that a value of such JSON is; null for anything else. */
export function looseNumber(value: Json | undefined): number | null {
  if (typeof value === 'number') return value
  if (typeof value !== 'string' || !/^(?:NaN|-?Infinity)$/.test(value)) return null
  return Number(value)
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
