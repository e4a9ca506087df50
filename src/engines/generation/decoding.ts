/**
 * Choosing the next token: the logits processors of transformers 4.57.6 (`generation/logits_process.py`) in the order in which `generate`
 * applies them, then the largest logit or a draw.
 *
 * Logits are float32 as in PyTorch on the CPU. Sampled tokens are drawn by our own generator, so a seed gives the same text here, not the
 * one that PyTorch's generator would.
 */
import { EvalError } from '../../base/errors.ts'
import type { Decoding, Sampling } from '../../contracts/items.ts'

/** Chooses token after token of one continuation. */
export class TokenChooser {
  readonly #decoding: Decoding
  readonly #draw: () => number
  /** Prompt and continuation so far. */
  readonly #tokens: number[]
  readonly #promptTokens: number

  /** `written` was chosen before, by another chooser of the same settings: this one goes on as that one would have. */
  constructor(input: Int32Array, decoding: Decoding, written: Int32Array = new Int32Array()) {
    this.#decoding = decoding
    this.#tokens = [...input, ...written]
    this.#promptTokens = input.length
    this.#draw = mulberry32(decoding.sampling?.seed ?? 0)
    // A token is one draw.
    if (decoding.sampling !== null) for (let draws = 0; draws < written.length; draws += 1) this.#draw()
  }

  /** The next token, given the logits after those so far; changes `logits`. Throws `engine/nonfinite` when no logit is a number. */
  choose(logits: Float32Array): number {
    const written = this.#tokens.length - this.#promptTokens
    applyProcessors(logits, this.#tokens, written, this.#decoding)
    const { sampling } = this.#decoding
    const token = sampling === null ? largest(logits) : drawToken(logits, sampling, this.#draw)
    this.#tokens.push(token)
    return token
  }
}

function applyProcessors(logits: Float32Array, tokens: readonly number[], written: number, decoding: Decoding): void {
  const ban = (token: number | undefined): void => {
    if (token !== undefined && token >= 0 && token < logits.length) logits[token] = -Infinity
  }
  if (decoding.repetitionPenalty !== 1) penaliseRepetition(logits, tokens, decoding.repetitionPenalty)
  if (decoding.noRepeatNgramSize > 0) bannedByNgrams(tokens, decoding.noRepeatNgramSize).forEach(ban)
  for (const words of decoding.badWords) if (endsWith(tokens, words.slice(0, -1))) ban(words.at(-1))
  if (written < decoding.minNewTokens) decoding.endTokens.forEach(ban)
  decoding.suppressTokens.forEach(ban)
  if (written === 0) decoding.beginSuppressTokens.forEach(ban)
}

/** RepetitionPenaltyLogitsProcessor: each token of prompt and text once, negative logits times the penalty, others divided by it. */
function penaliseRepetition(logits: Float32Array, tokens: readonly number[], penalty: number): void {
  const single = Math.fround(penalty)
  for (const token of new Set(tokens)) {
    const logit = logits[token]
    if (logit !== undefined) logits[token] = logit < 0 ? logit * single : logit / single
  }
}

/** NoRepeatNGramLogitsProcessor: tokens that followed the last `size - 1` tokens before. */
function bannedByNgrams(tokens: readonly number[], size: number): number[] {
  if (tokens.length + 1 < size) return []
  const tail = tokens.slice(tokens.length - size + 1)
  const banned: number[] = []
  for (let start = 0; start + size <= tokens.length; start += 1)
    if (tail.every((token, at) => tokens[start + at] === token)) banned.push(tokens[start + size - 1] ?? -1)
  return banned
}

function endsWith(tokens: readonly number[], tail: readonly number[]): boolean {
  return tail.length <= tokens.length && tail.every((token, at) => tokens[tokens.length - tail.length + at] === token)
}

/** The lowest id of the largest logit, as PyTorch's argmax on the CPU gives it. */
function largest(logits: Float32Array): number {
  let best = -1
  let value = -Infinity
  let isNumber = true
  for (let id = 0; id < logits.length; id += 1) {
    const logit = logits[id] ?? NaN
    if (logit > value) {
      best = id
      value = logit
    } else if (Number.isNaN(logit)) isNumber = false
  }
  if (!isNumber || best < 0 || value === Infinity)
    throw new EvalError('engine/nonfinite', 'wanted finite logits for the next token, found some that are no numbers')
  return best
}

interface Candidate {
  readonly id: number
  readonly logit: number
}

/**
 * A draw after temperature, top-k, top-p, min-p and typical-p, in this order: each sees what those before it left. At least one token
 * always stays.
 */
export function drawToken(logits: Float32Array, sampling: Sampling, draw: () => number): number {
  // Also says when there is nothing to draw from.
  const best = largest(logits)
  const { temperature, topK, topP, minP, typicalP } = sampling
  // TopKLogitsWarper removes what is below the k-th logit, so ties with it stay.
  const least = topK > 0 && topK < logits.length ? nthLargest(logits, topK) : -Infinity
  let kept: Candidate[] = []
  for (let id = 0; id < logits.length; id += 1) {
    const logit = logits[id] ?? NaN
    if (logit >= least && logit > -Infinity) kept.push({ id, logit: logit / temperature })
  }
  // Descending; ties in the order of ids.
  kept.sort((a, b) => b.logit - a.logit || a.id - b.id)
  if (topP < 1) kept = nucleus(kept, topP)
  if (minP !== null) {
    const [first = { id: best, logit: 0 }] = kept
    const least = Math.log(minP) + first.logit
    kept = kept.filter(({ logit }, at) => at === 0 || logit >= least)
  }
  if (typicalP < 1) kept = typical(kept, typicalP)
  const weights = probabilities(kept)
  let rest = draw()
  for (const [at, { id }] of kept.entries()) {
    rest -= weights[at] ?? 0
    if (rest < 0) return id
  }
  return kept.at(-1)?.id ?? best
}

/** In one pass: most logits are below the smallest of the `n` largest so far. */
function nthLargest(logits: Float32Array, n: number): number {
  const top: number[] = []
  for (const logit of logits) {
    if (top.length === n && logit <= (top[n - 1] ?? -Infinity)) continue
    let at = top.length
    while (at > 0 && (top[at - 1] ?? Infinity) < logit) at -= 1
    top.splice(at, 0, logit)
    if (top.length > n) top.pop()
  }
  return top.at(-1) ?? -Infinity
}

/** Softmax over what is kept; float64, since only our own draws follow. */
function probabilities(kept: readonly Candidate[]): number[] {
  const top = kept.reduce((most, { logit }) => Math.max(most, logit), -Infinity)
  const weights = kept.map(({ logit }) => Math.exp(logit - top))
  const sum = weights.reduce((total, weight) => total + weight, 0)
  return weights.map((weight) => weight / sum)
}

/** TopPLogitsWarper: from the most probable on, until `topP` is reached. */
function nucleus(kept: readonly Candidate[], topP: number): Candidate[] {
  const weights = probabilities(kept)
  let before = 0
  return kept.filter((_, at) => {
    const stays = at === 0 || before < topP
    before += weights[at] ?? 0
    return stays
  })
}

/** TypicalLogitsWarper: those whose surprise is nearest to the mean, until `mass` is reached; in descending order again. */
function typical(kept: readonly Candidate[], mass: number): Candidate[] {
  const weights = probabilities(kept)
  const entropy = weights.reduce((sum, weight) => sum - (weight === 0 ? 0 : weight * Math.log(weight)), 0)
  const order = kept.map((_, at) => at).sort((a, b) => shift(weights[a] ?? 0, entropy) - shift(weights[b] ?? 0, entropy))
  const chosen = new Set<number>()
  let sum = 0
  for (const at of order) {
    chosen.add(at)
    sum += weights[at] ?? 0
    if (sum >= mass) break
  }
  return kept.filter((_, at) => chosen.has(at))
}

function shift(weight: number, entropy: number): number {
  return Math.abs(-Math.log(weight) - entropy)
}

/** Numbers in [0, 1) from 32 bits of seed: Mulberry32, public domain (T. Ettinger). */
export function mulberry32(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
