/** When a difference between two runs means something: a paired t-test, McNemar's test, Holm's correction for many tests, and the smallest effect to be seen. */
import { quantileOf975 } from '../../base/normal-quantile.ts'

const quantileOf80 = 0.8416212335729143

/** The level at which a difference is called significant. */
export const significanceLevel = 0.05

/**
 * The true difference that a two-sided test at 0.05 finds in 80% of repetitions, given the difference's standard error; in the score's unit.
 * Source: Miller (2024), Adding Error Bars to Evals, arXiv 2411.00640, §5.
 */
export function minimumDetectableEffect(stderr: number): number {
  return (quantileOf975 + quantileOf80) * stderr
}

/**
 * Two-sided p of a normal deviate: for two independent scores, of which only the standard errors are known. It is erfc(|z| / √2), by its
 * series or, far out, by its continued fraction (Abramowitz and Stegun 7.1.6 and 7.1.14).
 */
export function normalTwoSided(deviate: number): number {
  const x = Math.abs(deviate) / Math.SQRT2
  const front = Math.exp(-x * x) / Math.sqrt(Math.PI)
  if (x < 2) {
    let term = x
    let sum = x
    for (let n = 1; term > 1e-18 * sum; n++) {
      term *= (2 * x * x) / (2 * n + 1)
      sum += term
    }
    return 1 - 2 * front * sum
  }
  let fraction = x
  for (let n = 100; n > 0; n--) fraction = x + n / 2 / fraction
  return front / fraction
}

/**
 * Two-sided exact McNemar p for `b` docs that changed one way and `c` that changed the other: the binomial test with even odds. Powers of two
 * are taken out as the product grows, so that thousands of changed docs don't make it vanish.
 */
export function mcnemarExact(b: number, c: number): number {
  const n = b + c
  const fewer = Math.min(b, c)
  if (2 * fewer === n) return 1
  // C(n, fewer) / 2^halved; every division by a power of two is exact.
  let likely = 1
  let halved = 0
  for (let k = 1; k <= fewer; k++) {
    likely *= (n - fewer + k) / k
    if (likely > 2 ** 500 && halved + 500 <= n) {
      likely *= 2 ** -500
      halved += 500
    }
  }
  // The tail beside its most likely term, each next one from the last.
  let term = 1
  let tail = 1
  for (let k = fewer; k > 0; k--) {
    term *= k / (n - k + 1)
    tail += term
  }
  let p = 2 * likely * tail
  for (let left = n - halved; left > 0; left -= 500) p *= 2 ** -Math.min(left, 500)
  return Math.min(1, p)
}

/** Two-sided p of Student's t with `freedom` degrees of freedom, as `scipy.stats.ttest_rel` gives it for the mean of paired differences. */
export function studentTwoSided(t: number, freedom: number): number {
  if (Number.isNaN(t)) return NaN
  if (!Number.isFinite(t)) return 0
  return incompleteBeta(freedom / 2, 0.5, freedom / (freedom + t * t), (t * t) / (freedom + t * t))
}

/**
 * Holm's step-down correction: the p values of one family, adjusted, in the order given. Null stands for a test that couldn't be made and
 * belongs to no family. Source: Holm (1979), Scand. J. Statist. 6, 65-70.
 */
export function holmAdjusted(values: readonly (number | null)[]): readonly (number | null)[] {
  const known = values.flatMap((p, index) => (p === null ? [] : [{ p, index }])).sort((a, b) => a.p - b.p)
  const adjusted: (number | null)[] = values.map(() => null)
  let running = 0
  known.forEach(({ p, index }, rank) => {
    running = Math.max(running, Math.min(1, (known.length - rank) * p))
    adjusted[index] = running
  })
  return adjusted
}

/**
 * The regularised incomplete beta function at `x`, with `rest` = 1 − x given apart, because it may be too small for the subtraction. By its
 * continued fraction (Abramowitz and Stegun 26.5.8), evaluated as Lentz does.
 */
function incompleteBeta(a: number, b: number, x: number, rest: number): number {
  if (x <= 0) return 0
  if (rest <= 0) return 1
  const front = Math.exp(logGammaRatio(a, b) + a * logOf(x, rest) + b * Math.log(rest))
  return x < (a + 1) / (a + b + 2) ? (front * betaFraction(a, b, x)) / a : 1 - (front * betaFraction(b, a, rest)) / b
}

/** log x, from 1 − x where x is near 1. */
function logOf(x: number, rest: number): number {
  return rest < 0.5 ? Math.log1p(-rest) : Math.log(x)
}

function betaFraction(a: number, b: number, x: number): number {
  const tiny = 1e-300
  const nonzero = (value: number): number => (Math.abs(value) < tiny ? tiny : value)
  let c = 1
  let d = 1 / nonzero(1 - ((a + b) * x) / (a + 1))
  let fraction = d
  for (let m = 1; m <= 100_000; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
    d = 1 / nonzero(1 + even * d)
    c = nonzero(1 + even / c)
    fraction *= d * c
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
    d = 1 / nonzero(1 + odd * d)
    c = nonzero(1 + odd / c)
    fraction *= d * c
    if (Math.abs(d * c - 1) < 1e-15) break
  }
  return fraction
}

/** log of Γ(a + b) / (Γ(a) Γ(b)) for b = 1/2; for a large `a` by the expansion of the ratio, where two logarithms would cancel. */
function logGammaRatio(a: number, b: number): number {
  const ratio = a > 1e4 ? b * Math.log(a) + (b * (b - 1)) / (2 * a) : logGamma(a + b) - logGamma(a)
  return ratio - logGamma(b)
}

/**
 * The probability that a chi-squared variable with `freedom` degrees of freedom exceeds `value`, as `scipy.stats.chi2.sf`: the upper incomplete
 * gamma function by its series or its continued fraction (Abramowitz and Stegun 6.5.29 and 6.5.31).
 */
export function chiSquaredUpper(value: number, freedom: number): number {
  const [a, x] = [freedom / 2, value / 2]
  if (x <= 0) return 1
  const front = Math.exp(a * Math.log(x) - x - logGamma(a))
  if (x < a + 1) {
    let term = 1 / a
    let sum = term
    for (let n = 1; term > 1e-17 * sum; n++) {
      term *= x / (a + n)
      sum += term
    }
    return Math.max(0, 1 - front * sum)
  }
  let fraction = 0
  for (let n = 200; n > 0; n--) fraction = (n * (n - a)) / (x + 2 * n + 1 - a - fraction)
  return front / (x + 1 - a - fraction)
}

/** log Γ(x) for x > 0: Stirling's series, after moving x above 15. */
function logGamma(x: number): number {
  let shift = 0
  let at = x
  while (at < 15) {
    shift -= Math.log(at)
    at += 1
  }
  const inverse = 1 / (at * at)
  const series = (1 / 12 - inverse * (1 / 360 - inverse * (1 / 1260 - inverse * (1 / 1680 - inverse / 1188)))) / at
  return shift + (at - 0.5) * Math.log(at) - at + 0.5 * Math.log(2 * Math.PI) + series
}
