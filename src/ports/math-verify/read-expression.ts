/** The part of `parse-latex.ts` below relations and sets: sums, products, powers, functions, names. */
import type { Cursor } from '../algebra/cursor.ts'
import {
  call,
  decimal,
  fraction,
  integer,
  negated,
  quotient,
  symbol,
  UnreadableFormula,
  write,
  type Expression,
} from '../algebra/expression.ts'

const closing: { readonly [open: string]: string } = { '(': ')', '[': ']', '{': '}', '\\{': '\\}' }
const starts = [
  '(',
  '[',
  '{',
  '\\{',
  '|',
  'NUMBER',
  'LETTER',
  'NAME',
  'ACCENT',
  'DIFFERENTIAL',
  'e',
  'infty',
  'frac',
  'binom',
  'lfloor',
  'lceil',
]
const functionStarts = ['function', 'sqrt']

/** Reads expressions from a cursor. Every method throws `UnreadableFormula`. */
export class ExpressionReader {
  readonly #cursor: Cursor
  readonly #isReal: boolean
  #bars = 0

  constructor(cursor: Cursor, isReal: boolean) {
    this.#cursor = cursor
    this.#isReal = isReal
  }

  /** Terms joined by + and −. */
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

  #product(functions: boolean): Expression {
    let value = this.#signed(functions)
    for (;;) {
      const sign = this.#cursor.take('*', '/', 'mod')
      if (sign === null) return value
      const next = this.#signed(functions)
      if (sign.kind === 'mod') value = call('mod', value, next)
      else value = sign.kind === '/' ? ratio(value, next) : call('mul', value, next)
    }
  }

  #signed(functions: boolean): Expression {
    return this.#cursor.nest(() => {
      const sign = this.#cursor.take('+', '-')
      if (sign !== null) return sign.kind === '-' ? negated(this.#signed(functions)) : this.#signed(functions)
      const factors = [this.#postfix(true)]
      const kinds = functions ? [...starts, ...functionStarts] : starts
      while (this.#cursor.is(...kinds) && !(this.#bars > 0 && this.#cursor.is('|'))) factors.push(this.#postfix(functions))
      return factors.reduceRight((right, left) => beside(left, right))
    })
  }

  #postfix(functions: boolean): Expression {
    let value = this.#component(functions)
    for (;;) {
      if (this.#cursor.take('!') !== null) value = call('factorial', value)
      else if (this.#cursor.take('^') !== null) value = call('pow', value, this.#script())
      else if (this.#cursor.take('degree') === null) return value
    }
  }

  #script(): Expression {
    return this.#cursor.take('{') === null ? this.#atom() : this.#closed('}')
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
    if (this.#cursor.is('LETTER', 'NAME', 'ACCENT')) {
      const applied = functions ? this.#cursor.attempt(() => this.#application()) : null
      if (applied !== null) return applied
    }
    return this.#atom()
  }

  /** `f(x)`, `f(2)`, `f(x+1, 2)`; `f(x+1)` is a product. */
  #application(): Expression {
    const name = write(this.name())
    const exponent = this.#cursor.take('^') === null ? null : this.#script()
    this.#cursor.want('(')
    const single = this.#cursor.attempt(() => {
      const atom = this.#atom()
      this.#cursor.want(')')
      return atom
    })
    const args = single === null ? [this.sum()] : [single]
    if (single === null) {
      this.#cursor.want(',')
      do args.push(this.sum())
      while (this.#cursor.take(',') !== null)
      this.#cursor.want(')')
    }
    const applied = call(`function ${name}`, ...args)
    return exponent === null ? applied : call('pow', applied, exponent)
  }

  /** A symbol or constant. */
  name(): Expression {
    const { kind, text } = this.#cursor.want('LETTER', 'NAME', 'ACCENT')
    let name = kind === 'ACCENT' ? accented(text) : text.replace(/^\\/, '').replace('π', 'pi')
    if (kind === 'LETTER' && name === 'I') return call('i')
    if (this.#cursor.take('_') !== null) name += `_${write(this.#script())}`
    if (name === 'pi' || name === 'Pi') return call('pi')
    if (/^[gG]amma$/.test(name)) return { kind: 'number', value: fraction(5772156649015329n, 10n ** 16n), float: false }
    // A symbol that may be complex isn't the real one of that name.
    return symbol(name.toLowerCase() + (this.#isReal ? '' : ' complex'))
  }

  #atom(): Expression {
    const { kind } = this.#cursor.peek()
    if (kind === 'LETTER' || kind === 'NAME' || kind === 'ACCENT') {
      // `E` is a symbol, whatever is set for the others.
      return this.#cursor.peek().text === 'E' && this.#cursor.want('LETTER').text === 'E' ? symbol('e') : this.name()
    }
    if (kind === 'NUMBER') {
      const number = decimal(this.#cursor.want('NUMBER').text)
      if (this.#cursor.take('_') !== null) this.#script()
      return number
    }
    if (kind === 'e') {
      this.#cursor.want('e')
      return this.#cursor.take('^') === null ? call('e') : call('exp', this.#script())
    }
    if (kind === 'DIFFERENTIAL') return symbol(`d${this.#cursor.want(kind).text.slice(1).trim().replace(/^\\/, '')}`)
    if (this.#cursor.take('infty') !== null) return call('infinity')
    if (this.#cursor.take('frac') !== null) {
      this.#cursor.want('{')
      const top = this.#closed('}')
      this.#cursor.want('{')
      return ratio(top, this.#closed('}'))
    }
    if (this.#cursor.take('binom') !== null) {
      this.#cursor.want('{')
      const top = this.#closed('}')
      this.#cursor.want('{')
      return call('binomial', top, this.#closed('}'))
    }
    throw new UnreadableFormula(`wanted a formula, found ${this.#cursor.peek().text || 'the end'}`)
  }

  #function(): Expression {
    const { kind, text } = this.#cursor.want(...functionStarts)
    if (kind === 'sqrt') {
      const degree = this.#cursor.take('[') === null ? integer(2) : this.#closed(']')
      this.#cursor.want('{')
      return call('pow', this.#closed('}'), quotient(integer(1), degree))
    }
    let [base, exponent]: (Expression | null)[] = [null, null]
    for (let scripts = 0; scripts < 2; scripts++) {
      if (base === null && this.#cursor.take('_') !== null) base = this.#script()
      if (exponent === null && this.#cursor.take('^') !== null) exponent = this.#script()
    }
    const inside = this.#cursor.attempt(() => {
      this.#cursor.want('(')
      return this.#closed(')')
    })
    return applied(text.slice(1), inside ?? this.#product(false), base ?? null, exponent ?? null)
  }
}

const isWhole = (value: Expression): value is Extract<Expression, { kind: 'number' }> =>
  value.kind === 'number' && !value.float && value.value.bottom === 1n

/** Two whole numbers make a number, others a product. */
function ratio(top: Expression, bottom: Expression): Expression {
  if (!isWhole(top) || !isWhole(bottom)) return quotient(top, bottom)
  if (bottom.value.top === 0n) return quotient(top, bottom)
  return { kind: 'number', value: fraction(top.value.top, bottom.value.top), float: false }
}

/** A whole number before a fraction above 0 is a mixed number; anything else side by side is a product. */
function beside(left: Expression, right: Expression): Expression {
  if (!isWhole(left) || right.kind !== 'number' || right.float || right.value.top <= 0n) return call('mul', left, right)
  const { top, bottom } = right.value
  const whole = left.value.top
  return { kind: 'number', value: fraction(whole < 0n ? whole * bottom - top : whole * bottom + top, bottom), float: false }
}

function accented(text: string): string {
  const name = /^\\([a-zA-Z]+)/.exec(text)?.[1] ?? ''
  const inner = text.slice(text.indexOf('{') + 1, -1).replaceAll(' ', '')
  if (/text|mbox/.test(name)) return inner.replace(/[()]/g, '')
  return `${name === 'overline' ? 'bar' : name.includes('math') ? 'math' : name}{${inner}}`
}

function applied(name: string, arg: Expression, base: Expression | null, exponent: Expression | null): Expression {
  const raise = (value: Expression): Expression => (exponent === null ? value : call('pow', value, exponent))
  if (name === 'log' || name === 'ln') {
    const divisor = base ?? (name === 'log' ? integer(10) : null)
    return raise(divisor === null ? call('log', arg) : quotient(call('log', arg), call('log', divisor)))
  }
  const inverse = /^arc?(sin|cos|tan|csc|sec|cot|sinh|cosh|tanh)$/.exec(name)?.[1]
  if (inverse !== undefined) return raise(call(`a${inverse}`, arg))
  const inverts = exponent?.kind === 'number' && exponent.value.top === -1n && exponent.value.bottom === 1n
  return inverts && name !== 'exp' ? call(`a${name}`, arg) : raise(call(name, arg))
}
