/**
 * LaTeX as latex2sympy2_extended 1.11.0 reads it for math_verify 0.9.0: its grammar's main rules, with its habits. Letters lose their case,
 * `2\frac{1}{2}` and even `2(3)` are sums of a whole number and a fraction, `e` and `\pi` are constants but `i` is a symbol, a logarithm's
 * base is 10. Sums, integrals, limits, norms and percent signs behind a number (upstream fails on them) can't be read.
 */
import { append } from '../../base/arrays.ts'
import { Cursor } from '../algebra/cursor.ts'
import { call, decimal, negated, UnreadableFormula, type Expression } from '../algebra/expression.ts'
import { numberOf } from './numbers.ts'
import { ExpressionReader } from './read-expression.ts'
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

const relationSigns = ['=', '!=', '<', '<=', '>', '>='] as const
type Sign = (typeof relationSigns)[number]

class Reader {
  readonly #cursor: Cursor
  readonly #expressions: ExpressionReader

  constructor(cursor: Cursor, isReal: boolean) {
    this.#cursor = cursor
    this.#expressions = new ExpressionReader(cursor, isReal)
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
    if (this.#cursor.take('(') === null) return asFormula(this.#expressions.name())
    const items = [asFormula(this.#expressions.name())]
    while (this.#cursor.take(',') !== null) items.push(asFormula(this.#expressions.name()))
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
      const value = relations ? this.#relation() : asFormula(this.#expressions.sum())
      ended()
      return value
    })
    return [formula ?? this.#set()]
  }

  #plusMinus(): readonly Value[] {
    const left = this.#cursor.is('pm') ? null : this.#expressions.sum()
    this.#cursor.want('pm')
    const right = this.#expressions.sum()
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
    if (name === null) return asFormula(this.#expressions.sum())
    if (!/^(?:[pbvBV]|small)?matrix$|^array$/.test(name)) throw new UnreadableFormula(name)
    const rows: Expression[][] = [[this.#expressions.sum()]]
    for (;;) {
      if (this.#cursor.take('&') !== null) rows.at(-1)?.push(this.#expressions.sum())
      else if (this.#cursor.take('row') === null) break
      else if (!this.#cursor.is('\\end')) rows.push([this.#expressions.sum()])
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
}
