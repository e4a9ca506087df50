/** The tokens of a Python file: enough of Python's own tokenizer (3.11) to compare functions, not to run them. */
import { EvalError } from '../../base/errors.ts'

export interface Token {
  /** `newline` ends a logical line; `indent` and `dedent` begin and end a block. */
  readonly kind: 'name' | 'number' | 'string' | 'operator' | 'newline' | 'indent' | 'dedent'
  readonly text: string
  /** 1-based. */
  readonly line: number
}

const namePattern = /[\p{L}_][\p{L}\p{M}\p{N}_]*/uy
const numberPattern = /(?:0[xXoObB][\da-fA-F_]+|(?:\d[\d_]*)?\.?\d[\d_]*\.?(?:[eE][+-]?\d+)?[jJ]?)/y
const prefixPattern = /(?:[rRbBfFuU]{1,2})?(?="""|'''|"|')/y
const operatorPattern = /\*\*=|\/\/=|>>=|<<=|\.\.\.|[-+*/%&|^@<>=!:]=|->|\*\*|\/\/|<<|>>|[-+*/%&|^~<>=()[\]{},:;.@!]/y

/** Reads the tokens, without comments and blank lines. Throws `task/invalid` for text that is no Python. */
export function tokenizePython(text: string, file: string): readonly Token[] {
  return new Tokenizer(text.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n'), file).read()
}

class Tokenizer {
  private readonly text: string
  private readonly file: string
  private readonly tokens: Token[] = []
  private readonly indents: number[] = [0]
  private at = 0
  private line = 1
  private depth = 0

  constructor(text: string, file: string) {
    this.text = text
    this.file = file
  }

  read(): readonly Token[] {
    let isLineStart = true
    while (this.at < this.text.length) {
      if (isLineStart && this.depth === 0 && !this.indentation()) continue
      isLineStart = this.token()
    }
    this.endLine()
    for (; this.indents.length > 1; this.indents.pop()) this.push('dedent', '')
    return this.tokens
  }

  private push(kind: Token['kind'], text: string): void {
    this.tokens.push({ kind, text, line: this.line })
  }

  private endLine(): void {
    const last = this.tokens.at(-1)?.kind
    if (last !== undefined && last !== 'newline' && last !== 'indent' && last !== 'dedent') this.push('newline', '')
  }

  /** Opens and closes blocks; false for a line without code, which is skipped. */
  private indentation(): boolean {
    const blank = this.match(/[ \t\f]*(?:#[^\n]*)?(?:\n|$)/y)
    if (blank !== null) {
      this.line++
      return false
    }
    const space = this.match(/[ \t\f]*/y) ?? ''
    const width = [...space].reduce((column, c) => (c === '\t' ? column + 8 - (column % 8) : column + 1), 0)
    if (width > (this.indents.at(-1) ?? 0)) {
      this.indents.push(width)
      this.push('indent', '')
    }
    for (; width < (this.indents.at(-1) ?? 0); this.indents.pop()) this.push('dedent', '')
    return true
  }

  /** Reads one token; true when it ended the line. */
  private token(): boolean {
    if (this.match(/[ \t\f]+|#[^\n]*/y) !== null) return false
    if (this.match(/\\\n/y) !== null) {
      this.line++
      return false
    }
    if (this.match(/\n/y) !== null) {
      if (this.depth === 0) this.endLine()
      this.line++
      return this.depth === 0
    }
    const prefix = this.match(prefixPattern)
    if (prefix !== null) this.string(prefix)
    else this.word()
    return false
  }

  private word(): void {
    for (const [kind, pattern] of [
      ['name', namePattern],
      ['number', numberPattern],
      ['operator', operatorPattern],
    ] as const) {
      const text = this.match(pattern)
      if (text === null || text === '') continue
      if (kind === 'operator' && '([{'.includes(text)) this.depth++
      if (kind === 'operator' && ')]}'.includes(text)) this.depth = Math.max(0, this.depth - 1)
      this.push(kind, text)
      return
    }
    throw new EvalError(
      'task/invalid',
      `${this.file}, line ${this.line}: wanted Python, found ${JSON.stringify(this.text.slice(this.at, this.at + 10))}`,
    )
  }

  /** A string in one form for all quotes: prefix letters in lower case, then the text between the quotes as JSON. */
  private string(prefix: string): void {
    const line = this.line
    const quote = this.match(/"""|'''|"|'/y) ?? '"'
    const start = this.at
    for (;;) {
      if (this.at >= this.text.length || (quote.length === 1 && this.text[this.at] === '\n'))
        throw new EvalError('task/invalid', `${this.file}, line ${line}: a string without an end`)
      if (this.text.startsWith(quote, this.at)) break
      this.at += this.text[this.at] === '\\' ? 2 : 1
    }
    const body = this.text.slice(start, this.at)
    this.at += quote.length
    const letters = prefix.toLowerCase().replace('u', '').split('').sort().join('')
    // An escaped quote is the quote, which of the two it was written in doesn't matter.
    const plain = letters.includes('r')
      ? body
      : body.replace(/\\(\n|.)/gsu, (escape, c: string) => (c === '\n' ? '' : c === '"' || c === "'" ? c : escape))
    this.push('string', letters + JSON.stringify(plain))
    this.line += body.split('\n').length - 1
  }

  private match(pattern: RegExp): string | null {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)
    if (found === null) return null
    this.at += found[0].length
    return found[0]
  }
}
