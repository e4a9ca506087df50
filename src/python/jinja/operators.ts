/** Python's operators on plain values: arithmetic with exact ints, comparison, membership, indexing and slicing. */
import { OperationError } from '../operation-error.ts'
import * as text from '../string.ts'
import {
  isDict,
  isFloat,
  isInt,
  isList,
  type PyFloat,
  pyFloat,
  pyInt,
  PyTuple,
  pyTuple,
  toNumber,
  typeName,
  type PyValue,
} from '../value.ts'
import type { BinaryOperator } from './ast.ts'
import { brief } from './brief.ts'
import { bitsOf, type Budget } from './budget.ts'
import { percentFormat } from './format.ts'
import { equals, lookUp } from './metered.ts'

type Number_ = number | bigint | boolean | PyFloat

function isNumber(value: PyValue): value is Number_ {
  return toNumber(value) !== null
}

/** Whether the value is an int or a bool, which Python adds as one. */
function isWhole(value: PyValue): value is number | bigint | boolean {
  return isInt(value) || typeof value === 'boolean'
}

/** `left operator right`. Throws `OperationError` for types that Python doesn't combine. */
export function binary(operator: BinaryOperator, left: PyValue, right: PyValue, budget: Budget): PyValue {
  if (isWhole(left) && isWhole(right)) return wholes(operator, BigInt(left), BigInt(right), budget)
  if (isNumber(left) && isNumber(right)) return floats(operator, toNumber(left) ?? NaN, toNumber(right) ?? NaN)
  if (operator === '+') {
    if (typeof left === 'string' && typeof right === 'string') {
      budget.allow(left.length + right.length)
      return left + right
    }
    if (isList(left) && isList(right) && left instanceof PyTuple === right instanceof PyTuple) {
      budget.list(left.length + right.length)
      return left instanceof PyTuple ? pyTuple([...left, ...right]) : [...left, ...right]
    }
  }
  if (operator === '*') {
    const repeated = isWhole(right) ? repeat(left, Number(right), budget) : isWhole(left) ? repeat(right, Number(left), budget) : null
    if (repeated !== null) return repeated
  }
  if (operator === '%' && typeof left === 'string') return percentFormat(left, right, budget)
  throw new OperationError(`unsupported operand types for ${operator}: '${typeName(left)}' and '${typeName(right)}'`)
}

function wholes(operator: BinaryOperator, a: bigint, b: bigint, budget: Budget): PyValue {
  const [bits, otherBits] = [bitsOf(a), bitsOf(b)]
  if (bits > 64 || otherBits > 64) budget.digits(bits, otherBits)
  switch (operator) {
    case '+':
      return pyInt(a + b)
    case '-':
      return pyInt(a - b)
    case '*':
      return pyInt(a * b)
    case '/':
      if (b === 0n) throw new OperationError('division by zero')
      return pyFloat(Number(a) / Number(b))
    case '//':
      return pyInt(floorDivide(a, b))
    case '%':
      return pyInt(a - floorDivide(a, b) * b)
    case '**':
      if (b < 0n) return floats('**', Number(a), Number(b))
      if (b * BigInt(a.toString(2).length) > 100_000n) throw new OperationError('the power is too large')
      budget.digits(Number(b) * bits, Number(b) * bits)
      return pyInt(a ** b)
  }
}

function floorDivide(a: bigint, b: bigint): bigint {
  if (b === 0n) throw new OperationError('integer division or modulo by zero')
  const quotient = a / b
  return a % b !== 0n && a < 0n !== b < 0n ? quotient - 1n : quotient
}

function floats(operator: BinaryOperator, a: number, b: number): PyValue {
  if (b === 0 && (operator === '/' || operator === '//' || operator === '%')) throw new OperationError('float division by zero')
  switch (operator) {
    case '+':
      return pyFloat(a + b)
    case '-':
      return pyFloat(a - b)
    case '*':
      return pyFloat(a * b)
    case '/':
      return pyFloat(a / b)
    case '//':
      return pyFloat(Math.floor(a / b))
    case '%': {
      const rest = a % b
      return pyFloat(rest !== 0 && rest < 0 !== b < 0 ? rest + b : rest)
    }
    case '**':
      if (a === 0 && b < 0) throw new OperationError('0.0 cannot be raised to a negative power')
      return pyFloat(a ** b)
  }
}

function repeat(value: PyValue, times: number, budget: Budget): PyValue | null {
  if (times > Number.MAX_SAFE_INTEGER) throw new OperationError("cannot fit 'int' into an index-sized integer")
  const count = Math.max(0, times)
  if (typeof value === 'string') {
    budget.allow(value.length * count)
    return value.repeat(count)
  }
  if (!isList(value)) return null
  if (value.length === 0) return value instanceof PyTuple ? pyTuple([]) : []
  budget.spend(value.length * count)
  budget.list(value.length * count)
  const items: PyValue[] = []
  for (let turn = 0; turn < count; turn++) for (const item of value) items.push(item)
  return value instanceof PyTuple ? pyTuple(items) : items
}

/** `-value`, `+value` */
export function negate(value: PyValue, operator: '-' | '+', budget: Budget): PyValue {
  const number = toNumber(value)
  if (number === null) throw new OperationError(`bad operand type for unary ${operator}: '${typeName(value)}'`)
  if (isFloat(value)) return pyFloat(operator === '-' ? -number : number)
  if (typeof value === 'bigint') budget.made(value)
  const whole = isWhole(value) ? BigInt(value) : 0n
  return pyInt(operator === '-' ? -whole : whole)
}

/** Below 0, 0 or above 0 as Python orders the two. Throws for types without an order between them. */
export function compare(left: PyValue, right: PyValue, budget: Budget): number {
  budget.spend()
  if (isNumber(left) && isNumber(right)) {
    const a = typeof left === 'bigint' ? left : (toNumber(left) ?? NaN)
    const b = typeof right === 'bigint' ? right : (toNumber(right) ?? NaN)
    if (a < b) return -1
    return a > b ? 1 : a == b ? 0 : NaN
  }
  if (typeof left === 'string' && typeof right === 'string') {
    budget.scan(Math.min(left.length, right.length))
    return compareText(left, right)
  }
  if (isList(left) && isList(right) && left instanceof PyTuple === right instanceof PyTuple) {
    const shared = Math.min(left.length, right.length)
    for (let i = 0; i < shared; i++) {
      const a = left[i] ?? null
      const b = right[i] ?? null
      if (equals(a, b, budget)) continue
      budget.enter()
      const order = compare(a, b, budget)
      budget.leave()
      return order
    }
    return left.length - right.length
  }
  throw new OperationError(`'${typeName(left)}' and '${typeName(right)}' have no order`)
}

/** Order by code points; UTF-16 order differs above U+FFFF. */
function compareText(left: string, right: string): number {
  if (left === right) return 0
  const shorter = Math.min(left.length, right.length)
  let same = 0
  while (same < shorter && left.charCodeAt(same) === right.charCodeAt(same)) same++
  // From before the first difference, which may be the second half of a pair.
  const from = Math.max(0, same - 1)
  const a = text.codePoints(left.slice(from, same + 2))
  const b = text.codePoints(right.slice(from, same + 2))
  const shared = Math.min(a.length, b.length)
  for (let i = 0; i < shared; i++) {
    const difference = (a[i]?.codePointAt(0) ?? 0) - (b[i]?.codePointAt(0) ?? 0)
    if (difference !== 0) return difference
  }
  return a.length - b.length
}

/** `item in container` */
export function contains(container: PyValue, item: PyValue, budget: Budget): boolean {
  if (typeof container === 'string') {
    if (typeof item !== 'string') throw new OperationError(`'in <string>' requires string as left operand, not ${typeName(item)}`)
    budget.search(container.length, item.length)
    return container.includes(item)
  }
  if (isList(container)) return container.some((other) => equals(other, item, budget))
  if (isDict(container)) return lookUp(container, item, budget) !== undefined
  throw new OperationError(`argument of type '${typeName(container)}' is not iterable`)
}

/** `object[index]`, or undefined where there is no such item. */
export function item(object: PyValue, index: PyValue, budget: Budget): PyValue | undefined {
  if (isDict(object))
    return isList(index) && !(index instanceof PyTuple) ? undefined : isDict(index) ? undefined : lookUp(object, index, budget)
  if (typeof object !== 'string' && !isList(object)) return undefined
  if (!isWhole(index)) return undefined
  if (typeof object === 'string') budget.scan(object.length)
  const items = typeof object === 'string' ? text.codePoints(object) : object
  const position = Number(index)
  return items[position < 0 ? position + items.length : position]
}

/** `object[start:stop:step]` with Python's bounds. */
export function slice(object: PyValue, bounds: { start: PyValue; stop: PyValue; step: PyValue }): PyValue {
  if (typeof object !== 'string' && !isList(object)) throw new OperationError(`'${typeName(object)}' can't be sliced`)
  const items: readonly PyValue[] = typeof object === 'string' ? text.codePoints(object) : object
  const step = bound(bounds.step) ?? 1
  if (step === 0) throw new OperationError('slice step cannot be zero')
  const size = items.length
  const [low, high] = step > 0 ? [0, size] : [-1, size - 1]
  const clamp = (value: number): number => Math.max(low, Math.min(high, value < 0 ? value + size : value))
  const start = bound(bounds.start)
  const stop = bound(bounds.stop)
  const from = start === null ? (step > 0 ? low : high) : clamp(start)
  const to = stop === null ? (step > 0 ? high : low) : clamp(stop)
  const taken: PyValue[] = []
  for (let i = from; step > 0 ? i < to : i > to; i += step) taken.push(items[i] ?? null)
  if (typeof object === 'string') return taken.map((c) => (typeof c === 'string' ? c : '')).join('')
  return object instanceof PyTuple ? pyTuple(taken) : taken
}

function bound(value: PyValue): number | null {
  if (value === null) return null
  if (!isWhole(value)) throw new OperationError(`slice indices must be integers, not ${brief(value)}`)
  return Number(value)
}
