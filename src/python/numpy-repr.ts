/** How numpy 2 prints an array of floats: eight digits, one width for all, lines of 75 characters. */
import { maxOf, minOf } from '../base/arrays.ts'
import type { PyValue } from './value.ts'
import { toNumber } from './value.ts'

const precision = 8
const lineWidth = 75

/** `str(numpy.array(values))` for up to 1000 floats. */
export function numpyText(values: readonly PyValue[]): string {
  const numbers = values.map((value) => toNumber(value) ?? NaN)
  const texts = alignAll(numbers)
  let out = ''
  let line = '['
  texts.forEach((text, i) => {
    const separator = i === 0 ? '' : ' '
    if (i > 0 && line.length + separator.length + text.length > lineWidth - 1) {
      out += `${line.trimEnd()}\n`
      line = ` ${text}`
    } else line += separator + text
  })
  return `${out}${line}]`
}

function alignAll(numbers: readonly number[]): readonly string[] {
  const sizes = numbers.filter((value) => Number.isFinite(value) && value !== 0).map(Math.abs)
  const largest = maxOf(sizes)
  const smallest = minOf(sizes)
  const isExponential = sizes.length > 0 && (largest >= 1e8 || smallest < 1e-4 || largest / smallest > 1000)
  const texts = numbers.map((value) => (Number.isFinite(value) ? split(value, isExponential) : null))
  const wholeWidth = maxOf(texts.map((text) => text?.whole.length ?? 0))
  const fractionWidth = maxOf(texts.map((text) => text?.fraction.length ?? 0))
  const exponentWidth = maxOf(texts.map((text) => text?.exponent.length ?? 0))
  const width = wholeWidth + 1 + fractionWidth + exponentWidth
  return numbers.map((value, i) => {
    const text = texts[i] ?? null
    if (text === null) return (Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf').padStart(width)
    const fraction = isExponential ? text.fraction.padEnd(fractionWidth, '0') : text.fraction.padEnd(fractionWidth, ' ')
    return `${text.whole.padStart(wholeWidth)}.${fraction}${text.exponent}`
  })
}

interface NumberParts {
  readonly whole: string
  readonly fraction: string
  readonly exponent: string
}

function split(value: number, isExponential: boolean): NumberParts {
  const sign = value < 0 || Object.is(value, -0) ? '-' : ''
  // The shortest digits that read back equal, cut to eight after the point only when there are more.
  if (isExponential) {
    const shortest = Math.abs(value).toExponential()
    const [mantissa = '', exponent = '0'] = (shortest.length > precision + 7 ? Math.abs(value).toExponential(precision) : shortest).split(
      'e',
    )
    const [whole = '', fraction = ''] = mantissa.split('.')
    const power = Number(exponent)
    return {
      whole: sign + whole,
      fraction: fraction.replace(/0+$/, ''),
      exponent: `e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`,
    }
  }
  const [whole = '', fraction = ''] = Math.abs(value).toFixed(precision).split('.')
  return { whole: sign + whole, fraction: fraction.replace(/0+$/, ''), exponent: '' }
}
