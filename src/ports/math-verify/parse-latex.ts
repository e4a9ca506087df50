/**
 * LaTeX as latex2sympy2_extended 1.11.0 reads it for math_verify 0.9.0: its grammar's main rules, with its habits. Letters lose their case,
 * `2\frac{1}{2}` and even `2(3)` are sums of a whole number and a fraction, `e` and `\pi` are constants but `i` is a symbol, a logarithm's
 * base is 10. Sums, integrals, limits, norms and percent signs behind a number (upstream fails on them) can't be read.
 */
import { append } from '../../base/arrays.ts'
import { Cursor } from '../algebra/cursor.ts'
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
import { numberOf } from './numbers.ts'
import { verifyTokens } from './tokens.ts'
import { asFormula, type Relation, type Value } from './values.ts'

/** What the LaTeX stands for; `isReal` says that its symbols are real numbers. Throws `UnreadableFormula`. */
export function parseVerifyLatex(text: string, isReal: boolean): Value {
  if (/^\s*-?\d{1,3}(?:,\d{3})+(?:\.\d+)?\s*$/.test(text)) {
    const bare = text.trim().replaceAll(',', '')
    return asFormula(bare.startsWith('-') ? negated(decimal(bare.slice(1))) : decimal(bare))
  }
  const cursor = new Cursor(verifyTokens(text))
  const reader = new Reader(cursor, isReal)
  const readings = [(): Value => reader.joined(), (): Value => reader.named(), (): Value => reader.elements()]
  for (const read of readings) {
    const value = cursor.attempt(() => {
      const found = read()
      cursor.want('end')
      return found
    })
    if (value !== null) return value
  }
  throw new UnreadableFormula(text)
}

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
const relationSigns = ['=', '!=', '<', '<=', '>', '>='] as const
type Sign = (typeof relationSigns)[number]

class Reader {
  readonly #cursor: Cursor
  readonly #isReal: boolean
  #bars = 0

  constructor(cursor: Cursor, isReal: boolean) {
    this.#cursor = cursor
    this.#isReal = isReal
  }

  /** A set, or sets joined by ∪, ∩ and ∖; also behind `x =` or `x ∈`. */
  joined(): Value {
    const left = this.#cursor.attempt(() => {
      const name = this.#target()
      this.#cursor.want('=', 'in')
      return name
    })
    if (left !== null) return { kind: 'relation', sign: '=', left, right: this.joined() }
    let value = this.#set()
    for (;;) {
      const sign = this.#cursor.take('union', 'intersection', 'minus')
      if (sign === null) return value
      const by = sign.kind === 'union' || sign.kind === 'minus' ? sign.kind : 'intersection'
      value = { kind: 'joined', by, left: value, right: this.#set() }
    }
  }

  /** `x` or `(x, y)`. */
  #target(): Value {
    if (this.#cursor.take('(') === null) return asFormula(this.#name())
    const items = [asFormula(this.#name())]
    while (this.#cursor.take(',') !== null) items.push(asFormula(this.#name()))
    this.#cursor.want(')')
    return { kind: 'tuple', items }
  }

  /** `x = 1, 2` and `x = \pm 2`: one name for several values. */
  named(): Value {
    const left = this.#target()
    this.#cursor.want('=', 'in')
    if (this.#cursor.is('end')) throw new UnreadableFormula('nothing behind the sign')
    const right = this.#several((): readonly Value[] => this.#element(false))
    if (right.kind === 'formula') throw new UnreadableFormula('one value is a relation')
    return { kind: 'relation', sign: '=', left, right }
  }

  elements(): Value {
    return this.#several(() => this.#element(true))
  }

  #several(element: () => readonly Value[]): Value {
    const groups: Value[][] = [[...element()]]
    for (;;) {
      if (this.#cursor.take(',') !== null) append(groups.at(-1) ?? [], element())
      else if (this.#cursor.take(';') !== null) groups.push([...element()])
      else break
    }
    const [first = []] = groups
    const [only] = first
    if (groups.length === 1) return first.length === 1 && only !== undefined ? only : { kind: 'set', items: first }
    if (groups.every((group) => group.length === 1)) return { kind: 'set', items: groups.flat() }
    return { kind: 'set', items: groups.map((items) => ({ kind: 'tuple', items })) }
  }

  #element(relations: boolean): readonly Value[] {
    const ended = (): void => {
      if (!this.#cursor.is('end', ',', ';', '\\}', ')', ']', '}')) throw new UnreadableFormula('more follows')
    }
    const pair = this.#cursor.attempt(() => this.#plusMinus())
    if (pair !== null) return pair
    const formula = this.#cursor.attempt((): Value => {
      const value = relations ? this.#relation() : asFormula(this.#sum())
      ended()
      return value
    })
    return [formula ?? this.#set()]
  }

  #plusMinus(): readonly Value[] {
    const left = this.#cursor.is('pm') ? null : this.#sum()
    this.#cursor.want('pm')
    const right = this.#sum()
    if (left === null) return [asFormula(negated(right)), asFormula(right)]
    return [asFormula(call('add', left, right)), asFormula(call('add', left, negated(right)))]
  }

  #set(): Value {
    return this.#cursor.nest(() => {
      if (this.#cursor.take('empty') !== null) return { kind: 'set', items: [] }
      const all = this.#cursor.take('all')
      if (all !== null) return { kind: 'all', name: all.text }
      if (this.#cursor.take('\\{') !== null) return this.#closeSet('\\}')
      if (this.#cursor.take('boxed') !== null) {
        this.#cursor.want('{')
        const value = this.elements()
        this.#cursor.want('}')
        return value
      }
      const open = this.#cursor.want('(', '[').kind
      const items: Value[] = []
      do append(items, this.#element(true))
      while (this.#cursor.take(',', ';') !== null)
      const close = this.#cursor.want(')', ']').kind
      return this.#bracketed(open, items, close)
    })
  }

  #closeSet(close: string): Value {
    const items: Value[] = []
    do append(items, this.#element(true))
    while (this.#cursor.take(',', ';') !== null)
    this.#cursor.want(close)
    return { kind: 'set', items }
  }

  #bracketed(open: string, items: readonly Value[], close: string): Value {
    const [from, to] = items
    if (items.length === 1 && from !== undefined) return from
    if (items.length === 2 && from?.kind === 'formula' && to?.kind === 'formula') {
      const [fromOpen, toOpen] = [open === '(', close === ')']
      const [low, high] = [numberOf(from.formula), numberOf(to.formula)]
      const isEmpty = low !== null && high !== null && fromOpen === toOpen && (fromOpen ? high <= low : high < low)
      if (!isEmpty) return { kind: 'interval', from: from.formula, to: to.formula, fromOpen, toOpen }
    }
    if ((open === '(') !== (close === ')') && items.length !== 2) throw new UnreadableFormula('brackets of two kinds')
    return { kind: 'tuple', items }
  }

  #relation(): Value {
    const first = this.#matrixOrSum()
    if (this.#cursor.take('approx') !== null) {
      const right = this.#matrixOrSum()
      return first.kind === 'formula' && first.formula.kind === 'symbol' ? right : first
    }
    const relations: Relation[] = []
    let left = first
    for (;;) {
      const sign = this.#cursor.take(...relationSigns)
      if (sign === null) break
      const right = this.#matrixOrSum()
      // The kind is one of those taken.
      relations.push({ kind: 'relation', sign: sign.kind as Sign, left, right })
      left = right
    }
    const [only] = relations
    if (only === undefined) return first
    return relations.length === 1 ? only : { kind: 'chain', relations }
  }

  #matrixOrSum(): Value {
    const name = this.#cursor.is('\\begin') ? this.#environment('\\begin') : null
    if (name === null) return asFormula(this.#sum())
    if (!/^(?:[pbvBV]|small)?matrix$|^array$/.test(name)) throw new UnreadableFormula(name)
    const rows: Expression[][] = [[this.#sum()]]
    for (;;) {
      if (this.#cursor.take('&') !== null) rows.at(-1)?.push(this.#sum())
      else if (this.#cursor.take('row') === null) break
      else if (!this.#cursor.is('\\end')) rows.push([this.#sum()])
    }
    if (this.#environment('\\end') !== name || new Set(rows.map((row) => row.length)).size > 1) throw new UnreadableFormula(name)
    return { kind: 'matrix', rows }
  }

  #environment(kind: string): string {
    this.#cursor.want(kind)
    this.#cursor.want('{')
    let name = ''
    while (!this.#cursor.is('}')) name += this.#cursor.want('LETTER', 'e', 'DIFFERENTIAL').text
    this.#cursor.want('}')
    return name
  }

  #sum(): Expression {
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
    const value = this.#sum()
    this.#bars = bars
    this.#cursor.want(close)
    return value
  }

  #component(functions: boolean): Expression {
    const open = this.#cursor.take('(', '[', '{', '\\{')
    if (open !== null) return this.#closed(closing[open.kind] ?? '')
    if (this.#cursor.take('|') !== null) {
      this.#bars++
      const value = this.#sum()
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
    const name = write(this.#name())
    const exponent = this.#cursor.take('^') === null ? null : this.#script()
    this.#cursor.want('(')
    const single = this.#cursor.attempt(() => {
      const atom = this.#atom()
      this.#cursor.want(')')
      return atom
    })
    const args = single === null ? [this.#sum()] : [single]
    if (single === null) {
      this.#cursor.want(',')
      do args.push(this.#sum())
      while (this.#cursor.take(',') !== null)
      this.#cursor.want(')')
    }
    const applied = call(`function ${name}`, ...args)
    return exponent === null ? applied : call('pow', applied, exponent)
  }

  #name(): Expression {
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
      return this.#cursor.peek().text === 'E' && this.#cursor.want('LETTER').text === 'E' ? symbol('e') : this.#name()
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
