/** Things a second over the last while. */

/** Long enough to smooth batches out, short enough to follow a device that heats up. */
const windowMs = 15_000
/** Below this a rate is noise. */
const leastSpanMs = 400

export class RateMeter {
  #marks: { readonly atMs: number; readonly count: number }[] = []

  /** `count` is the total so far. */
  add(atMs: number, count: number): void {
    this.#marks.push({ atMs, count })
    const from = atMs - windowMs
    // One mark older than the window stays, so that slow arrivals still span it.
    while (this.#marks.length > 2 && (this.#marks[1]?.atMs ?? atMs) < from) this.#marks.shift()
  }

  /** Null until two marks lie far enough apart. */
  perSecond(): number | null {
    const first = this.#marks[0]
    const last = this.#marks.at(-1)
    if (first === undefined || last === undefined || last.atMs - first.atMs < leastSpanMs) return null
    return ((last.count - first.count) * 1000) / (last.atMs - first.atMs)
  }
}
