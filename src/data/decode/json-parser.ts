/**
 * A JSON parser that keeps what `JSON.parse` loses and a dataset's types need: 1.0 against 1, integers beyond 2^53, the order of keys that
 * look like integers, NaN and Infinity as Python writes them, and where in the file an error is. It accepts what pyarrow accepts.
 */
import { EvalError } from '../../base/errors.ts'

/** A number that was written with a fraction or an exponent, or that no int64 can hold. */
export class JsonFloat {
  readonly value: number
  /** What was written, where that is an integer. */
  readonly integer: bigint | null
  constructor(value: number, integer: bigint | null = null) {
    this.value = value
    this.integer = integer
  }
}

/** Integers are `number` when safe, else `bigint`; objects are maps in the order of the file. */
export type JsonNode = null | boolean | string | number | bigint | JsonFloat | readonly JsonNode[] | ReadonlyMap<string, JsonNode>

const maxDepth = 512
const int64Max = 2n ** 63n - 1n

/**
 * All values of a text, separated by white space: one (json) or one a line (jsonl), or lines that a value spans.
 * `file` names the text in errors (`dataset/malformed` with line and column, both from 1).
 */
export function parseJsonValues(text: string, file: string): JsonNode[] {
  const parser = new JsonParser(text, file)
  const values: JsonNode[] = []
  while (!parser.isAtEnd()) values.push(parser.readValue(0))
  return values
}

/** Where a text begins in its file; line and column count from 1. */
export interface TextPlace {
  readonly file: string
  readonly line: number
  readonly column: number
}

/** Thrown by a reader of partial texts where the text ends before the value does. */
class NeedsMore extends Error {}

/**
 * The values of a text that may go on: as `parseJsonValues`, but a value that the text doesn't hold whole is left for later.
 * `end` is where the first such value begins. With `isLast` nothing follows, and such a value is an error.
 */
export function parseJsonPrefix(text: string, place: TextPlace, isLast: boolean): { readonly values: JsonNode[]; readonly end: number } {
  const parser = new JsonParser(text, place.file, { place, isPartial: !isLast })
  const values: JsonNode[] = []
  for (let end = 0; ; end = parser.position) {
    if (parser.isAtEnd()) return { values, end: text.length }
    try {
      values.push(parser.readValue(0))
    } catch (error) {
      if (error instanceof NeedsMore) return { values, end }
      throw error
    }
  }
}

/** State of reading one array that is the whole of a file: before it, before an item, after the array. */
export type ArrayState = 'start' | 'item' | 'end'

/**
 * Items of an array that may go on, as `parseJsonPrefix` reads values: an item counts once its comma or the closing bracket is there.
 * Gives the state to go on in at `end`.
 */
export function parseArrayPrefix(
  text: string,
  place: TextPlace,
  options: { readonly state: ArrayState; readonly isLast: boolean },
): { readonly items: JsonNode[]; readonly end: number; readonly state: ArrayState } {
  const parser = new JsonParser(text, place.file, { place, isPartial: !options.isLast })
  const items: JsonNode[] = []
  let { state } = options
  let end = 0
  try {
    while (!parser.isAtEnd()) {
      state = parser.readArrayPart(state, items)
      end = parser.position
    }
    if (options.isLast && state !== 'end') parser.readArrayPart(state, items)
    return { items, end: text.length, state }
  } catch (error) {
    if (error instanceof NeedsMore) return { items, end, state }
    throw error
  }
}

class JsonParser {
  private readonly text: string
  private readonly file: string
  private readonly base: { readonly line: number; readonly column: number }
  private readonly isPartial: boolean
  private at = 0

  constructor(text: string, file: string, options: { readonly place?: TextPlace; readonly isPartial?: boolean } = {}) {
    this.text = text
    this.file = file
    this.base = options.place ?? { line: 1, column: 1 }
    this.isPartial = options.isPartial ?? false
  }

  get position(): number {
    return this.at
  }

  /** One step through an array that spans texts; adds to `items` and gives the next state. */
  readArrayPart(state: ArrayState, items: JsonNode[]): ArrayState {
    this.skipSpace()
    switch (state) {
      case 'start':
        if (!this.takeIf('[')) this.fail("a '[' is missing")
        this.skipSpace()
        return this.takeIf(']') ? 'end' : 'item'
      case 'item': {
        const item = this.readValue(1)
        const next = this.takeIf(']') ? 'end' : 'item'
        if (next === 'item' && !this.takeIf(',')) this.fail("a ',' or ']' is missing")
        items.push(item)
        return next
      }
      case 'end':
        return this.fail('something follows the array that the file holds')
    }
  }

  isAtEnd(): boolean {
    this.skipSpace()
    return this.at >= this.text.length
  }

  readValue(depth: number): JsonNode {
    if (depth > maxDepth) this.fail(`values nested deeper than ${maxDepth}`)
    this.skipSpace()
    switch (this.text[this.at]) {
      case '{':
        return this.readObject(depth)
      case '[':
        return this.readArray(depth)
      case '"':
        return this.readString()
      case undefined:
        return this.fail('the text ends where a value should be')
      default:
        return this.readWordOrNumber()
    }
  }

  private readObject(depth: number): ReadonlyMap<string, JsonNode> {
    const object = new Map<string, JsonNode>()
    this.at += 1
    if (this.takeIf('}')) return object
    for (;;) {
      this.skipSpace()
      if (this.text[this.at] !== '"') this.fail('a key in double quotes is missing')
      const start = this.at
      const key = this.readString()
      if (object.has(key)) {
        this.at = start
        this.fail(`the key ${JSON.stringify(key)} comes twice`)
      }
      if (!this.takeIf(':')) this.fail("a ':' is missing")
      object.set(key, this.readValue(depth + 1))
      if (this.takeIf('}')) return object
      if (!this.takeIf(',')) this.fail("a ',' or '}' is missing")
    }
  }

  private readArray(depth: number): readonly JsonNode[] {
    const list: JsonNode[] = []
    this.at += 1
    if (this.takeIf(']')) return list
    for (;;) {
      list.push(this.readValue(depth + 1))
      if (this.takeIf(']')) return list
      if (!this.takeIf(',')) this.fail("a ',' or ']' is missing")
    }
  }

  private readString(): string {
    let result = ''
    let start = this.at + 1
    let hasSurrogates = false
    for (let at = start; ; at++) {
      const code = this.text.charCodeAt(at)
      if (code === 0x22) {
        this.at = at + 1
        result += this.text.slice(start, at)
        if (hasSurrogates && loneSurrogate.test(result)) this.fail('half of a surrogate pair')
        return result
      }
      if ((code & 0xf800) === 0xd800) hasSurrogates = true
      else if (code === 0x5c) {
        result += this.text.slice(start, at)
        this.at = at
        const character = this.readEscape()
        if ((character.charCodeAt(0) & 0xf800) === 0xd800) hasSurrogates = true
        result += character
        at = this.at - 1
        start = this.at
      } else if (!(code >= 0x20)) {
        // Also NaN, past the end.
        this.at = at
        this.fail(at >= this.text.length ? 'a string without its closing quote' : 'a control character in a string')
      }
    }
  }

  /** At a backslash. */
  private readEscape(): string {
    const letter = this.text[this.at + 1] ?? ''
    const simple = escapes.get(letter)
    if (simple !== undefined) {
      this.at += 2
      return simple
    }
    const hex = this.text.slice(this.at + 2, this.at + 6)
    if (letter !== 'u' || !/^[0-9a-fA-F]{4}$/.test(hex)) this.fail('an unknown escape')
    this.at += 6
    return String.fromCharCode(parseInt(hex, 16))
  }

  /** An integer of up to 15 digits, which most numbers are; null for anything else, and nothing is read then. */
  private readShortInteger(): number | null {
    const isNegative = this.text.charCodeAt(this.at) === 0x2d
    const start = this.at + (isNegative ? 1 : 0)
    let value = 0
    let at = start
    let code = this.text.charCodeAt(at)
    for (; code >= 0x30 && code <= 0x39; code = this.text.charCodeAt(++at)) value = value * 10 + (code - 0x30)
    const digits = at - start
    // The end of a text may cut a number off; a zero at the beginning belongs to 0 alone; what isn't white space, comma or bracket goes on.
    const isShort = digits > 0 && digits <= 15 && (digits === 1 || this.text.charCodeAt(start) !== 0x30)
    const hasEnd = code === 0x2c || code === 0x7d || code === 0x5d || code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
    if (!isShort || !hasEnd) return null
    this.at = at
    return isNegative ? -value : value
  }

  private readWordOrNumber(): JsonNode {
    const integer = this.readShortInteger()
    if (integer !== null) return integer
    wordOrNumber.lastIndex = this.at
    const [token] = wordOrNumber.exec(this.text) ?? ['']
    const word = words.get(token)
    if (word !== undefined) {
      this.at += token.length
      return word
    }
    number.lastIndex = this.at
    const match = number.exec(this.text)
    if (match === null || match[0] !== token)
      this.fail(token === '' ? `an unexpected ${JSON.stringify(this.text[this.at])}` : `${JSON.stringify(token.slice(0, 40))} is no value`)
    const isInteger = match[1] === undefined && match[2] === undefined
    const value = Number(token)
    if (isInteger) {
      this.at += token.length
      // -0 is told from 0 only in a column of floats.
      if (Number.isSafeInteger(value)) return value
      const integer = BigInt(token)
      return integer >= -int64Max - 1n && integer <= int64Max ? integer : new JsonFloat(value, integer)
    }
    if (!Number.isFinite(value)) this.fail(`${token} is too large for a float`)
    this.at += token.length
    return new JsonFloat(value)
  }

  private takeIf(char: string): boolean {
    this.skipSpace()
    if (this.text[this.at] !== char) return false
    this.at += 1
    return true
  }

  private skipSpace(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.at)
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return
      this.at += 1
    }
  }

  /** True when nothing but (part of) one word, number or escape lies between here and the end of the text. */
  private isAtTokenEnd(): boolean {
    return /^(?:[\w+.-]*|\\u?[0-9a-fA-F]{0,3})$/.test(this.text.slice(this.at))
  }

  private fail(what: string): never {
    // A token that touches the end of a partial text may go on in the next one.
    if (this.isPartial && this.isAtTokenEnd()) throw new NeedsMore()
    const before = this.text.slice(0, this.at)
    const lines = before.split('\n').length - 1
    const line = this.base.line + lines
    const column = lines === 0 ? this.base.column + this.at : this.at - before.lastIndexOf('\n')
    throw new EvalError('dataset/malformed', `${this.file}, line ${line}, column ${column}: ${what}.`, {
      details: { file: this.file, line, column },
    })
  }
}

const escapes = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
])
const words = new Map<string, JsonNode>([
  ['null', null],
  ['true', true],
  ['false', false],
  ['NaN', new JsonFloat(NaN)],
  ['-NaN', new JsonFloat(NaN)],
  ['Infinity', new JsonFloat(Infinity)],
  ['-Infinity', new JsonFloat(-Infinity)],
  ['Inf', new JsonFloat(Infinity)],
  ['-Inf', new JsonFloat(-Infinity)],
])
const loneSurrogate = /\p{Surrogate}/u
const wordOrNumber = /[\w+.-]*/y
const number = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y
