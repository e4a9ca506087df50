/** Real values of formulas without symbols. */
import { complex } from '../algebra/complex.ts'
import { valueAt } from '../algebra/evaluate.ts'
import { symbolsOf, type Expression } from '../algebra/expression.ts'

/** The value of a formula without symbols, ±∞ included; null where it has symbols, or no real value. */
export function numberOf(formula: Expression): number | null {
  if (symbolsOf(formula).size > 0) return null
  const infinite = infinity(formula)
  if (infinite !== null) return infinite
  const { re, im } = valueAt(formula, () => complex(NaN))
  return Number.isNaN(re) || Math.abs(im) > 1e-9 * Math.max(1, Math.abs(re)) ? null : re
}

function infinity(formula: Expression): number | null {
  if (formula.kind !== 'call') return null
  if (formula.head === 'infinity') return Infinity
  const [sign, of] = formula.args
  return formula.head === 'mul' && formula.args.length === 2 && sign?.kind === 'number' && of?.kind === 'call' && of.head === 'infinity'
    ? Number(sign.value.top) * Infinity
    : null
}
