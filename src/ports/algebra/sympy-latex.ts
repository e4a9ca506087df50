/**
 * Formulas as sympy 1.14's `parse_latex` reads them (`sympy/parsing/latex/LaTeX.g4` and `_parse_latex_antlr.py`), with its habits: every
 * letter is a symbol of its own, π and e too; what follows a whole formula is ignored, so that `1,2` is 1; `f(x)` is an unknown function
 * for any letter. Tuples, intervals and matrices can't be read.
 */
import { Cursor } from './cursor.ts'
import { call, decimal, integer, negated, quotient, symbol, symbolsOf, UnreadableFormula, write, type Expression } from './expression.ts'
import { sympyTokens } from './sympy-tokens.ts'

/** A formula, or null for a relation, which nothing can be subtracted from. Throws `UnreadableFormula`. */
export function parseSympyLatex(text: string): Expression | null {
  const cursor = new Cursor(sympyTokens(text.trim()))
  const reader = new Reader(cursor)
  const left = reader.sum()
  if (!cursor.is('=', '<', '<=', '>', '>=', '!=')) return left
  while (cursor.take('=', '<', '<=', '>', '>=', '!=') !== null) reader.sum()
  return null
}

/** What a factor begins with. */
const starts = ['(', '[', '{', '\\{', '|', 'function', 'LETTER', 'SYMBOL', 'DIGIT', 'DIFFERENTIAL', 'mathit', 'frac', 'binom']
const functionStarts = ['function', 'int', 'sqrt', 'overline', 'sum', 'prod', 'lim']
const allStarts = [...starts, ...functionStarts, 'langle', '\\left|', 'lfloor', 'lceil']
const closing: { readonly [open: string]: string } = { '(': ')', '[': ']', '{': '}', '\\{': '\\}' }

class Reader {
  readonly #cursor: Cursor

  constructor(cursor: Cursor) {
    this.#cursor = cursor
  }

  sum(): Expression {
    return this.#cursor.nest(() => {
      let value = this.#product(true)
      for (;;) {
        const sign = this.#cursor.take('+', '-')
        if (sign === null) return value
        const next = this.#product(true)
        value = call('add', value, sign.kind === '-' ? negated(next) : next)
      }
    })
  }

  /** `mp`, or `mp_nofunc` where no function may stand but as its first factor. */
  #product(functions: boolean): Expression {
    let value = this.#signed(functions)
    for (;;) {
      const sign = this.#cursor.take('*', '/')
      if (sign === null) return value
      const next = this.#signed(functions)
      value = sign.kind === '/' ? quotient(value, next) : call('mul', value, next)
    }
  }

  #signed(functions: boolean): Expression {
    return this.#cursor.nest(() => {
      const sign = this.#cursor.take('+', '-')
      if (sign !== null) return sign.kind === '-' ? negated(this.#signed(functions)) : this.#signed(functions)
      const factors = [this.#postfix(true)]
      const kinds = functions ? allStarts : allStarts.filter((kind) => !functionStarts.includes(kind))
      while (this.#cursor.is(...kinds) && !this.#isClosingBar()) factors.push(this.#postfix(functions))
      return joinFactors(factors)
    })
  }

  /** Bars that enclose: within them the next bar closes. */
  #bars = 0
  #isClosingBar(): boolean {
    return this.#bars > 0 && this.#cursor.is('|')
  }

  #postfix(functions: boolean): Expression {
    let value = this.#power(functions)
    while (this.#cursor.take('!') !== null) value = call('factorial', value)
    if (this.#cursor.is('|') && ['_', '^'].includes(this.#cursor.peek(1).kind)) throw new UnreadableFormula('values at a bar are not read')
    return value
  }

  #power(functions: boolean): Expression {
    let value = this.#component(functions)
    while (this.#cursor.take('^') !== null) {
      const exponent = this.#script()
      if (this.#cursor.take('_') !== null) this.#script()
      value = call('pow', value, exponent)
    }
    return value
  }

  /** What stands behind `^` or `_`: an atom, or a formula in braces. */
  #script(): Expression {
    if (this.#cursor.take('{') === null) return this.#atom()
    return this.#closed('}')
  }

  #closed(close: string): Expression {
    const bars = this.#bars
    this.#bars = 0
    const value = this.sum()
    this.#bars = bars
    this.#cursor.want(close)
    return value
  }

  #component(functions: boolean): Expression {
    const open = this.#cursor.take('(', '[', '{', '\\{')
    if (open !== null) return this.#closed(closing[open.kind] ?? '')
    if (this.#cursor.take('|') !== null) {
      this.#bars++
      const value = this.sum()
      this.#bars--
      this.#cursor.want('|')
      return call('abs', value)
    }
    if (this.#cursor.take('lfloor') !== null) return call('floor', this.#closed('rfloor'))
    if (this.#cursor.take('lceil') !== null) return call('ceiling', this.#closed('rceil'))
    if (functions && this.#cursor.is(...functionStarts)) return this.#function()
    if (functions && this.#cursor.is('LETTER', 'SYMBOL')) {
      const applied = this.#cursor.attempt(() => this.#application())
      if (applied !== null) return applied
    }
    return this.#atom()
  }

  /** `f(x, y)` with any letter or symbol for f. */
  #application(): Expression {
    const name = this.#name()
    this.#cursor.want('(')
    const args = [this.sum()]
    while (this.#cursor.take(',') !== null) args.push(this.sum())
    this.#cursor.want(')')
    return call(`function ${name}`, ...args)
  }

  #name(): string {
    const { text, kind } = this.#cursor.want('LETTER', 'SYMBOL')
    let quotes = this.#cursor.take('quotes')?.text ?? ''
    const subscript = this.#cursor.take('_') === null ? '' : `_{${write(this.#script())}}`
    if (quotes === '') quotes = this.#cursor.take('quotes')?.text ?? ''
    return kind === 'SYMBOL' ? text.slice(1) + subscript : text + subscript + quotes
  }

  #atom(): Expression {
    const { kind } = this.#cursor.peek()
    if (kind === 'SYMBOL' || kind === 'LETTER') {
      const name = this.#name()
      return kind === 'SYMBOL' && /^infty(?:_|$)/.test(name) ? call('infinity') : symbol(name)
    }
    if (kind === 'DIGIT') return this.#number()
    if (kind === 'DIFFERENTIAL') return symbol(`d${this.#cursor.want(kind).text.slice(1).trim().replace(/^\\/, '')}`)
    if (this.#cursor.take('mathit') !== null) {
      let text = ''
      this.#cursor.want('{')
      while (!this.#cursor.is('}')) text += this.#cursor.want('LETTER').text
      this.#cursor.want('}')
      return symbol(text)
    }
    if (this.#cursor.take('frac') !== null) {
      const top = this.#side()
      return quotient(top, this.#side())
    }
    if (this.#cursor.take('binom') !== null) {
      this.#cursor.want('{')
      const top = this.#closed('}')
      this.#cursor.want('{')
      return call('binomial', top, this.#closed('}'))
    }
    throw new UnreadableFormula(`wanted a formula, found ${this.#cursor.peek().text || 'the end'}`)
  }

  #number(): Expression {
    let digits = this.#digits()
    while (this.#cursor.is(',') && [1, 2, 3].every((ahead) => this.#cursor.peek(ahead).kind === 'DIGIT')) {
      this.#cursor.want(',')
      for (let i = 0; i < 3; i++) digits += this.#cursor.want('DIGIT').text
    }
    if (this.#cursor.take('.') !== null) digits += `.${this.#digits()}`
    return decimal(digits)
  }

  #digits(): string {
    let digits = this.#cursor.want('DIGIT').text
    while (this.#cursor.is('DIGIT')) digits += this.#cursor.want('DIGIT').text
    return digits
  }

  /** A logarithm's base. Of digits that nothing follows the last is the argument: `\\log_28` is that of 8 to base 2. */
  #base(): Expression {
    if (!this.#cursor.is('DIGIT')) return this.#script()
    let digits = this.#cursor.want('DIGIT').text
    while (this.#cursor.is('DIGIT') && [...allStarts, '^'].includes(this.#cursor.peek(1).kind)) digits += this.#cursor.want('DIGIT').text
    return decimal(digits)
  }

  /** A side of a fraction: one digit, or a formula in braces. */
  #side(): Expression {
    const digit = this.#cursor.take('DIGIT')
    if (digit !== null) return decimal(digit.text)
    this.#cursor.want('{')
    return this.#closed('}')
  }

  #function(): Expression {
    const { kind, text } = this.#cursor.want(...functionStarts)
    if (kind === 'sqrt') {
      const degree = this.#cursor.take('[') === null ? integer(2) : this.#closed(']')
      this.#cursor.want('{')
      return call('pow', this.#closed('}'), quotient(integer(1), degree))
    }
    if (kind === 'overline') {
      this.#cursor.want('{')
      return call('conjugate', this.#closed('}'))
    }
    if (kind !== 'function') throw new UnreadableFormula(`${text} is not computed`)
    let [base, exponent]: (Expression | null)[] = [null, null]
    for (let scripts = 0; scripts < 2; scripts++) {
      if (base === null && this.#cursor.take('_') !== null) base = this.#base()
      if (exponent === null && this.#cursor.take('^') !== null) exponent = this.#script()
    }
    const inside = this.#cursor.attempt(() => {
      this.#cursor.want('(')
      return this.#closed(')')
    })
    return applyFunction(text.slice(1), inside ?? this.#product(false), base ?? null, exponent ?? null)
  }
}

/** Factors side by side; an `x` between two that hold no symbols is a sign of multiplication. */
function joinFactors(factors: readonly Expression[]): Expression {
  const holdsNone = (factor: Expression | undefined): boolean => factor !== undefined && symbolsOf(factor).size === 0
  const kept = factors.filter(
    (factor, i) => !(factor.kind === 'symbol' && factor.name === 'x' && holdsNone(factors[i - 1]) && holdsNone(factors[i + 1])),
  )
  const [only] = kept
  return kept.length === 1 && only !== undefined ? only : call('mul', ...kept)
}

function applyFunction(name: string, arg: Expression, base: Expression | null, exponent: Expression | null): Expression {
  if (name === 'log' || name === 'lg' || name === 'ln') {
    const natural = call('log', arg)
    const divisor = base ?? (name === 'lg' ? integer(10) : null)
    return raise(divisor === null ? natural : quotient(natural, call('log', divisor)), exponent)
  }
  const inverse = /^arc?(sin|cos|tan|csc|sec|cot|sinh|cosh|tanh)$/.exec(name)?.[1]
  if (inverse !== undefined) return raise(call(`a${inverse}`, arg), exponent)
  const inverts = exponent?.kind === 'number' && exponent.value.top === -1n && exponent.value.bottom === 1n
  return inverts && name !== 'exp' ? call(`a${name}`, arg) : raise(call(name, arg), exponent)
}

const raise = (value: Expression, exponent: Expression | null): Expression => (exponent === null ? value : call('pow', value, exponent))
