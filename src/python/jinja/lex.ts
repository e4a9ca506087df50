/** Jinja2's lexer: text, blocks and expressions, with its white-space control. Equals Jinja2 3.1. */
import { simpleEscapes } from '../escapes.ts'
import { rstrip } from '../string.ts'
import { failTemplate } from './fail.ts'

export type TokenKind =
  | 'text'
  | 'output-begin'
  | 'output-end'
  | 'block-begin'
  | 'block-end'
  | 'name'
  | 'string'
  | 'integer'
  | 'float'
  | 'operator'
  | 'end'

export interface Token {
  readonly kind: TokenKind
  readonly text: string
  readonly line: number
}

export interface LexOptions {
  readonly name: string
  /** Drop the newline after a block tag. */
  readonly trimBlocks: boolean
  /** Drop white space between the start of a line and a block tag. */
  readonly lstripBlocks: boolean
  /** Keep one newline at the very end of the template. */
  readonly keepTrailingNewline: boolean
}

const blank = '[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]'
const opening = new RegExp(`\\{%[-+]?${blank}*raw${blank}*(?:-%\\}${blank}*|%\\})|\\{[%{#][-+]?`, 'g')
const whitespace = new RegExp(`${blank}+`, 'y')
const floating = /(?<!\.)(?:\d+_)*\d+(?:(?:\.(?:\d+_)*\d+)?e[+-]?(?:\d+_)*\d+|\.(?:\d+_)*\d+)/iy
const integer = /0b(?:_?[01])+|0o(?:_?[0-7])+|0x(?:_?[\da-f])+|[1-9](?:_?\d)*|0(?:_?0)*/iy
const word = /[\p{L}\p{N}_]+/uy
const quoted = /'[^'\\]*(?:\\[^][^'\\]*)*'|"[^"\\]*(?:\\[^][^"\\]*)*"/y
const operator = /\/\/|\*\*|==|!=|>=|<=|[-+/*%~[\](){}><=.:|,;]/y
const onlyBlank = new RegExp(`^${blank}*$`)

/** The template's tokens; comments are dropped and raw blocks are text. Throws `template/invalid` with the line. */
export function tokenize(source: string, options: LexOptions): Token[] {
  const normalized = source.replace(/\r\n?/g, '\n')
  const trimmed = !options.keepTrailingNewline && normalized.endsWith('\n') ? normalized.slice(0, -1) : normalized
  return new Lexer(trimmed, options).run()
}

class Lexer {
  private readonly source: string
  private readonly options: LexOptions
  private readonly tokens: Token[] = []
  private at = 0
  private line = 1

  constructor(source: string, options: LexOptions) {
    this.source = source
    this.options = options
  }

  run(): Token[] {
    while (this.at < this.source.length) {
      opening.lastIndex = this.at
      const begin = opening.exec(this.source)
      const text = this.source.slice(this.at, begin?.index)
      if (begin === null) {
        this.push('text', text)
        this.advance(text)
        break
      }
      this.push('text', this.stripBefore(text, begin[0]))
      this.advance(text)
      this.advance(begin[0])
      if (/raw/.test(begin[0])) this.raw()
      else if (begin[0].startsWith('{#')) this.comment()
      else this.inside(begin[0].startsWith('{%') ? 'block' : 'output')
    }
    this.tokens.push({ kind: 'end', text: '', line: this.line })
    return this.tokens
  }

  /** Text before a tag, stripped as the tag's sign and `lstripBlocks` say. */
  private stripBefore(text: string, tag: string): string {
    const sign = tag.charAt(2)
    if (sign === '-') return rstrip(text)
    if (sign === '+' || !this.options.lstripBlocks || tag.startsWith('{{')) return text
    const lineStart = text.lastIndexOf('\n') + 1
    const isAtLineStart = lineStart > 0 || this.at === 0 || this.source.charAt(this.at - 1) === '\n'
    return isAtLineStart && onlyBlank.test(text.slice(lineStart)) ? text.slice(0, lineStart) : text
  }

  private comment(): void {
    const close = new RegExp(`[^]*?(?:\\+#\\}|-#\\}${blank}*|#\\}${this.options.trimBlocks ? '\\n?' : ''})`, 'y')
    close.lastIndex = this.at
    const match = close.exec(this.source)
    if (match === null) failTemplate(this.options.name, this.line, "wanted the end of a comment ('#}'), found the end of the template")
    this.advance(match[0])
  }

  private raw(): void {
    const close = new RegExp(
      `([^]*?)(\\{%[-+]?)${blank}*endraw${blank}*(?:\\+%\\}|-%\\}${blank}*|%\\}${this.options.trimBlocks ? '\\n?' : ''})`,
      'y',
    )
    close.lastIndex = this.at
    const match = close.exec(this.source)
    if (match === null) failTemplate(this.options.name, this.line, "wanted '{% endraw %}', found the end of the template")
    this.push('text', this.stripBefore(match[1] ?? '', match[2] ?? ''))
    this.advance(match[0])
  }

  private inside(tag: 'block' | 'output'): void {
    const begun = this.line
    this.tokens.push({ kind: `${tag}-begin`, text: '', line: this.line })
    const close =
      tag === 'block'
        ? new RegExp(`\\+%\\}|-%\\}${blank}*|%\\}${this.options.trimBlocks ? '\\n?' : ''}`, 'y')
        : new RegExp(`-\\}\\}${blank}*|\\}\\}`, 'y')
    const open: string[] = []
    while (this.at < this.source.length) {
      const end = open.length === 0 ? this.match(close) : null
      if (end !== null) {
        this.tokens.push({ kind: `${tag}-end`, text: '', line: this.line })
        this.advance(end)
        return
      }
      this.token(open)
    }
    failTemplate(this.options.name, begun, `wanted the end of the tag ('${tag === 'block' ? '%}' : '}}'}'), found the end of the template`)
  }

  private token(open: string[]): void {
    const space = this.match(whitespace)
    if (space !== null) {
      this.advance(space)
      return
    }
    const candidates: [TokenKind, RegExp][] = [
      ['float', floating],
      ['integer', integer],
      ['name', word],
      ['string', quoted],
      ['operator', operator],
    ]
    for (const [kind, pattern] of candidates) {
      const text = this.match(pattern)
      if (text === null) continue
      if (kind === 'operator') this.balance(text, open)
      if (kind === 'name' && /^\p{N}/u.test(text)) failTemplate(this.options.name, this.line, `wanted a name, found '${text}'`)
      this.tokens.push({ kind, text: kind === 'string' ? this.unescape(text.slice(1, -1)) : text, line: this.line })
      this.advance(text)
      return
    }
    failTemplate(this.options.name, this.line, `unexpected character '${String.fromCodePoint(this.source.codePointAt(this.at) ?? 0)}'`)
  }

  private balance(text: string, open: string[]): void {
    const closing = { '(': ')', '[': ']', '{': '}' }[text]
    if (closing !== undefined) open.push(closing)
    if (!/^[)\]}]$/.test(text)) return
    const wanted = open.pop()
    if (wanted !== text)
      failTemplate(this.options.name, this.line, `unexpected '${text}'${wanted === undefined ? '' : `, wanted '${wanted}'`}`)
  }

  /** Escapes of a string literal, as Python's `unicode-escape` codec reads them. */
  private unescape(text: string): string {
    return text.replace(/\\(x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}|[0-7]{1,3}|[^])/g, (whole, body: string) => {
      const simple = simpleEscapes.get(body)
      if (simple !== undefined) return simple
      if (/^[0-7]+$/.test(body)) return String.fromCodePoint(parseInt(body, 8))
      if (/^[xuU]./.test(body)) return String.fromCodePoint(parseInt(body.slice(1), 16))
      if (/^[xuUN]$/.test(body)) failTemplate(this.options.name, this.line, `a string holds a broken escape '\\${body}'`)
      return whole
    })
  }

  private match(pattern: RegExp): string | null {
    pattern.lastIndex = this.at
    return pattern.exec(this.source)?.[0] ?? null
  }

  private push(kind: TokenKind, text: string): void {
    if (text !== '') this.tokens.push({ kind, text, line: this.line })
  }

  private advance(text: string): void {
    this.at += text.length
    for (const c of text) if (c === '\n') this.line++
  }
}
