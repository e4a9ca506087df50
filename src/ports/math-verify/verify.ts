/** `math_verify.parse` and `math_verify.verify`, 0.9.0, as MATH's tasks call them; upstream's limit of 5 s has no counterpart here. */
import { Cursor } from '../algebra/cursor.ts'
import { call, decimal, negated, quotient, UnreadableFormula, type Expression } from '../algebra/expression.ts'
import { isSameAnswer } from './equal.ts'
import { findAnswers, type Found } from './extract.ts'
import { normalizeLatex } from './normalize.ts'
import { parseVerifyLatex } from './parse-latex.ts'
import { asFormula, type Value } from './values.ts'

/** What a text's answer stands for, null where none can be read, and the text of the first that was tried. */
interface ParsedAnswer {
  readonly value: Value | null
  readonly text: string | null
}

/** `parse(text)`; `latexOnly` for `extraction_config=[LatexExtractionConfig()]`. */
export function parseAnswer(text: string, latexOnly = false): ParsedAnswer {
  let fallback: string | null = null
  for (const group of findAnswers(text, latexOnly))
    for (const found of group) {
      const { value, text: said } = readFound(found)
      if (said !== null && said !== '') fallback ??= said
      if (value !== null) return { value, text: fallback }
    }
  return { value: null, text: fallback }
}

/** `verify(gold, prediction)`: the values equal, or the texts. */
export function verifyAnswer(gold: ParsedAnswer, prediction: ParsedAnswer): boolean {
  if (gold.value !== null && prediction.value !== null && isSameAnswer(gold.value, prediction.value)) return true
  const [left, right] = [gold.text?.trim() ?? '', prediction.text?.trim() ?? '']
  return left !== '' && left === right
}

function readFound(found: Found): ParsedAnswer {
  if (found.kind === 'number') {
    const number = found.digits.startsWith('-') ? negated(decimal(found.digits.slice(1))) : decimal(found.digits)
    return { value: found.percent ? { kind: 'percent', formula: number } : asFormula(number), text: found.digits }
  }
  if (found.kind === 'arithmetic') return { value: orNull(() => asFormula(arithmetic(found.text))), text: found.text }
  const texts = found.parts.map((part) => normalizeLatex(part.text, found.boxed ? 'last' : 'all'))
  const values = texts.map((text, i): Value | null => {
    const value = readLatex(text)
    return value?.kind === 'formula' && found.parts[i]?.percent === true ? { kind: 'percent', formula: value.formula } : value
  })
  const known = values.filter((value) => value !== null)
  if (values.length < 2 || known.length < values.length) return { value: values[0] ?? null, text: texts[0] ?? '' }
  return {
    value: { kind: 'set', items: known.flatMap((value) => (value.kind === 'set' ? value.items : [value])) },
    text: texts.join(' and '),
  }
}

/** Signs that a text is of complex numbers: its symbols then aren't real ones. */
const complexSigns =
  /\\mathbb\{C\}|\\i\b|\bi\b|\\text\{i\}|\\mathrm\{i\}|\\imath\b|\\det|\\operatorname\{(?:tr|rank|Re|Im)\}|\\text\{(?:rank|Re|Im)\}|\\(?:arg|Re|Im)\{/

function readLatex(text: string): Value | null {
  const whole = orNull(() => parseVerifyLatex(text, !complexSigns.test(text)))
  if (whole !== null || /[,;]/.test(text)) return whole
  const sides = text.split(/(?<!\\|<|!|>)=/)
  const last = sides.at(-1) ?? ''
  return sides.length > 2 ? orNull(() => parseVerifyLatex(last, !complexSigns.test(last))) : null
}

function orNull<T>(read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    if (error instanceof UnreadableFormula) return null
    throw error
  }
}

/** Python's arithmetic, with `^` for powers: what sympy's `parse_expr` makes of digits and signs. Throws `UnreadableFormula`. */
function arithmetic(text: string): Expression {
  const pieces = text.match(/\d+\.?\d*|\.\d+|\*\*|[-+*/^()]|[^\s]/g) ?? []
  const cursor = new Cursor(pieces.map((piece) => ({ kind: /\d/.test(piece) ? 'NUMBER' : piece === '^' ? '**' : piece, text: piece })))
  const sum = (): Expression =>
    cursor.nest(() => {
      let value = product()
      for (let sign = cursor.take('+', '-'); sign !== null; sign = cursor.take('+', '-')) {
        const next = product()
        value = call('add', value, sign.kind === '-' ? negated(next) : next)
      }
      return value
    })
  const product = (): Expression => {
    let value = signed()
    for (let sign = cursor.take('*', '/'); sign !== null; sign = cursor.take('*', '/')) {
      const next = signed()
      value = sign.kind === '/' ? quotient(value, next) : call('mul', value, next)
    }
    return value
  }
  const signed = (): Expression =>
    cursor.nest(() => {
      const sign = cursor.take('+', '-')
      if (sign !== null) return sign.kind === '-' ? negated(signed()) : signed()
      const base = atom()
      return cursor.take('**') === null ? base : call('pow', base, signed())
    })
  const atom = (): Expression => {
    if (cursor.take('(') === null) {
      const { text: digits } = cursor.want('NUMBER')
      if (/^0\d*[1-9]/.test(digits) && !digits.includes('.')) throw new UnreadableFormula('leading zeros')
      return decimal(digits)
    }
    const value = sum()
    cursor.want(')')
    return value
  }
  const value = sum()
  cursor.want('end')
  return value
}
