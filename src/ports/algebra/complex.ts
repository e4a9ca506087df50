/** Complex numbers in double precision, with the principal branches that sympy takes. */

export interface Complex {
  readonly re: number
  readonly im: number
}

export const complex = (re: number, im = 0): Complex => ({ re, im })
export const add = (a: Complex, b: Complex): Complex => complex(a.re + b.re, a.im + b.im)
export const subtract = (a: Complex, b: Complex): Complex => complex(a.re - b.re, a.im - b.im)
export const multiply = (a: Complex, b: Complex): Complex => complex(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re)
export const magnitude = (a: Complex): number => Math.hypot(a.re, a.im)
const scale = (a: Complex, by: number): Complex => complex(a.re * by, a.im * by)

export function divide(a: Complex, b: Complex): Complex {
  const square = b.re * b.re + b.im * b.im
  return complex((a.re * b.re + a.im * b.im) / square, (a.im * b.re - a.re * b.im) / square)
}

export function exp(a: Complex): Complex {
  const size = Math.exp(a.re)
  return a.im === 0 ? complex(size) : complex(size * Math.cos(a.im), size * Math.sin(a.im))
}

export const log = (a: Complex): Complex => complex(Math.log(magnitude(a)), Math.atan2(a.im === 0 ? 0 : a.im, a.re))

/** Principal power; whole exponents up to 1000 by multiplication, so that real numbers stay real. */
export function power(base: Complex, exponent: Complex): Complex {
  if (exponent.im === 0 && Number.isInteger(exponent.re) && Math.abs(exponent.re) <= 1000) {
    let result = complex(1)
    let square = base
    for (let left = Math.abs(exponent.re); left > 0; left = Math.floor(left / 2)) {
      if (left % 2 === 1) result = multiply(result, square)
      square = multiply(square, square)
    }
    return exponent.re < 0 ? divide(complex(1), result) : result
  }
  if (base.im === 0 && base.re > 0 && exponent.im === 0) return complex(base.re ** exponent.re)
  if (base.re === 0 && base.im === 0) return complex(exponent.re > 0 ? 0 : NaN)
  return exp(multiply(exponent, log(base)))
}

const i = complex(0, 1)
const one = complex(1)
const half = (a: Complex): Complex => scale(a, 0.5)
const root = (a: Complex): Complex => power(a, complex(0.5))

export const sinh = (a: Complex): Complex => half(subtract(exp(a), exp(scale(a, -1))))
export const cosh = (a: Complex): Complex => half(add(exp(a), exp(scale(a, -1))))
export const sin = (a: Complex): Complex =>
  a.im === 0 ? complex(Math.sin(a.re)) : complex(Math.sin(a.re) * Math.cosh(a.im), Math.cos(a.re) * Math.sinh(a.im))
export const cos = (a: Complex): Complex =>
  a.im === 0 ? complex(Math.cos(a.re)) : complex(Math.cos(a.re) * Math.cosh(a.im), -Math.sin(a.re) * Math.sinh(a.im))
export const tan = (a: Complex): Complex => divide(sin(a), cos(a))
export const tanh = (a: Complex): Complex => divide(sinh(a), cosh(a))

export const asin = (a: Complex): Complex => multiply(complex(0, -1), log(add(multiply(i, a), root(subtract(one, multiply(a, a))))))
export const acos = (a: Complex): Complex => subtract(complex(Math.PI / 2), asin(a))
export const atan = (a: Complex): Complex =>
  a.im === 0
    ? complex(Math.atan(a.re))
    : multiply(complex(0, 0.5), subtract(log(subtract(one, multiply(i, a))), log(add(one, multiply(i, a)))))
export const asinh = (a: Complex): Complex => log(add(a, root(add(multiply(a, a), one))))
export const acosh = (a: Complex): Complex => log(add(a, multiply(root(add(a, one)), root(subtract(a, one)))))
export const atanh = (a: Complex): Complex => half(subtract(log(add(one, a)), log(subtract(one, a))))

const lanczos = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059, 12.507343278686905,
  -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
]

/** Γ(a + 1), by Lanczos's series with g = 7. */
export function factorial(a: Complex): Complex {
  if (a.im === 0 && Number.isInteger(a.re)) {
    if (a.re < 0) return complex(NaN)
    let product = 1
    for (let k = 2; k <= a.re && product < Infinity; k++) product *= k
    return complex(product)
  }
  if (a.re < -0.5) {
    // Γ(z + 1) = −π / (sin(πz) Γ(−z)).
    return divide(complex(-Math.PI), multiply(sin(scale(a, Math.PI)), factorial(subtract(scale(a, -1), one))))
  }
  let sum = complex(lanczos[0] ?? 0)
  for (let k = 1; k < lanczos.length; k++) sum = add(sum, divide(complex(lanczos[k] ?? 0), add(a, complex(k))))
  const t = add(a, complex(7.5))
  return multiply(multiply(complex(Math.sqrt(2 * Math.PI)), power(t, add(a, complex(0.5)))), multiply(exp(scale(t, -1)), sum))
}
