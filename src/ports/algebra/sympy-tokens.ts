/** Tokens of sympy 1.14's `parse_latex`: the lexer half of `sympy/parsing/latex/LaTeX.g4`. */
import type { Token } from './cursor.ts'

const skipped = new Set([
  ...['thinspace', 'medspace', 'thickspace', 'quad', 'qquad', 'negthinspace', 'negmedspace', 'negthickspace', 'left', 'right'],
  ...['vrule', 'vcenter', 'vbox', 'vskip', 'vspace', 'hfil'],
])

const functionNames = [
  ...['exp', 'log', 'lg', 'ln', 'sin', 'cos', 'tan', 'csc', 'sec', 'cot', 'arcsin', 'arccos', 'arctan', 'arccsc', 'arcsec', 'arccot'],
  ...['sinh', 'cosh', 'tanh', 'arsinh', 'arcosh', 'artanh'],
]

const kindOfCommand = new Map<string, string>([
  ...functionNames.map((name) => [name, 'function'] as const),
  ...['to', 'rightarrow', 'Rightarrow', 'longrightarrow', 'Longrightarrow'].map((name) => [name, 'approach'] as const),
  ...['leq', 'le', 'leqq', 'leqslant'].map((name) => [name, '<='] as const),
  ...['geq', 'ge', 'geqq', 'geqslant'].map((name) => [name, '>='] as const),
  ...['frac', 'dfrac', 'tfrac'].map((name) => [name, 'frac'] as const),
  ...['binom', 'dbinom', 'tbinom'].map((name) => [name, 'binom'] as const),
  ...['langle', 'rangle', 'lim', 'int', 'sum', 'prod', 'lfloor', 'rfloor', 'lceil', 'rceil', 'sqrt', 'overline', 'mathit'].map(
    (name) => [name, name] as const,
  ),
  ['times', '*'],
  ['cdot', '*'],
  ['div', '/'],
  ['neq', '!='],
])

/** The formula's tokens; from the first text on that is none, one `broken` token. */
export function sympyTokens(text: string): readonly Token[] {
  const tokens: Token[] = []
  for (let at = 0; at < text.length;) {
    const rest = text.slice(at)
    const length = skipLength(rest)
    const token = length > 0 ? null : nextToken(rest)
    if (token !== null) tokens.push(token)
    if (token?.kind === 'broken') return tokens
    at += token === null ? length : token.text.length
  }
  return tokens
}

function skipLength(rest: string): number {
  const plain = /^(?:[ \t\r\n]+|\\[,:;!*\-./"(=])/.exec(rest)?.[0]
  if (plain !== undefined) return plain.length
  if (/^\\(?:left|right)\|/.test(rest)) return 0
  const name = /^\\([a-zA-Z]+)/.exec(rest)?.[1] ?? ''
  return skipped.has(name) ? name.length + 1 : 0
}

function nextToken(rest: string): Token {
  const first = rest[0] ?? ''
  const bar = /^\\(?:left|right)\|/.exec(rest)?.[0]
  if (bar !== undefined) return { kind: bar, text: bar }
  if (/^\\[{}]/.test(rest)) return { kind: rest.slice(0, 2), text: rest.slice(0, 2) }
  const command = /^\\([a-zA-Z]+)/.exec(rest)
  if (command !== null) return { kind: kindOfCommand.get(command[1] ?? '') ?? 'SYMBOL', text: command[0] }
  const differential = /^d[ \t\r\n]*(?:\\[a-zA-Z]+|[a-zA-Z])/.exec(rest)?.[0]
  if (differential !== undefined) return { kind: 'DIFFERENTIAL', text: differential }
  const equal = /^(?:&[ \t\r\n]*=|=[ \t\r\n]*&|=)/.exec(rest)?.[0]
  if (equal !== undefined) return { kind: '=', text: equal }
  const quotes = /^'+/.exec(rest)?.[0]
  if (quotes !== undefined) return { kind: 'quotes', text: quotes }
  if (/[a-zA-Z]/.test(first)) return { kind: 'LETTER', text: first }
  if (/[0-9]/.test(first)) return { kind: 'DIGIT', text: first }
  if (first === ':') return { kind: '/', text: first }
  return '+-*/(){}[]|_^<>!,.'.includes(first) ? { kind: first, text: first } : { kind: 'broken', text: first }
}
