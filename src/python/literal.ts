/** Python's `ast.literal_eval` for the literals that task files and rows hold. */
import { EvalError } from '../base/errors.ts'
import { simpleEscapes } from './escapes.ts'
import { isDict, isFloat, isList, keyWithin, PyTuple, pyFloat, pyInt, pyTuple, toNumber, type PyValue } from './value.ts'

const maxDepth = 200

/**
 * The value of a Python literal: strings (adjacent ones joined), numbers, None, True, False, lists, tuples and dicts.
 * Throws `task/invalid` with the place for anything else; sets, bytes and complex numbers count as anything else, since no doc holds one.
 */
export function literalEval(text: string): PyValue {
  const parser = new LiteralParser(text.replace(/^[ \t]+/, ''))
  return parser.parse()
}

class LiteralParser {
  private readonly text: string
  private at = 0
  private depth = 0
  /** Inside brackets line breaks are spaces. */
  private open = 0

  constructor(text: string) {
    this.text = text
  }

  parse(): PyValue {
    this.skip()
    const first = this.value()
    const value = this.peek() === ',' ? this.bareTuple(first) : first
    // A literal is one logical line; only blank lines and comments may follow.
    this.open++
    this.skip()
    if (this.at < this.text.length) this.fail('the end')
    return value
  }

  private bareTuple(first: PyValue): PyValue {
    const items = [first]
    while (this.take(',')) {
      if (this.at >= this.text.length || this.peek() === '\n') break
      items.push(this.value())
    }
    return pyTuple(items)
  }

  private value(): PyValue {
    if (++this.depth > maxDepth) this.fail(`at most ${maxDepth} levels`)
    const value = this.bareValue()
    this.depth--
    this.skip()
    return value
  }

  private bareValue(): PyValue {
    const c = this.peek()
    if (c === '+' || c === '-') {
      this.at++
      this.skip()
      // One sign, then a number: Python takes `--1` for a computation.
      if (/^[(\s]*[+-]/.test(this.text.slice(this.at))) return this.fail('a number')
      const operand = this.value()
      const number = toNumber(operand)
      if (number === null || typeof operand === 'boolean') return this.fail('a number')
      if (c === '+') return operand
      if (isFloat(operand)) return pyFloat(-number)
      return typeof operand === 'bigint' ? pyInt(-operand) : number === 0 ? 0 : -number
    }
    if (c === '[') return this.items(']')
    if (c === '(') return this.parenthesised()
    if (c === '{') return this.dict()
    if (/^[uUrR]?['"]/.test(this.text.slice(this.at, this.at + 2))) return this.strings()
    const number =
      /^(?:0[xX](?:_?[\da-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+|(?:\d(?:_?\d)*)?\.?(?:\d(?:_?\d)*)?(?:(?<=[\d.])[eE][+-]?\d(?:_?\d)*)?)/.exec(
        this.text.slice(this.at),
      )?.[0]
    if (number !== undefined && /\d/.test(number)) return this.number(number)
    const word = /^\w+/.exec(this.text.slice(this.at))?.[0] ?? ''
    this.at += word.length
    if (word === 'None') return null
    if (word === 'True' || word === 'False') return word === 'True'
    this.at -= word.length
    return this.fail('a Python literal')
  }

  private number(text: string): PyValue {
    this.at += text.length
    if (/^[\w.]/.test(this.text.slice(this.at))) this.fail('the end of a number')
    const digits = text.replaceAll('_', '')
    if (/^0[xXoObB]/.test(digits)) return pyInt(BigInt(digits.toLowerCase()))
    if (/[.eE]/.test(digits)) return pyFloat(Number(digits))
    if (/^0+[1-9]/.test(digits)) this.fail('a number without leading zeros')
    if (digits.length > 4300) this.fail('a number of at most 4300 digits')
    return pyInt(BigInt(digits))
  }

  private items(close: string): PyValue[] {
    this.enter()
    const items: PyValue[] = []
    while (this.peek() !== close) {
      items.push(this.value())
      if (!this.take(',')) break
    }
    this.leave(close)
    return items
  }

  private parenthesised(): PyValue {
    this.enter()
    if (this.peek() === ')') {
      this.leave(')')
      return new PyTuple()
    }
    const first = this.value()
    if (this.peek() !== ',') {
      this.leave(')')
      return first
    }
    const items = [first]
    while (this.take(',') && this.peek() !== ')') items.push(this.value())
    this.leave(')')
    return pyTuple(items)
  }

  private dict(): PyValue {
    this.enter()
    const dict = new Map<string, PyValue>()
    while (this.peek() !== '}') {
      const key = this.value()
      if (isDict(key) || (isList(key) && !(key instanceof PyTuple))) this.fail('a key that can be hashed')
      if (!this.take(':')) this.fail("':'")
      dict.set(keyWithin(dict, key), this.value())
      if (!this.take(',')) break
    }
    this.leave('}')
    return dict
  }

  private strings(): string {
    let out = ''
    do {
      out += this.oneString()
      this.skip()
    } while (/^[uUrR]?['"]/.test(this.text.slice(this.at, this.at + 2)))
    return out
  }

  private oneString(): string {
    const prefix = /^[uUrR]?/.exec(this.text.slice(this.at))?.[0] ?? ''
    const isRaw = prefix.toLowerCase() === 'r'
    this.at += prefix.length
    const single = this.peek()
    const quote = this.text.startsWith(single.repeat(3), this.at) ? single.repeat(3) : single
    this.at += quote.length
    let out = ''
    for (;;) {
      if (this.at >= this.text.length) this.fail(`the closing ${quote}`)
      if (this.text.startsWith(quote, this.at)) break
      const c = this.text.charAt(this.at)
      if ((c === '\n' || c === '\r') && quote.length === 1) this.fail(`the closing ${quote}`)
      if (c === '\0') this.fail('text without NUL')
      if (c === '\\') out += this.escape(isRaw)
      else {
        out += c === '\r' ? '\n' : c
        this.at += c === '\r' && this.text.charAt(this.at + 1) === '\n' ? 2 : 1
      }
    }
    this.at += quote.length
    return out
  }

  private escape(isRaw: boolean): string {
    const rest = this.text.slice(this.at + 1, this.at + 11)
    const take = (length: number, value: string): string => {
      this.at += 1 + length
      return value
    }
    if (isRaw) return take(1, `\\${rest.charAt(0)}`)
    if (rest.startsWith('\r\n')) return take(2, '')
    const simple = simpleEscapes.get(rest.charAt(0))
    if (simple !== undefined) return take(1, simple)
    const octal = /^[0-7]{1,3}/.exec(rest)?.[0]
    if (octal !== undefined) return take(octal.length, String.fromCodePoint(parseInt(octal, 8)))
    const hex = /^(?:x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8})/.exec(rest)?.[0]
    if (hex !== undefined) {
      const codePoint = parseInt(hex.slice(1), 16)
      if (codePoint > 0x10ffff) this.fail('a code point up to 10FFFF')
      return take(hex.length, String.fromCodePoint(codePoint))
    }
    if (/^[xuUN]/.test(rest)) this.fail('a whole escape')
    // An unknown escape keeps its backslash.
    return take(0, '\\')
  }

  private enter(): void {
    this.open++
    this.at++
    this.skip()
  }

  private leave(close: string): void {
    if (this.peek() !== close) this.fail(`'${close}'`)
    this.at++
    this.open--
    this.skip()
  }

  private take(c: string): boolean {
    if (this.peek() !== c) return false
    this.at++
    this.skip()
    return true
  }

  private peek(): string {
    return this.text.charAt(this.at)
  }

  private skip(): void {
    const blank = this.open > 0 ? /(?:[ \t\f\n\r]|\\\r?\n|#[^\n\r]*)*/y : /(?:[ \t\f]|\\\r?\n|#[^\n\r]*)*/y
    blank.lastIndex = this.at
    this.at += blank.exec(this.text)?.[0].length ?? 0
  }

  private fail(wanted: string): never {
    const found = this.at < this.text.length ? this.text.slice(this.at, this.at + 20) : 'the end'
    throw new EvalError(
      'task/invalid',
      `wanted a Python literal, found ${JSON.stringify(this.text.slice(0, 200))}: at character ${this.at + 1} wanted ${wanted}, found ${found}`,
      {
        details: { text: this.text.slice(0, 2000), offset: this.at },
      },
    )
  }
}
