import { maxOf, minOf } from '../../base/arrays.ts'
import { isEvalError } from '../../base/errors.ts'
import type { SelfCheck } from '../../contracts/engine.ts'

/** Stands for the difference of a row that isn't a number, in nats: JSON has no infinity. */
export const notANumber = 1e9

/**
 * Something whose numbers can be compared: prefills `tokens` from an empty cache in passes of exactly the given lengths, and gives for each pass the
 * log-probability in nats of the next token at each of its positions. Stopping early frees what it holds.
 */
export interface RowScorer {
  rows(tokens: Int32Array, runs: readonly number[]): AsyncIterable<Float32Array>
}

/** Part of a check: runs of these lengths, one after the other from an empty cache, over the first tokens of the check's sequence. */
export type Trial = readonly number[]

export interface CheckPlan {
  /** One more token than the longest trial, so that each position has a next one. */
  readonly tokens: Int32Array
  /** Lengths of growing runs that continue each other, so that the first wrong one is seen before it spoils what follows. */
  readonly growing: readonly Trial[]
  /** False: every pass starts a new sequence, and no pass may be cut. */
  readonly canContinue: boolean
  /** A pass’s rows depend on the whole pass, so each length has its own reference. */
  readonly isDynamicallyQuantised: boolean
}

// Kernels change at powers of two (SwiftShader's GroupQueryAttention is wrong from 32), hence both sides of the common tile sizes.
const continuedLengths = [1, 2, 4, 8, 16, 31, 32, 63, 64, 128]
const wholeLengths = [1, 2, 8, 16, 31, 32, 64, 128, 256]

/**
 * What to try before a score is believed: about a dozen runs for a graph with a cache, since a software adapter takes a second each.
 *
 * Token ids are drawn from the vocabulary by a fixed generator, the same for every adapter. Nothing exceeds `windowTokens`.
 */
export function planSelfCheck(setup: {
  readonly vocabularySize: number
  readonly windowTokens: number
  readonly longestRun: number
  readonly canContinue: boolean
  readonly isDynamicallyQuantised: boolean
}): CheckPlan {
  // The last position has a next token too.
  const room = setup.windowTokens - 1
  const growing = setup.canContinue
    ? packTrials(
        continuedLengths.filter((length) => length <= setup.longestRun && length <= room),
        room,
      )
    : wholeLengths.filter((length) => length <= room).map((length) => [length])
  const longest = maxOf(growing.map(sum), 1)
  return {
    tokens: drawTokens(longest + 1, setup.vocabularySize),
    growing,
    canContinue: setup.canContinue,
    isDynamicallyQuantised: setup.isDynamicallyQuantised,
  }
}

function packTrials(lengths: readonly number[], room: number): number[][] {
  const trials: number[][] = []
  for (const length of lengths) {
    const last = trials.at(-1)
    if (last !== undefined && sum(last) + length <= room) last.push(length)
    else trials.push([length])
  }
  return trials
}

/** What WASM says about a plan's positions: by the reference path, without cutting. */
export interface CheckReference {
  readonly kind: 'wasm' | 'self'
  /** Log-probabilities of the first `length` positions of the plan's sequence when they are the whole pass. */
  rowsOf(length: number): Float32Array
}

/** Computes the reference for a plan: one pass over its longest trial, or one for each length of a dynamically quantised graph. */
export async function referenceFor(plan: CheckPlan, wasm: RowScorer): Promise<CheckReference> {
  const lengths = plan.growing.map(sum)
  const longest = maxOf(lengths)
  const wanted = plan.isDynamicallyQuantised ? lengths : [longest]
  const known = new Map<number, Float32Array>()
  for (const length of wanted) {
    for await (const rows of wasm.rows(plan.tokens, [length])) known.set(length, rows)
  }
  return { kind: 'wasm', rowsOf: (length) => known.get(length) ?? (known.get(longest) ?? new Float32Array(0)).subarray(0, length) }
}

/**
 * The reference for an adapter whose model WASM can't hold: its own passes of one token each. Only tells whether longer passes agree with
 * single ones. Null when the graph has no cache to continue.
 */
export async function selfReference(plan: CheckPlan, adapter: RowScorer): Promise<CheckReference | null> {
  if (!plan.canContinue) return null
  const longest = maxOf(plan.growing.map(sum))
  const rows = new Float32Array(longest)
  let at = 0
  const singles: Trial = Array.from({ length: longest }, () => 1)
  for await (const [value] of adapter.rows(plan.tokens, singles)) {
    rows[at] = value ?? NaN
    at += 1
  }
  return { kind: 'self', rowsOf: (length) => rows.subarray(0, length) }
}

/**
 * Compares an adapter with the reference at growing run lengths, continued and then from an empty cache, and says up to which it agrees
 * within `tolerance` nats a token.
 *
 * `passed`: every tried length agrees. `limited`: those up to `maxRunTokens` do, and a prefill in passes no longer is right. `failed`: not even
 * runs of one token agree, or shorter runs don't cure what longer ones get wrong, or the graph can't be run in pieces. Rows that aren't numbers count as
 * 1e9 nats off; runs that fail throw as they do.
 */
export async function checkAdapter(plan: CheckPlan, adapter: RowScorer, reference: CheckReference, tolerance: number): Promise<SelfCheck> {
  const setting: Setting = { plan, adapter, reference, tolerance, trials: [] }
  for (const trial of plan.growing) {
    await compareTrial(setting, trial)
    if (setting.trials.some((one) => one.maxAbsDiff > tolerance)) break
  }
  if (!plan.canContinue) return judge(setting, false)
  await checkFirstRuns(setting)
  return judge(setting, await confirmLimit(setting))
}

interface Setting {
  readonly plan: CheckPlan
  readonly adapter: RowScorer
  readonly reference: CheckReference
  readonly tolerance: number
  readonly trials: { runTokens: number; maxAbsDiff: number }[]
}

async function compareTrial({ plan, adapter, reference, tolerance, trials }: Setting, trial: Trial): Promise<void> {
  const wanted = reference.rowsOf(sum(trial))
  let start = 0
  let index = 0
  try {
    for await (const rows of adapter.rows(plan.tokens, trial)) {
      const runTokens = trial[index] ?? 0
      const maxAbsDiff = largestDifference(rows, wanted.subarray(start, start + runTokens))
      trials.push({ runTokens, maxAbsDiff })
      // What follows a wrong run is wrong too and tells nothing.
      if (maxAbsDiff > tolerance) return
      start += runTokens
      index += 1
    }
  } catch (error) {
    if (!isEvalError(error) || error.code !== 'engine/nonfinite') throw error
    trials.push({ runTokens: trial[index] ?? 0, maxAbsDiff: notANumber })
  }
}

// A prompt's first pass takes other kernels than one that continues a cache: the longest believed length is tried on its own too (shorter ones
// when it disagrees), and so are two lengths on either side of the smallest common tile.
async function checkFirstRuns(setting: Setting): Promise<void> {
  const { plan, trials, tolerance } = setting
  const tried = plan.growing.flat().filter((length) => length > 1)
  const believed = longestAgreeing(trials, tolerance)
  for (const length of tried.filter((candidate) => candidate < believed && (candidate === 16 || candidate === 32)))
    await compareTrial(setting, [length])
  for (;;) {
    const limit = longestAgreeing(trials, tolerance)
    if (limit <= 1 || trials.filter((trial) => trial.runTokens === limit).length > 1) return
    await compareTrial(setting, [limit])
  }
}

// Shorter passes must cure what longer ones get wrong; if the same positions are wrong in pieces too, pass length isn't the reason.
async function confirmLimit(setting: Setting): Promise<boolean> {
  const { plan, trials, tolerance } = setting
  const limit = longestAgreeing(trials, tolerance)
  const firstWrong = trials.find((trial) => trial.maxAbsDiff > tolerance)
  if (limit === 0 || firstWrong === undefined) return true
  const positions = maxOf(plan.growing.map((trial) => sum(trial.slice(0, trial.indexOf(firstWrong.runTokens) + 1))))
  const pieces = Array.from({ length: Math.ceil(positions / limit) }, (_, i) => Math.min(limit, positions - i * limit))
  const confirmed: Setting = { ...setting, trials: [] }
  await compareTrial(confirmed, pieces)
  return confirmed.trials.every((trial) => trial.maxAbsDiff <= tolerance)
}

/** Longest tried length below every disagreeing one; 0 when there is none. */
function longestAgreeing(trials: SelfCheck['trials'], tolerance: number): number {
  const wrong = trials.filter((trial) => trial.maxAbsDiff > tolerance).map((trial) => trial.runTokens)
  const firstWrong = minOf(wrong)
  return maxOf(
    trials.map((trial) => trial.runTokens).filter((length) => length < firstWrong),
    0,
  )
}

function judge({ trials, reference, tolerance }: Setting, isCurable: boolean): SelfCheck {
  const longest = longestAgreeing(trials, tolerance)
  const agreeing = trials.filter((trial) => trial.runTokens <= longest)
  const firstWrong = trials.find((trial) => trial.maxAbsDiff > tolerance)
  const maxAbsDiff = maxOf(
    (agreeing.length > 0 ? agreeing : trials).map((trial) => trial.maxAbsDiff),
    0,
  )
  const facts = { maxAbsDiff, tolerance, reference: reference.kind, trials }
  const against = reference.kind === 'wasm' ? 'WASM' : 'its own passes of one token (self-consistent only: WASM cannot hold this model)'
  const agreement = `Agrees with ${against} within ${nats(maxAbsDiff)} nats a token in forward passes of up to ${longest} tokens`
  if (firstWrong === undefined) return { ...facts, status: 'passed', maxRunTokens: null, message: `${agreement}.` }
  const disagreement = `passes of ${firstWrong.runTokens} tokens differ by ${nats(firstWrong.maxAbsDiff)} nats a token (allowed: ${tolerance})`
  if (longest === 0 || !isCurable) {
    const incurable = longest === 0 ? '' : ', and shorter passes do not cure it'
    return {
      ...facts,
      status: 'failed',
      maxAbsDiff: firstWrong.maxAbsDiff,
      maxRunTokens: 0,
      message: `Disagrees with ${against}: ${disagreement}${incurable}.`,
    }
  }
  return {
    ...facts,
    status: 'limited',
    maxRunTokens: longest,
    message: `${agreement}; ${disagreement}, so prompts are run in pieces no longer than ${longest}.`,
  }
}

/** The result for a run that isn't checked: WASM is the reference itself, or the user declined. */
export function skippedCheck(message: string): SelfCheck {
  return { status: 'skipped', maxAbsDiff: null, tolerance: 0, maxRunTokens: null, reference: 'none', trials: [], message }
}

function largestDifference(rows: Float32Array, wanted: Float32Array): number {
  let largest = 0
  for (let i = 0; i < wanted.length; i += 1) {
    const difference = Math.abs((rows[i] ?? NaN) - (wanted[i] ?? NaN))
    largest = Math.max(largest, Number.isFinite(difference) ? difference : notANumber)
  }
  return rows.length === wanted.length ? largest : notANumber
}

function sum(lengths: readonly number[]): number {
  return lengths.reduce((total, length) => total + length, 0)
}

function nats(value: number): string {
  return value < notANumber ? value.toExponential(1) : 'not-a-number'
}

/** Token ids by Mulberry32 from a fixed seed: the same sequence for every adapter and release. */
export function drawTokens(count: number, vocabularySize: number): Int32Array {
  let state = 20260914
  return Int32Array.from({ length: count }, () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * vocabularySize)
  })
}
