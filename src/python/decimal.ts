/** Decimal digits of a float, correctly rounded with ties to even as C's printf does; JavaScript's `toFixed` rounds ties up. */

/** The digits of a size (>= 0, finite) with so many places after the point, as `'%.{places}f'`. */
export function fixedDigits(size: number, places: number): string {
  const digits = String(scaled(size, places)).padStart(places + 1, '0')
  return places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`
}

/** The digits of a size (>= 0, finite) as `'%.{places}e'`, with an exponent of at least two digits. */
export function exponentDigits(size: number, places: number): string {
  let exponent = size === 0 ? 0 : Number(size.toExponential().split('e')[1])
  let digits = String(scaled(size, places - exponent))
  if (digits.length > places + 1) {
    // Rounding went up to the next power of ten.
    exponent++
    digits = digits.slice(0, -1)
  }
  digits = digits.padEnd(places + 1, '0')
  const fraction = places === 0 ? '' : `.${digits.slice(1)}`
  return `${digits.charAt(0)}${fraction}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`
}

/** `size * 10 ** places` as the nearest integer, ties to even, from the float's exact value. */
function scaled(size: number, places: number): bigint {
  let mantissa = size
  let power = 0
  while (!Number.isInteger(mantissa)) {
    mantissa *= 2
    power--
  }
  let numerator = BigInt(mantissa)
  let denominator = 1n << BigInt(-power)
  if (places >= 0) numerator *= 10n ** BigInt(places)
  else denominator *= 10n ** BigInt(-places)
  const quotient = numerator / denominator
  const twice = 2n * (numerator % denominator)
  const isUp = twice > denominator || (twice === denominator && quotient % 2n === 1n)
  return isUp ? quotient + 1n : quotient
}
