/** Whether a gold value and a predicted one are equal as `sympy_expr_eq` of math_verify 0.9.0's `grader.py` says, in its strict mode. */
import { exactValue } from '../algebra/evaluate.ts'
import { call, negated, quotient, symbolsOf, write, type Expression } from '../algebra/expression.ts'
import { isSameValue } from '../algebra/same-value.ts'
import { numberOf } from './numbers.ts'
import { asFormula, type Relation, type Value } from './values.ts'

/** Not symmetric: `x = 1` given for 1 is right, 1 for `x = 1` too, but 1 for `2x = 2` is wrong. */
export function isSameAnswer(gold: Value, pred: Value): boolean {
  const [goldIsEquation, predIsEquation] = [isEquation(gold), isEquation(pred)]
  let [wanted, given] = [shorten(gold), shorten(pred)]
  if (predIsEquation && !goldIsEquation) given = lastOf(given).right
  else if (isAssignment(gold) && !predIsEquation) wanted = lastOf(wanted).right
  if (isSetLike(given) && given.kind !== 'tuple') wanted = solutionsOf(wanted) ?? wanted
  if (describe(wanted) === describe(given)) return true
  const [a, b] = [relationsOf(wanted), relationsOf(given)]
  if (a !== null && b !== null) return a.length === b.length && a.every((each, i) => isSameRelation(each, b[i], a.length === 1))
  if (isSetLike(wanted) || isSetLike(given)) return isSameSet(wanted, given)
  const [left, right] = [symbolNames(wanted), symbolNames(given)]
  if (isSymbol(wanted) || isSymbol(given)) return left !== null && left === right
  return isSameNumber(wanted, given)
}

/** The numbers that fulfil `1 < x < 2` or `x \\ge 3`, as an interval; null for other values. */
function solutionsOf(value: Value): Value | null {
  let known: Extract<Value, { kind: 'interval' }> = {
    kind: 'interval',
    from: negated(call('infinity')),
    to: call('infinity'),
    fromOpen: true,
    toOpen: true,
  }
  const relations = relationsOf(value)
  const names = new Set(relations?.flatMap(({ left, right }) => [left, right].map(symbolNames).filter((name) => name !== null)))
  if (relations === null || names.size !== 1) return null
  for (const { sign, left, right } of relations) {
    if (left.kind !== 'formula' || right.kind !== 'formula' || !/^[<>]/.test(sign) || isSymbol(left) === isSymbol(right)) return null
    const bound = isSymbol(left) ? right.formula : left.formula
    const at = numberOf(bound)
    const [from, to] = [numberOf(known.from), numberOf(known.to)]
    if (at === null || from === null || to === null) return null
    const isUpper = sign.startsWith('<') === isSymbol(left)
    const isOpen = !sign.endsWith('=')
    if (isUpper && (at < to || (at === to && isOpen))) known = { ...known, to: bound, toOpen: isOpen }
    if (!isUpper && (at > from || (at === from && isOpen))) known = { ...known, from: bound, fromOpen: isOpen }
  }
  return known
}

type Chain = Relation | Extract<Value, { kind: 'chain' }>

const relationsOf = (value: Value): readonly Relation[] | null =>
  value.kind === 'relation' ? [value] : value.kind === 'chain' ? value.relations : null
const isEquation = (value: Value): value is Chain => relationsOf(value)?.every(({ sign }) => sign === '=') ?? false

function isAssignment(value: Value): value is Chain {
  const left = relationsOf(value)?.[0]?.left
  return isEquation(value) && left !== undefined && isName(left)
}

/** `x`, a product of names, or `(x, y)`. */
function isName(value: Value): boolean {
  return value.kind === 'tuple' ? value.items.every(isName) : value.kind === 'formula' && holdsOnlySymbols(value.formula)
}

function holdsOnlySymbols(formula: Expression): boolean {
  if (formula.kind === 'symbol') return true
  if (formula.kind === 'number' || formula.args.length === 0) return false
  const [base, exponent] = formula.args
  if (formula.head === 'pow' && base !== undefined && exponent?.kind === 'number' && exponent.value.top === -1n)
    return holdsOnlySymbols(base)
  return formula.args.every(holdsOnlySymbols)
}

/** `a = b = c` as `a = c`, where a is a name. */
function shorten(value: Value): Value {
  const relations = relationsOf(value)
  const [first, last] = [relations?.[0], relations?.at(-1)]
  if (first === undefined || last === undefined || !isAssignment(value)) return value
  return { kind: 'relation', sign: '=', left: first.left, right: last.right }
}

function lastOf(value: Value): { readonly right: Value } {
  return relationsOf(value)?.at(-1) ?? { right: value }
}

/** A text that values written alike share. */
function describe(value: Value): string {
  switch (value.kind) {
    case 'formula':
    case 'percent':
      return `${value.kind} ${write(value.formula)}`
    case 'set':
      return `set {${[...new Set(value.items.map(describe))].sort().join('; ')}}`
    case 'tuple':
      return `tuple (${value.items.map(describe).join('; ')})`
    case 'interval':
      return `interval ${value.fromOpen}${value.toOpen} ${write(value.from)}; ${write(value.to)}`
    case 'joined':
      return `${value.by} ${describe(value.left)} ${describe(value.right)}`
    case 'all':
      return value.name
    case 'matrix':
      return `matrix ${value.rows.map((row) => row.map(write).join('&')).join('; ')}`
    case 'relation':
      return `${value.sign} ${describe(value.left)} ${describe(value.right)}`
    case 'chain':
      return value.relations.map(describe).join(' and ')
  }
}

const flipped: { readonly [sign: string]: string } = { '=': '=', '<': '>', '>': '<', '<=': '>=', '>=': '<=' }

/** The sides' differences equal, or the signs reversed; an equation alone also as a multiple, which has the same solutions. */
function isSameRelation(gold: Relation, pred: Relation | undefined, alone: boolean): boolean {
  if (pred === undefined) return false
  const [a, b] = [difference(gold), difference(pred)]
  if (a === null || b === null) return false
  if (gold.sign === pred.sign && isSameNumber(asFormula(a), asFormula(b))) return true
  if (flipped[gold.sign] === pred.sign && isSameNumber(asFormula(a), asFormula(negated(b)))) return true
  return alone && gold.sign === '=' && pred.sign === '=' && isMultiple(a, b)
}

function difference({ left, right }: Relation): Expression | null {
  return left.kind === 'formula' && right.kind === 'formula' ? call('add', left.formula, negated(right.formula)) : null
}

/** Whether a/b is the same everywhere, which it is where it equals its own value with every symbol renamed. */
function isMultiple(a: Expression, b: Expression): boolean {
  // Upstream fails on the solutions of an equation of one symbol, and calls `2x = 4` and `x = 2` unequal.
  if (symbolsOf(a).size < 2 || symbolsOf(b).size < 2) return false
  const rename = (formula: Expression): Expression => {
    if (formula.kind === 'symbol') return { ...formula, name: `${formula.name} elsewhere` }
    return formula.kind === 'call' ? { ...formula, args: formula.args.map(rename) } : formula
  }
  return isSameValue(quotient(a, b), rename(quotient(a, b)), 'real')
}

type SetLike = Extract<Value, { kind: 'set' | 'tuple' | 'interval' | 'joined' | 'all' }>
const isSetLike = (value: Value): value is SetLike => ['set', 'tuple', 'interval', 'joined', 'all'].includes(value.kind)

function isSameSet(gold: Value, pred: Value): boolean {
  const [a, b]: readonly SetLike[] = [gold, pred].map((value) => (isSetLike(value) ? value : { kind: 'set', items: [value] }))
  if (a === undefined || b === undefined) return false
  if (a.kind === 'interval' && b.kind === 'interval')
    return (
      a.fromOpen === b.fromOpen &&
      a.toOpen === b.toOpen &&
      isSameAnswer(asFormula(a.from), asFormula(b.from)) &&
      isSameAnswer(asFormula(a.to), asFormula(b.to))
    )
  const [left, right] = [a.kind === 'interval' ? openEnds(a) : a, b.kind === 'interval' ? openEnds(b) : b]
  if (left !== null && right !== null && 'items' in left && 'items' in right) {
    if (left.kind === 'tuple') return isSameList(left.items, right.items)
    return isSameCollection(unique(left.items), right.kind === 'set' ? unique(right.items) : right.items)
  }
  const [these, those] = [intervalsOf(a), intervalsOf(b)]
  return these !== null && those !== null && these === those
}

/** An open interval as the pair of its ends, which `(1, 2)` may mean. */
function openEnds({ from, to, fromOpen, toOpen }: Extract<Value, { kind: 'interval' }>): Extract<Value, { kind: 'tuple' }> | null {
  return fromOpen && toOpen ? { kind: 'tuple', items: [asFormula(from), asFormula(to)] } : null
}

const isSameList = (gold: readonly Value[], pred: readonly Value[]): boolean =>
  gold.length === pred.length && gold.every((item, i) => isSameItem(item, pred[i]))
const isSameItem = (gold: Value, pred: Value | undefined): boolean => pred !== undefined && isSameAnswer(gold, pred)

function isSameCollection(gold: readonly Value[], pred: readonly Value[]): boolean {
  const left = [...pred]
  return (
    gold.length === pred.length &&
    gold.every((item) => {
      const place = left.findIndex((candidate) => isSameAnswer(item, candidate))
      if (place >= 0) left.splice(place, 1)
      return place >= 0
    })
  )
}

function unique(items: readonly Value[]): readonly Value[] {
  const seen = new Set<string>()
  return items.filter((item) => seen.size < seen.add(describe(item)).size)
}

/** A union of intervals and numbers in one writing, sorted and merged; null for what isn't one. */
function intervalsOf(value: Value): string | null {
  const parts = partsOf(value)
  if (parts === null) return null
  const sorted = parts.filter((part) => part.from < part.to || (part.from === part.to && !part.fromOpen && !part.toOpen))
  sorted.sort((a, b) => a.from - b.from || Number(a.fromOpen) - Number(b.fromOpen))
  const merged: Part[] = []
  for (const part of sorted) {
    const last = merged.at(-1)
    const touches = last !== undefined && (part.from < last.to || (part.from === last.to && !(part.fromOpen && last.toOpen)))
    if (!touches) merged.push({ ...part })
    else if (part.to > last.to) Object.assign(last, { to: part.to, toOpen: part.toOpen })
    else if (part.to === last.to) Object.assign(last, { toOpen: part.toOpen && last.toOpen })
  }
  return merged.map((part) => `${part.fromOpen}${part.from.toPrecision(12)},${part.to.toPrecision(12)}${part.toOpen}`).join(' ')
}

interface Part {
  readonly from: number
  readonly to: number
  readonly fromOpen: boolean
  readonly toOpen: boolean
}

function partsOf(value: Value): readonly Part[] | null {
  if (value.kind === 'joined') {
    const [left, right] = [partsOf(value.left), partsOf(value.right)]
    if (left === null || right === null || value.by === 'intersection') return null
    return value.by === 'union' ? [...left, ...right] : withoutPoints(left, right)
  }
  if (value.kind === 'all') return value.name.includes('R') ? [{ from: -Infinity, to: Infinity, fromOpen: true, toOpen: true }] : null
  if (value.kind === 'set' || value.kind === 'tuple') {
    const numbers = value.items.map((item) => (item.kind === 'formula' ? numberOf(item.formula) : null))
    const known = numbers.filter((number) => number !== null)
    return known.length < numbers.length ? null : known.map((at) => ({ from: at, to: at, fromOpen: false, toOpen: false }))
  }
  if (value.kind !== 'interval') return null
  const [from, to] = [numberOf(value.from), numberOf(value.to)]
  if (from === null || to === null) return null
  return [{ from, to, fromOpen: value.fromOpen || from === -Infinity, toOpen: value.toOpen || to === Infinity }]
}

const isSymbol = (value: Value): boolean => value.kind === 'formula' && value.formula.kind === 'symbol'

/** The parts without single numbers; null where more is taken away. */
function withoutPoints(parts: readonly Part[], points: readonly Part[]): readonly Part[] | null {
  if (points.some(({ from, to }) => from !== to)) return null
  return points.reduce(
    (left, { from: at }) =>
      left.flatMap((part) => {
        if (at < part.from || at > part.to) return [part]
        return [
          { ...part, to: at, toOpen: true },
          { ...part, from: at, fromOpen: true },
        ]
      }),
    parts,
  )
}

/** The letters of a name, or of a product of names, which text without `\text` is; null for anything else. */
function symbolNames(value: Value): string | null {
  if (value.kind !== 'formula') return null
  const names = (formula: Expression): string | null => {
    if (formula.kind === 'symbol') return formula.name.replace(/ complex$/, '')
    if (formula.kind === 'number') return null
    if (formula.head === 'e') return 'e'
    if (formula.head !== 'mul') return null
    const parts = formula.args.map(names)
    return parts.includes(null) ? null : parts.join('')
  }
  return names(value.formula)?.toLowerCase() ?? null
}

/** Numbers that were written with a point are compared to 6 decimals, and 9% equals 9; others must be the same for all values. */
function isSameNumber(gold: Value, pred: Value): boolean {
  if (gold.kind === 'matrix' && pred.kind === 'matrix') {
    const [a, b] = [gold.rows, pred.rows]
    return a.length === b.length && a.every((row, i) => isSameList(row.map(asFormula), (b[i] ?? []).map(asFormula)))
  }
  const [a, b] = [formulaOf(gold), formulaOf(pred)]
  if (a === null || b === null || !('formula' in gold) || !('formula' in pred)) return false
  if (isFloat(gold.formula) || isFloat(pred.formula)) {
    const [x, y] = [numberOf(a), numberOf(b)]
    if (x !== null && y !== null && Math.round(x * 1e6) === Math.round(y * 1e6)) return true
  } else if (isWhole(gold.formula) && isWhole(pred.formula)) return isSameValue(gold.formula, pred.formula)
  return isSameValue(a, b, 'real')
}

function formulaOf(value: Value): Expression | null {
  if (value.kind === 'formula') return value.formula
  return value.kind === 'percent' ? quotient(value.formula, { kind: 'number', value: { top: 100n, bottom: 1n }, float: false }) : null
}

const isFloat = (formula: Expression): boolean => formula.kind === 'number' && formula.float
const isWhole = (formula: Expression): boolean => formula.kind === 'number' && !formula.float && exactValue(formula)?.bottom === 1n
