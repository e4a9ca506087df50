/** Tokens of latex2sympy2_extended 1.11.0's grammar, as far as answers need them. */
import type { Token } from '../algebra/cursor.ts'

const skipped = new Set([
  'thinspace',
  'medspace',
  'thickspace',
  'quad',
  'qquad',
  'negthinspace',
  'negmedspace',
  'negthickspace',
  'left',
  'right',
])

const greek = [
  ...['alpha', 'beta', 'gamma', 'Gamma', 'delta', 'Delta', 'epsilon', 'varepsilon', 'zeta', 'eta', 'theta', 'Theta', 'vartheta', 'iota'],
  ...['kappa', 'lambda', 'Lambda', 'mu', 'nu', 'xi', 'Xi', 'omicron', 'pi', 'Pi', 'varpi', 'rho', 'varrho', 'sigma', 'Sigma', 'varsigma'],
  ...['tau', 'upsilon', 'Upsilon', 'phi', 'Phi', 'varphi', 'chi', 'psi', 'Psi', 'omega', 'Omega'],
  ...['angle', 'triangle', 'ell', 'hbar', 'varnothing', 'nabla', 'imath', 'jmath', 'aleph', 'square', 'diamond', 'circ', 'top', 'bot'],
]
const functions = [
  ...['exp', 'log', 'ln', 'sin', 'cos', 'tan', 'csc', 'sec', 'cot', 'arcsin', 'arccos', 'arctan', 'arccsc', 'arcsec', 'arccot'],
  ...['sinh', 'cosh', 'tanh', 'arsinh', 'arcosh', 'artanh', 'arcsinh', 'arccosh', 'arctanh'],
]
const accents = new Set([
  ...['text', 'mbox', 'overline', 'bar', 'hat', 'vec', 'overrightarrow', 'tilde', 'widetilde', 'dot', 'ddot', 'bm', 'boldsymbol'],
  ...['mathbf', 'mathrm', 'mathit', 'mathcal', 'mathfrak', 'mathsf', 'mathtt', 'textbf', 'textit', 'textrm', 'widehat', 'underline'],
])

const kinds = new Map<string, string>([
  ...greek.map((name) => [name, 'NAME'] as const),
  ...functions.map((name) => [name, 'function'] as const),
  ...['leq', 'le', 'leqq', 'leqslant'].map((name) => [name, '<='] as const),
  ...['geq', 'ge', 'geqq', 'geqslant'].map((name) => [name, '>='] as const),
  ...['neq', 'ne'].map((name) => [name, '!='] as const),
  ...['frac', 'dfrac', 'tfrac', 'cfrac'].map((name) => [name, 'frac'] as const),
  ...['binom', 'dbinom', 'tbinom'].map((name) => [name, 'binom'] as const),
  ...['cup', 'bigcup'].map((name) => [name, 'union'] as const),
  ...['cap', 'bigcap'].map((name) => [name, 'intersection'] as const),
  ...['setminus', 'backslash'].map((name) => [name, 'minus'] as const),
  ...['lfloor', 'rfloor', 'lceil', 'rceil', 'sqrt', 'infty', 'in', 'boxed', 'approx'].map((name) => [name, name] as const),
  ...['mod', 'bmod'].map((name) => [name, 'mod'] as const),
  ['begin', '\\begin'],
  ['end', '\\end'],
  ['times', '*'],
  ['cdot', '*'],
  ['ast', '*'],
  ['div', '/'],
  ['lt', '<'],
  ['gt', '>'],
  ['lvert', '|'],
  ['rvert', '|'],
  ['vert', '|'],
  ['mid', '|'],
  ['lbrace', '\\{'],
  ['rbrace', '\\}'],
  ['lbrack', '['],
  ['rbrack', ']'],
  ['lgroup', '('],
  ['rgroup', ')'],
  ['pm', 'pm'],
  ['mp', 'pm'],
  ['emptyset', 'empty'],
])

/** The formula's tokens; from the first text on that is none, one `broken` token. */
export function verifyTokens(text: string): readonly Token[] {
  const tokens: Token[] = []
  for (let at = 0; at < text.length;) {
    const rest = text.slice(at)
    const skip = /^(?:[ \t\r\n]+|\\[,:;!]|\\\$)/.exec(rest)?.[0].length ?? 0
    const token = skip > 0 ? null : nextToken(rest)
    if (token !== null && token.kind !== 'skip') tokens.push(token)
    if (token?.kind === 'broken') return tokens
    at += token === null ? skip : token.text.length
  }
  return tokens
}

function nextToken(rest: string): Token {
  const first = rest[0] ?? ''
  const number = /^(?:\d*\.\d+|\d+)/.exec(rest)?.[0]
  if (number !== undefined) return { kind: /^(?:\s*\\?%)/.test(rest.slice(number.length)) ? 'broken' : 'NUMBER', text: number }
  const degree = /^\^\s*(?:\\circ(?:le)?(?![a-zA-Z])|\\degree(?![a-zA-Z])|°|\{\s*(?:\\circ(?:le)?|\\degree|°)\s*\})/.exec(rest)?.[0]
  if (degree !== undefined) return { kind: 'degree', text: degree }
  const set = /^\\mathbb\{([NZQRC])\}/.exec(rest)
  if (set !== null) return { kind: 'all', text: set[0] }
  if (/^\\\{\s*\\\}/.test(rest)) return { kind: 'empty', text: /^\\\{\s*\\\}/.exec(rest)?.[0] ?? '' }
  if (/^\\[{}()]/.test(rest)) return { kind: '()'.includes(rest[1] ?? ' ') ? (rest[1] ?? '') : rest.slice(0, 2), text: rest.slice(0, 2) }
  if (rest.startsWith('\\\\')) return { kind: 'row', text: '\\\\' }
  const accent = /^\\([a-zA-Z]+)\s*\{([^{}]*)\}/.exec(rest)
  if (accent !== null && accents.has(accent[1] ?? '')) return { kind: 'ACCENT', text: accent[0] }
  const command = /^\\([a-zA-Z]+)/.exec(rest)
  if (command !== null) {
    const name = command[1] ?? ''
    return { kind: skipped.has(name) ? 'skip' : (kinds.get(name) ?? 'broken'), text: command[0] }
  }
  const differential = /^d[ \t\r\n]*(?:\\[a-zA-Z]+|[a-zA-Z])/.exec(rest)?.[0]
  if (differential !== undefined) return { kind: 'DIFFERENTIAL', text: differential }
  const compared = /^(?:<=|>=|!=|≤|≥|≠)/.exec(rest)?.[0]
  if (compared !== undefined) return { kind: signs[compared] ?? compared, text: compared }
  if (first === 'e') return { kind: 'e', text: first }
  if (/[a-zA-Z]/.test(first)) return { kind: 'LETTER', text: first }
  if (first === '∞') return { kind: 'infty', text: first }
  if (first === 'π') return { kind: 'NAME', text: first }
  if (first === '±') return { kind: 'pm', text: first }
  if (first === '×' || first === '·') return { kind: '*', text: first }
  if (first === '−') return { kind: '-', text: first }
  if (first === '÷' || first === ':') return { kind: '/', text: first }
  if (first === "'") return { kind: 'skip', text: first }
  return '+-*/(){}[]|_^<>=!,;&'.includes(first) ? { kind: first, text: first } : { kind: 'broken', text: first }
}

const signs: { readonly [sign: string]: string } = { '≤': '<=', '≥': '>=', '≠': '!=' }
