/** A target's log-probabilities out of full logits, written down a second time: nothing of the engine's own sums is in it. */

/** The last `target.length` of `rows` predict the target's tokens, in order. Nats; sums in float64. Throws RangeError for too few rows. */
export function tokenLogProbabilities(target: Int32Array, rows: readonly Float32Array[]): Float32Array {
  const first = rows.length - target.length
  return Float32Array.from(target, (token, at) => {
    const row = rows[first + at]
    if (row === undefined) throw new RangeError(`${target.length} tokens are predicted by ${target.length} rows, found ${rows.length}`)
    let largest = -Infinity
    for (const logit of row) largest = Math.max(largest, logit)
    let sum = 0
    for (const logit of row) sum += Math.exp(logit - largest)
    return (row[token] ?? NaN) - largest - Math.log(sum)
  })
}
