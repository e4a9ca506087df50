/** Walks over a template's tokens. */
import { failTemplate } from './fail.ts'
import type { Token, TokenKind } from './lex.ts'

/** A place in a template's tokens, with the ways to move on that a parser needs. */
export class TokenReader {
  readonly name: string
  private readonly tokens: readonly Token[]
  private at = 0

  constructor(name: string, tokens: readonly Token[]) {
    this.name = name
    this.tokens = tokens
  }

  get current(): Token {
    return this.peek(0)
  }

  peek(ahead: number): Token {
    return this.tokens[Math.min(this.at + ahead, this.tokens.length - 1)] ?? { kind: 'end', text: '', line: 1 }
  }

  next(): Token {
    const token = this.current
    this.at++
    return token
  }

  /** Takes back the last `next`. */
  back(): void {
    this.at--
  }

  is(kind: TokenKind, text?: string): boolean {
    return this.current.kind === kind && (text === undefined || this.current.text === text)
  }

  skipIf(kind: TokenKind, text?: string): boolean {
    if (!this.is(kind, text)) return false
    this.at++
    return true
  }

  expect(kind: TokenKind, text?: string): Token {
    if (!this.is(kind, text)) this.fail(`wanted ${text === undefined ? describe(kind) : `'${text}'`}, found ${this.found()}`)
    return this.next()
  }

  found(): string {
    return this.current.text === '' ? describe(this.current.kind) : `'${this.current.text}'`
  }

  fail(problem: string, line = this.current.line): never {
    return failTemplate(this.name, line, problem)
  }
}

function describe(kind: TokenKind): string {
  const words: { readonly [kind in TokenKind]: string } = {
    text: 'text',
    'output-begin': "'{{'",
    'output-end': "'}}'",
    'block-begin': "'{%'",
    'block-end': "'%}'",
    name: 'a name',
    string: 'a string',
    integer: 'an integer',
    float: 'a number',
    operator: 'an operator',
    end: 'the end of the template',
  }
  return words[kind]
}
