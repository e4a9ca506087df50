/** JSON text as Python's `json.loads` reads it: `1.0` is a float, `1` an int, NaN and Infinity are floats. */
import { encodeKey, pyFloat, pyInt } from '../../src/python/value.ts'
import type { PyValue } from '../../src/python/value.ts'

/** The value of one text. Throws on text that ends too soon; other mistakes are `JSON.parse`'s to find beforehand. */
export function parsePythonJson(text: string): PyValue {
  const tokens = text.matchAll(/"(?:[^"\\]|\\.)*"|-?Infinity|NaN|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[{}[\],:]/gs)
  const queue = Array.from(tokens, ([token]) => token)
  let at = 0
  const next = (): string => {
    const token = queue[at++]
    if (token === undefined) throw new Error('unexpected end of JSON')
    return token
  }
  const value = (): PyValue => {
    const token = next()
    if (token === '{') return dict()
    if (token === '[') return items()
    if (token.startsWith('"')) return String(JSON.parse(token))
    if (token === 'true' || token === 'false') return token === 'true'
    if (token === 'null') return null
    if (token === 'NaN') return pyFloat(NaN)
    if (token.endsWith('Infinity')) return pyFloat(token.startsWith('-') ? -Infinity : Infinity)
    return /^-?\d+$/.test(token) ? pyInt(BigInt(token)) : pyFloat(Number(token))
  }
  const dict = (): PyValue => {
    const entries = new Map<string, PyValue>()
    while (queue[at] !== '}') {
      if (queue[at] === ',') at++
      const key = encodeKey(String(JSON.parse(next())))
      at++
      entries.set(key, value())
    }
    at++
    return entries
  }
  const items = (): PyValue => {
    const found: PyValue[] = []
    while (queue[at] !== ']') {
      if (queue[at] === ',') at++
      found.push(value())
    }
    at++
    return found
  }
  return value()
}
