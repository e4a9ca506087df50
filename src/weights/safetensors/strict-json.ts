/**
 * JSON as RFC 8259 has it, read strictly: no key twice in an object, and a number keeps whether it was written as an integer. `JSON.parse` lets the
 * last of two equal keys win, so two readers could see two different tensors under one name.
 */
import { EvalError } from '../../base/errors.ts'

/** A number that is written with a fraction or an exponent, or that no double holds exactly. */
export class OddNumber {
  readonly written: string
  constructor(written: string) {
    this.written = written
  }
}

/** Plain integers are `number`; objects are maps, in the order of the text. */
export type JsonNode = null | boolean | string | number | OddNumber | readonly JsonNode[] | ReadonlyMap<string, JsonNode>

const maxDepth = 32
/** Longer than any double needs. */
const maxNumberLength = 400

/**
 * Entries of the object that the whole text is, one after another, so that no more than one value is in memory beside the text. `where` names the text in errors
 * (`model/corrupt`, with the place in UTF-16 units). The text counts as read only once the generator has ended.
 */
export function* jsonEntries(text: string, where: string): Generator<readonly [key: string, value: JsonNode]> {
  const reader = new Reader(text, where)
  yield* reader.entries(0)
  reader.end()
}

class Reader {
  private readonly text: string
  private readonly where: string
  private at = 0

  constructor(text: string, where: string) {
    this.text = text
    this.where = where
  }

  *entries(depth: number): Generator<readonly [string, JsonNode]> {
    this.skipSpace()
    this.take('{')
    const seen = new Set<string>()
    this.skipSpace()
    if (this.takeIf('}')) return
    do {
      this.skipSpace()
      const keyAt = this.at
      const key = this.string()
      if (seen.has(key)) this.fail(`no second entry for the key ${JSON.stringify(key.slice(0, 200))}`, keyAt)
      seen.add(key)
      this.skipSpace()
      this.take(':')
      yield [key, this.value(depth + 1)]
      this.skipSpace()
    } while (this.takeIf(','))
    this.take('}')
  }

  end(): void {
    this.skipSpace()
    if (this.at < this.text.length) this.fail('nothing behind the object')
  }

  private value(depth: number): JsonNode {
    if (depth > maxDepth) this.fail(`values nested at most ${maxDepth} deep`)
    this.skipSpace()
    switch (this.text[this.at]) {
      case '{':
        return new Map(this.entries(depth))
      case '[':
        return this.array(depth)
      case '"':
        return this.string()
      case 't':
        return this.word('true', true)
      case 'f':
        return this.word('false', false)
      case 'n':
        return this.word('null', null)
      default:
        return this.number()
    }
  }

  private array(depth: number): readonly JsonNode[] {
    this.take('[')
    const items: JsonNode[] = []
    this.skipSpace()
    if (this.takeIf(']')) return items
    do {
      items.push(this.value(depth + 1))
      this.skipSpace()
    } while (this.takeIf(','))
    this.take(']')
    return items
  }

  private string(): string {
    const start = this.at
    this.take('"')
    let hasEscapes = false
    for (; ; this.at++) {
      const unit = this.text.charCodeAt(this.at)
      if (unit === 0x22) break
      if (Number.isNaN(unit)) this.fail('a string that ends', start)
      if (unit < 0x20) this.fail('control characters in a string written as escapes')
      if (unit === 0x5c) {
        hasEscapes = true
        this.at += 1
      }
    }
    this.at += 1
    if (!hasEscapes) return this.text.slice(start + 1, this.at - 1)
    const value = unescaped(this.text.slice(start, this.at))
    return value === null || /\p{Surrogate}/u.test(value) ? this.fail('escapes of whole characters', start) : value
  }

  private number(): number | OddNumber {
    const start = this.at
    while (this.at - start < maxNumberLength && '+-.0123456789eE'.includes(this.text[this.at] ?? ' ')) this.at += 1
    const written = this.text.slice(start, this.at)
    if (!/^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/.test(written)) this.fail('a value', start)
    const value = Number(written)
    return Number.isSafeInteger(value) && /^-?[0-9]+$/.test(written) ? value : new OddNumber(written)
  }

  private word<T>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.at)) this.fail('a value')
    this.at += word.length
    return value
  }

  private skipSpace(): void {
    for (; ; this.at++) {
      const unit = this.text.charCodeAt(this.at)
      if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return
    }
  }

  private take(character: string): void {
    if (!this.takeIf(character)) this.fail(`'${character}'`)
  }

  private takeIf(character: string): boolean {
    if (this.text[this.at] !== character) return false
    this.at += 1
    return true
  }

  private fail(wanted: string, at = this.at): never {
    const found = at >= this.text.length ? 'its end' : JSON.stringify(this.text.slice(at, at + 24))
    throw new EvalError('model/corrupt', `wanted ${wanted} at character ${at} of ${this.where}, found ${found}`)
  }
}

/** The text that a string of JSON with its quotes stands for, or null for escapes that JSON doesn't have. */
function unescaped(written: string): string | null {
  try {
    return JSON.parse(written) as string
  } catch {
    return null
  }
}
