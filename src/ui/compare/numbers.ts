/** Numbers of comparisons as the page prints them. */

/** Four decimals with a sign, and a real minus. */
export function signedScore(value: number): string {
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(4)}`
}

/** A probability: four decimals, or its order where that would be zero. */
export function formatP(p: number): string {
  return p < 1e-4 ? p.toExponential(1).replace('-', '−') : p.toFixed(4)
}
