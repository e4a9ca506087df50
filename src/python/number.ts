/** Floats as Python reads and writes them: `float(text)` and `repr(float)`. */
import { strip } from './string.ts'

const number = /^[+-]?(?:(?:\d+(?:_\d+)*)(?:\.(?:\d+(?:_\d+)*)?)?|\.\d+(?:_\d+)*)(?:[eE][+-]?\d+(?:_\d+)*)?$/
const infinity = /^([+-]?)inf(?:inity)?$/i

/** The number that a text holds, white space around it allowed; decimal digits of any script count. Null where Python raises. */
export function parseFloatText(text: string): number | null {
  const bare = asciiDigits(strip(text))
  const infinite = infinity.exec(bare)
  if (infinite !== null) return infinite[1] === '-' ? -Infinity : Infinity
  if (/^[+-]?nan$/i.test(bare)) return NaN
  return number.test(bare) ? Number(bare.replaceAll('_', '')) : null
}

/** Text of a float as Python's `repr`: the shortest digits that read back equal, exponents below 1e-4 and from 1e16. */
export function reprFloat(value: number): string {
  if (Number.isNaN(value)) return 'nan'
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf'
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0'
  const [mantissa = '', exponentText = '0'] = Math.abs(value).toExponential().split('e')
  const digits = mantissa.replace('.', '')
  const exponent = Number(exponentText)
  const sign = value < 0 ? '-' : ''
  if (exponent < -4 || exponent >= 16) {
    const fraction = digits.length > 1 ? `.${digits.slice(1)}` : ''
    return `${sign}${digits.charAt(0)}${fraction}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`
  }
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0')
  return `${sign}${whole}.${digits.slice(exponent + 1) || '0'}`
}

/** Decimal digits come in runs of ten, the zero first. */
function asciiDigits(text: string): string {
  return text.replace(/(?![0-9])\p{Nd}/gu, (digit) => {
    let zero = digit.codePointAt(0) ?? 0
    const start = zero
    while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1)) && start - zero < 9) zero--
    return String(start - zero)
  })
}
