/**
 * Python's literals, as far as the harness's command line needs them: reading the values of `k=v` arguments and printing the
 * line above its table. Source: lm-evaluation-harness 0.4.13, `_cli/utils.py` (`key_val_to_dict`, `handle_cli_value_string`).
 */
import type { Json } from '../../src/core/errors.ts'

/** Thrown for text that is no Python literal; callers fall back to plain text or name the argument. */
export class LiteralError extends Error {}

/**
 * `k=v,k=v` as a dictionary: commas inside brackets and quotes don't split; a value is a boolean, number, Python literal
 * or else text. Throws LiteralError for a part without `=`.
 */
export function parseKeyValues(text: string): { [key: string]: Json } {
  const result: { [key: string]: Json } = {}
  for (const part of splitTopLevel(text)) {
    const at = part.indexOf('=')
    if (at < 0) throw new LiteralError(`expected key=value, found ${JSON.stringify(part)}`)
    define(result, part.slice(0, at), parseValue(part.slice(at + 1)))
  }
  return result
}

/** One value as the harness reads it. `inf` and `nan` stay text, because the settings are JSON. */
export function parseValue(text: string): Json {
  const lower = text.toLowerCase()
  if (lower === 'true') return true
  if (lower === 'false') return false
  const number = parsePythonFloat(text)
  if (number !== null) return number
  try {
    return parsePythonLiteral(text)
  } catch (error) {
    if (error instanceof LiteralError) return text
    throw error
  }
}

/** The number that Python's `float()` reads, or null. */
export function parsePythonFloat(text: string): number | null {
  const trimmed = text.trim()
  if (!/^[+-]?(\d+(_\d+)*\.?(\d+(_\d+)*)?|\.\d+(_\d+)*)([eE][+-]?\d+)?$/.test(trimmed)) return null
  const value = Number(trimmed.replaceAll('_', ''))
  return Number.isFinite(value) ? value : null
}

function splitTopLevel(text: string): string[] {
  const parts: string[] = []
  let part = ''
  let depth = 0
  let quote = ''
  for (const char of text) {
    if (quote !== '') {
      if (char === quote) quote = ''
    } else if (char === '"' || char === "'") quote = char
    else if ('[({'.includes(char)) depth++
    else if ('])}'.includes(char)) depth = Math.max(depth - 1, 0)
    else if (char === ',' && depth === 0) {
      parts.push(part)
      part = ''
      continue
    }
    part += char
  }
  parts.push(part)
  return parts.filter((each) => each !== '')
}

/** A Python literal (None, booleans, numbers, text, list, tuple, dict with text keys) as JSON; throws LiteralError. */
export function parsePythonLiteral(text: string): Json {
  const reader = new LiteralReader(text)
  const value = reader.readValue()
  reader.expectEnd()
  return value
}

const escapes: { readonly [char: string]: string } = {
  n: '\n',
  t: '\t',
  r: '\r',
  '\\': '\\',
  "'": "'",
  '"': '"',
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
  '0': '\0',
}
const escapeDigits: { readonly [char: string]: number } = { x: 2, u: 4, U: 8 }

class LiteralReader {
  private readonly text: string
  private at = 0

  constructor(text: string) {
    this.text = text
  }

  expectEnd(): void {
    this.skipSpace()
    if (this.at < this.text.length) throw new LiteralError(`unexpected ${JSON.stringify(this.text.slice(this.at))}`)
  }

  readValue(): Json {
    this.skipSpace()
    const char = this.text[this.at] ?? ''
    if (char === '[') return this.readItems(']')
    if (char === '(') return this.readItems(')')
    if (char === '{') return this.readDict()
    if (char === '"' || char === "'") return this.readText()
    const word = /^[^\s,\]):}]+/.exec(this.text.slice(this.at))?.[0] ?? ''
    this.at += word.length
    if (word === 'None') return null
    if (word === 'True') return true
    if (word === 'False') return false
    const number = parsePythonFloat(word)
    if (number === null) throw new LiteralError(`not a literal: ${JSON.stringify(word)}`)
    return number
  }

  private readItems(close: string): Json[] {
    const items: Json[] = []
    this.at++
    while (!this.tryRead(close)) {
      items.push(this.readValue())
      if (!this.tryRead(',') && !this.peeks(close)) throw new LiteralError(`expected , or ${close}`)
    }
    return items
  }

  private readDict(): { [key: string]: Json } {
    const dict: { [key: string]: Json } = {}
    this.at++
    while (!this.tryRead('}')) {
      const key = this.readValue()
      if (typeof key !== 'string') throw new LiteralError('a key must be text')
      if (!this.tryRead(':')) throw new LiteralError('expected :')
      define(dict, key, this.readValue())
      if (!this.tryRead(',') && !this.peeks('}')) throw new LiteralError('expected , or }')
    }
    return dict
  }

  private readText(): string {
    const quote = this.text[this.at++]
    let value = ''
    for (; this.at < this.text.length; this.at++) {
      const char = this.text[this.at] ?? ''
      if (char === quote) {
        this.at++
        return value
      }
      value += char === '\\' ? this.readEscape() : char
    }
    throw new LiteralError('text without its closing quote')
  }

  private readEscape(): string {
    const char = this.text[++this.at] ?? ''
    const digits = escapeDigits[char]
    if (digits === undefined) return escapes[char] ?? `\\${char}`
    const hex = this.text.slice(this.at + 1, this.at + 1 + digits)
    if (!/^[0-9a-fA-F]+$/.test(hex) || hex.length !== digits || parseInt(hex, 16) > 0x10ffff)
      throw new LiteralError(`bad escape \\${char}${hex}`)
    this.at += digits
    return String.fromCodePoint(parseInt(hex, 16))
  }

  private peeks(char: string): boolean {
    this.skipSpace()
    return this.text[this.at] === char
  }

  private tryRead(char: string): boolean {
    if (!this.peeks(char)) return false
    this.at++
    return true
  }

  private skipSpace(): void {
    while (/\s/.test(this.text[this.at] ?? '')) this.at++
  }
}

/** A value as Python's `repr` prints it; numbers are printed as integers where they are whole. */
export function pythonRepr(value: Json): string {
  if (value === null) return 'None'
  if (value === true) return 'True'
  if (value === false) return 'False'
  if (typeof value === 'number') return String(value)
  if (typeof value === 'string') return reprText(value)
  if (isArray(value)) return `[${value.map(pythonRepr).join(', ')}]`
  return `{${Object.entries(value)
    .map(([key, item]) => `${reprText(key)}: ${pythonRepr(item)}`)
    .join(', ')}}`
}

/** A number as Python prints a float: `10.0`, `0.25`. */
export function pythonFloat(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 1e16 ? `${value}.0` : String(value)
}

function reprText(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'"
  const body = text
    .replaceAll('\\', '\\\\')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replaceAll('\t', '\\t')
    .replaceAll(quote, `\\${quote}`)
  return quote + body + quote
}

/** Sets a key as inert data, also `__proto__`. */
function define(target: { [key: string]: Json }, key: string, value: Json): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
}

function isArray(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}
