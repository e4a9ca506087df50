/** Formulas as trees, as far as answers to school and contest problems need them. */

/** A whole fraction; `bottom` is above 0 and shares no factor with `top`. */
export interface Fraction {
  readonly top: bigint
  readonly bottom: bigint
}

/** `float` marks a number that was written with a decimal point. */
export type Expression =
  | { readonly kind: 'number'; readonly value: Fraction; readonly float: boolean }
  | { readonly kind: 'symbol'; readonly name: string }
  | { readonly kind: 'call'; readonly head: string; readonly args: readonly Expression[] }

/** A formula that a parser can't read; nothing else is thrown by parsers of formulas. */
export class UnreadableFormula extends Error {}

export function fraction(top: bigint, bottom = 1n): Fraction {
  const sign = bottom < 0n ? -1n : 1n
  const shared = commonDivisor(top, bottom) || 1n
  return { top: (sign * top) / shared, bottom: (sign * bottom) / shared }
}

function commonDivisor(a: bigint, b: bigint): bigint {
  let [left, right] = [a < 0n ? -a : a, b < 0n ? -b : b]
  while (right !== 0n) [left, right] = [right, left % right]
  return left
}

/** A number from its decimal digits, such as `12` or `.5`. */
export function decimal(digits: string): Expression {
  const [whole = '', part = ''] = digits.split('.')
  return { kind: 'number', value: fraction(BigInt(whole + part), 10n ** BigInt(part.length)), float: digits.includes('.') }
}

export const integer = (value: number): Expression => ({ kind: 'number', value: fraction(BigInt(value)), float: false })
export const symbol = (name: string): Expression => ({ kind: 'symbol', name })
export const call = (head: string, ...args: readonly Expression[]): Expression => ({ kind: 'call', head, args })
export const negated = (expression: Expression): Expression =>
  expression.kind === 'number'
    ? { ...expression, value: { ...expression.value, top: -expression.value.top } }
    : call('mul', integer(-1), expression)
export const quotient = (top: Expression, bottom: Expression): Expression => call('mul', top, call('pow', bottom, integer(-1)))

/** Names of the symbols in a formula. */
export function symbolsOf(expression: Expression): ReadonlySet<string> {
  if (expression.kind === 'symbol') return new Set([expression.name])
  return expression.kind === 'call' ? new Set(expression.args.flatMap((arg) => [...symbolsOf(arg)])) : new Set()
}

/** A text that two formulas share only when they are written alike. */
export function write(expression: Expression): string {
  if (expression.kind === 'symbol') return expression.name
  if (expression.kind === 'number') {
    const { top, bottom } = expression.value
    return `${top}${bottom === 1n ? '' : `/${bottom}`}`
  }
  return `${expression.head}(${expression.args.map(write).join(', ')})`
}
