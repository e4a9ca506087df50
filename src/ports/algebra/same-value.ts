/** Whether two formulas are equal for all values of their symbols. */
import { complex, magnitude, subtract, type Complex } from './complex.ts'
import { exactValue, randomFrom, valueAt } from './evaluate.ts'
import { symbolsOf, type Expression } from './expression.ts'

/** Where symbols may lie: sympy's symbols are complex unless they are said to be real. */
type Domain = 'complex' | 'real'

const wantedPoints = 16
const mostPoints = 80

/**
 * Rational formulas are compared exactly; others at points drawn from a fixed seed, where they must agree to 11 digits. An identity of
 * analytic functions that holds at that many random points holds everywhere but by a coincidence of probability nearly 0 (Schwartz-Zippel).
 * False where too few points have a finite value.
 */
export function isSameValue(left: Expression, right: Expression, domain: Domain = 'complex'): boolean {
  const [a, b] = [exactValue(left), exactValue(right)]
  if (a !== null && b !== null) return a.top === b.top && a.bottom === b.bottom
  const hasSymbols = symbolsOf(left).size + symbolsOf(right).size > 0
  let agreed = 0
  for (let round = 0; round < (hasSymbols ? mostPoints : 1); round++) {
    const point = (name: string): Complex => {
      const draw = randomFrom(`${round} ${name}`)
      return complex(3 * draw(), domain === 'complex' ? 3 * draw() : 0)
    }
    const [x, y] = [valueAt(left, point), valueAt(right, point)]
    if (![x.re, x.im, y.re, y.im].every(Number.isFinite)) continue
    if (magnitude(subtract(x, y)) > 1e-11 * Math.max(1e-3, magnitude(x), magnitude(y))) return false
    if (++agreed === wantedPoints) return true
  }
  return agreed >= (hasSymbols ? 2 : 1)
}
