/** Python's `float(text)`; null where it raises. */
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

/** Decimal digits come in runs of ten, the zero first. */
function asciiDigits(text: string): string {
  return text.replace(/(?![0-9])\p{Nd}/gu, (digit) => {
    let zero = digit.codePointAt(0) ?? 0
    const start = zero
    while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1)) && start - zero < 9) zero--
    return String(start - zero)
  })
}
