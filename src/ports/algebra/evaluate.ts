/** Values of formulas: exactly where all is rational, else in double precision at points given. */
import * as c from './complex.ts'
import { complex, type Complex } from './complex.ts'
import { fraction, type Expression, type Fraction } from './expression.ts'

/** Larger powers and factorials are left to the inexact way. */
const largestPower = 2000

/** The exact value of a formula without symbols or irrational parts; null for any other, and for a division by zero. */
export function exactValue(expression: Expression): Fraction | null {
  if (expression.kind === 'number') return expression.value
  if (expression.kind === 'symbol') return null
  const values = expression.args.map(exactValue)
  const known = values.filter((value) => value !== null)
  if (known.length < values.length) return null
  const [first = fraction(0n), second = fraction(0n)] = known
  const { head } = expression
  if (head === 'add') return known.reduce((a, b) => fraction(a.top * b.bottom + b.top * a.bottom, a.bottom * b.bottom), fraction(0n))
  if (head === 'mul') return known.reduce((a, b) => fraction(a.top * b.top, a.bottom * b.bottom), fraction(1n))
  if (head === 'pow') return exactPower(first, second)
  if (head === 'abs') return first.top < 0n ? fraction(-first.top, first.bottom) : first
  if (head === 'floor') return fraction(floorOf(first))
  if (head === 'ceiling') return fraction(-floorOf(fraction(-first.top, first.bottom)))
  if (head === 'mod' && second.top > 0n) {
    const times = floorOf(fraction(first.top * second.bottom, first.bottom * second.top))
    return fraction(first.top * second.bottom - times * second.top * first.bottom, first.bottom * second.bottom)
  }
  if (head === 'factorial' && isCount(first)) return fraction(product(1n, first.top))
  if (head === 'binomial' && isCount(first) && isCount(second)) {
    if (second.top > first.top) return fraction(0n)
    return fraction(product(first.top - second.top + 1n, first.top), product(1n, second.top))
  }
  return null
}

const isCount = ({ top, bottom }: Fraction): boolean => bottom === 1n && top >= 0n && top <= largestPower
const floorOf = ({ top, bottom }: Fraction): bigint => (top - (((top % bottom) + bottom) % bottom)) / bottom

function product(from: bigint, to: bigint): bigint {
  let result = 1n
  for (let factor = from; factor <= to; factor++) result *= factor
  return result
}

function exactPower(base: Fraction, exponent: Fraction): Fraction | null {
  const size = exponent.top < 0n ? -exponent.top : exponent.top
  if (exponent.bottom !== 1n || size > largestPower || base.top.toString().length + base.bottom.toString().length > 400) return null
  if (exponent.top < 0n) return base.top === 0n ? null : fraction(base.bottom ** size, base.top ** size)
  return fraction(base.top ** size, base.bottom ** size)
}

const functions: { readonly [head: string]: (arg: Complex) => Complex } = {
  sin: c.sin,
  cos: c.cos,
  tan: c.tan,
  csc: (x) => c.divide(complex(1), c.sin(x)),
  sec: (x) => c.divide(complex(1), c.cos(x)),
  cot: (x) => c.divide(c.cos(x), c.sin(x)),
  sinh: c.sinh,
  cosh: c.cosh,
  tanh: c.tanh,
  asin: c.asin,
  acos: c.acos,
  atan: c.atan,
  acsc: (x) => c.asin(c.divide(complex(1), x)),
  asec: (x) => c.acos(c.divide(complex(1), x)),
  acot: (x) => c.atan(c.divide(complex(1), x)),
  asinh: c.asinh,
  acosh: c.acosh,
  atanh: c.atanh,
  exp: c.exp,
  log: c.log,
  abs: (x) => complex(c.magnitude(x)),
  conjugate: (x) => complex(x.re, -x.im),
  floor: (x) => complex(Math.floor(x.re + 1e-12), Math.floor(x.im)),
  ceiling: (x) => complex(Math.ceil(x.re - 1e-12), Math.ceil(x.im)),
  factorial: c.factorial,
}

/** The value at a point. Infinite or not a number where the formula has no finite value there. */
export function valueAt(expression: Expression, point: (symbol: string) => Complex): Complex {
  if (expression.kind === 'number') return complex(ratio(expression.value))
  if (expression.kind === 'symbol') return point(expression.name)
  const exact = exactValue(expression)
  if (exact !== null) return complex(ratio(exact))
  const args = expression.args.map((arg) => valueAt(arg, point))
  const [first = complex(NaN), second = complex(NaN)] = args
  switch (expression.head) {
    case 'add':
      return args.reduce(c.add)
    case 'mul':
      return args.reduce(c.multiply)
    case 'pow':
      return c.power(first, second)
    case 'pi':
      return complex(Math.PI)
    case 'e':
      return complex(Math.E)
    case 'i':
      return complex(0, 1)
    case 'infinity':
      return complex(Infinity)
    case 'mod':
      return complex(first.re - second.re * Math.floor(first.re / second.re))
    case 'binomial':
      return c.divide(c.factorial(first), c.multiply(c.factorial(second), c.factorial(c.subtract(first, second))))
  }
  const known = Object.hasOwn(functions, expression.head) ? functions[expression.head] : undefined
  return known === undefined ? unknownFunction(expression.head, args) : known(first)
}

/** A quotient of large whole numbers, near to the last digit. */
function ratio({ top, bottom }: Fraction): number {
  const excess = Math.max(top.toString().length, bottom.toString().length) - 300
  if (excess <= 0) return Number(top) / Number(bottom)
  const cut = 10n ** BigInt(excess)
  return Number(top / cut) / Number(bottom / cut)
}

/** A function that only its name tells: a polynomial in its arguments whose coefficients come from the name. */
function unknownFunction(name: string, args: readonly Complex[]): Complex {
  const draw = randomFrom(name)
  let sum = complex(draw(), draw())
  for (const arg of args) {
    sum = c.add(sum, c.multiply(complex(draw(), draw()), arg))
    sum = c.add(sum, c.multiply(complex(draw(), draw()), c.multiply(arg, arg)))
  }
  return sum
}

/** Numbers from -1 to 1 that a text determines: FNV-1a, then mulberry32. */
export function randomFrom(text: string): () => number {
  let state = 0x811c9dc5
  for (let i = 0; i < text.length; i++) state = Math.imul(state ^ text.charCodeAt(i), 0x01000193)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 31 - 1
  }
}
