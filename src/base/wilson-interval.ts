import { quantileOf975 } from './normal-quantile.ts'

/**
 * 95% Wilson score interval of a proportion with `successes` (may be fractional) out of `n`.
 *
 * Keeps inside [0, 1] and stays honest for few docs, where mean ± 1.96·stderr does not. For n = 0 it is [0, 1].
 * Source: Wilson (1927), J. Am. Stat. Assoc. 22, 209-212.
 */
export function wilsonInterval(successes: number, n: number): { readonly low: number; readonly high: number } {
  if (n === 0) return { low: 0, high: 1 }
  const z = quantileOf975
  const p = successes / n
  const centre = p + (z * z) / (2 * n)
  const spread = z * Math.sqrt((p * (1 - p)) / n + (z * z) / (4 * n * n))
  const scale = 1 + (z * z) / n
  return { low: Math.max(0, (centre - spread) / scale), high: Math.min(1, (centre + spread) / scale) }
}
