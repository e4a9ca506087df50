/** What passes cost on a device, and how long they may be. Measured once a model is open, on sequences whose scores are known. */
import { maxOf, minOf } from '../../base/arrays.ts'
import type { PassCosts } from '../../contracts/engine.ts'

export interface TimedPass {
  readonly tokens: number
  readonly milliseconds: number
}

/** Lengths of passes that are tried on a GPU, ascending. */
export const runLengths: readonly number[] = [32, 64, 128, 256, 512, 1024, 2048, 4096]

/** A pass takes no longer: some systems reset a GPU that is silent for two seconds, and nothing can be stopped or shown during a pass. */
const longestRunMs = 1000

/** A shorter pass is taken for a longer one that saves less than this share of a token's time: less is lost with it, and masks grow with the square. */
const worthwhile = 0.03

/** All trials together. */
const budgetMs = 2000

/** The line through timed passes, by least squares; a slope or an intercept below zero is noise, and the other takes all. Null for no passes. */
export function fitCosts(runs: readonly TimedPass[]): PassCosts | null {
  const tokens = mean(runs.map((run) => run.tokens))
  const milliseconds = mean(runs.map((run) => run.milliseconds))
  if (runs.length === 0 || tokens === 0) return null
  const variance = mean(runs.map((run) => (run.tokens - tokens) ** 2))
  const covariance = mean(runs.map((run) => (run.tokens - tokens) * (run.milliseconds - milliseconds)))
  const slope = variance === 0 ? milliseconds / tokens : covariance / variance
  if (slope <= 0) return { runMs: milliseconds, tokenMs: 0 }
  const intercept = milliseconds - slope * tokens
  return intercept < 0 ? { runMs: 0, tokenMs: milliseconds / tokens } : { runMs: intercept, tokenMs: slope }
}

/** What a token costs in passes of `tokens`, in milliseconds. */
export function millisecondsPerToken({ runMs, tokenMs }: PassCosts, tokens: number): number {
  return tokenMs + runMs / tokens
}

interface Trial {
  /** Largest difference to the known scores, in nats. */
  readonly maxAbsDiff: number
  readonly milliseconds: number
}

/**
 * Tries longer and longer passes while they agree within `tolerance` nats, take no more than a second and two seconds aren't over; gives the length by which a
 * token costs least, the shortest of those that come near it, and what passes cost. Those up to `believed` tokens are known to agree, so the fitted costs decide about those that there was no time to try.
 *
 * `measure` runs so many tokens once; each length is run twice, since the first pass of a length compiles its kernels. `lengths` ascend.
 */
export async function calibrate(
  measure: (tokens: number) => Promise<Trial>,
  { lengths, believed, tolerance }: { readonly lengths: readonly number[]; readonly believed: number; readonly tolerance: number },
): Promise<{ readonly tokens: number; readonly costs: PassCosts | null }> {
  const timed: TimedPass[] = []
  let spentMs = 0
  let longest = Math.min(believed, lengths[0] ?? believed)
  for (const tokens of lengths) {
    const first = await measure(tokens)
    if (first.maxAbsDiff > tolerance) return { tokens: cheapest(timed, longest), costs: fitCosts(timed) }
    const second = await measure(tokens)
    spentMs += first.milliseconds + second.milliseconds
    timed.push({ tokens, milliseconds: second.milliseconds })
    if (second.milliseconds > longestRunMs) return { tokens: cheapest(timed, longest), costs: fitCosts(timed) }
    longest = tokens
    if (spentMs > budgetMs) break
  }
  const costs = fitCosts(timed)
  const untried = lengths.filter((tokens) => tokens > longest && tokens <= believed)
  const affordable = untried.filter((tokens) => costs !== null && costs.runMs + costs.tokenMs * tokens <= longestRunMs)
  return { tokens: affordable.length > 0 ? maxOf(affordable) : cheapest(timed, longest), costs }
}

/** Of the timed lengths up to `longest`, the shortest with which a token costs hardly more than with the best. */
function cheapest(timed: readonly TimedPass[], longest: number): number {
  const allowed = timed.filter(({ tokens }) => tokens <= longest)
  const best = minOf(allowed.map(({ tokens, milliseconds }) => milliseconds / tokens))
  return allowed.find(({ tokens, milliseconds }) => milliseconds / tokens <= best * (1 + worthwhile))?.tokens ?? longest
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
}
