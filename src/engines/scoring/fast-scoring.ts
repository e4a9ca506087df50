import { append } from '../../base/arrays.ts'
import { EvalError } from '../../base/errors.ts'
import type { PassLayout } from '../../contracts/engine.ts'
import type { ForwardAnswer, ForwardItem } from '../../contracts/items.ts'
import { releaseCache, type DecoderSession, type KeyValueCache } from '../session.ts'
import { sumLogProbabilities } from './log-softmax.ts'
import { chainPass, isChain, layOutTree, type TreePass } from './tree-pass.ts'

/** The part of a session that fast scoring uses. */
type BranchRunner = Pick<DecoderSession, 'runRows'>

/** A tree of tokens, or a chain, and the rows wanted of it. */
type BranchPass = Omit<TreePass, 'where'>

interface KeptPrefix {
  readonly tokens: Int32Array
  readonly cache: KeyValueCache
}

/**
 * Scores batches of a tree plan (token-tree.ts) on the rewritten graph: prefixes are computed once and kept on the device while batches need them, what comes
 * after them shares a pass where the layout packs, and only log-probabilities of targets come back.
 */
export class FastScorer {
  readonly #session: BranchRunner
  readonly #layout: PassLayout
  /** Each continues the one before it. */
  #kept: KeptPrefix[] = []

  constructor(session: BranchRunner, layout: PassLayout) {
    this.#session = session
    this.#layout = layout
  }

  /**
   * Answers in the order of `items`, which share their first tokens up to the last of `prefixes`. Throws `engine/nonfinite` for
   * log-probabilities that aren't numbers, other `engine/*` when a pass fails; kept prefixes are given up then.
   */
  async score(items: readonly ForwardItem[], prefixes: readonly number[]): Promise<ForwardAnswer[]> {
    const [first] = items
    if (first === undefined) return []
    try {
      const cache = await this.keep(first.input, prefixes)
      const start = cache?.tokens ?? 0
      const pass = layOutTree(items, start)
      if (isChain(pass.parents) || (this.#layout.packs && pass.tokens.length <= this.#layout.tokens))
        return await this.#scoreTree(items, pass, cache)
      const answers: ForwardAnswer[] = []
      for (const item of items) append(answers, await this.#scoreTree([item], layOutTree([item], start), cache))
      return answers
    } catch (error) {
      this.release()
      throw error
    }
  }

  /** Sees to it that the prefixes of `input` are kept, and others aren't; gives the longest. */
  async keep(input: Int32Array, prefixes: readonly number[]): Promise<KeyValueCache | null> {
    const isKept = (kept: KeptPrefix, index: number): boolean =>
      kept.tokens.length === prefixes[index] && kept.tokens.every((token, at) => token === input[at])
    const wrong = this.#kept.findIndex((kept, index) => !isKept(kept, index))
    if (wrong >= 0) for (const { cache } of this.#kept.splice(wrong)) releaseCache(cache)
    for (const length of prefixes.slice(this.#kept.length)) {
      const base = this.#kept.at(-1)?.cache ?? null
      const cache = await this.#extend(input.subarray(base?.tokens ?? 0, length), base)
      if (cache !== null) this.#kept.push({ tokens: input.slice(0, length), cache })
    }
    return this.#kept.at(-1)?.cache ?? null
  }

  /** Frees the kept prefixes. */
  release(): void {
    for (const { cache } of this.#kept) releaseCache(cache)
    this.#kept = []
  }

  /** The cache after `tokens`; `base` stays. */
  async #extend(tokens: Int32Array, base: KeyValueCache | null): Promise<KeyValueCache | null> {
    const pass = chainPass(tokens, base?.tokens ?? 0)
    let cache = base
    await this.#inPieces(pass, base, true, (_, last) => {
      cache = last
    })
    return cache
  }

  async #scoreTree(items: readonly ForwardItem[], pass: TreePass, cache: KeyValueCache | null): Promise<ForwardAnswer[]> {
    const logprobs = new Float32Array(pass.targets.length)
    const picks = new Int32Array(pass.rows.length)
    let targetsDone = 0
    let rowsDone = 0
    if (pass.rows.length > 0)
      await this.#inPieces(pass, cache, false, (outcome) => {
        // Targets of a chain stand in the order of its rows only list by list, so each is put where it belongs.
        outcome.targetIndices.forEach((target, i) => {
          logprobs[target] = outcome.logprobs[i] ?? NaN
          targetsDone += 1
        })
        picks.set(outcome.picks.subarray(0, outcome.rowCount), rowsDone)
        rowsDone += outcome.rowCount
      })
    if (targetsDone !== pass.targets.length || logprobs.some((value) => !Number.isFinite(value)))
      throw new EvalError('engine/nonfinite', 'wanted finite log-probabilities, found some that are no numbers')
    return items.map(({ targets }, item) => {
      const lists = targets.map((list, k) => {
        const first = pass.where[item]?.[k] ?? 0
        return {
          logprobs: logprobs.slice(first, first + list.length),
          isGreedy: list.every((target, i) => picks[pass.owners[first + i] ?? -1] === target),
        }
      })
      return {
        answers: lists.map((list) => ({ logprob: sumLogProbabilities(list.logprobs), isGreedy: list.isGreedy })),
        tokenLogprobs: lists.map((list) => list.logprobs),
      }
    })
  }

  /** Runs a tree at once, or a chain that is too long in pieces that continue each other. Intermediate caches are freed; the last is handed on when wanted. */
  async #inPieces(
    pass: BranchPass,
    base: KeyValueCache | null,
    wantsCache: boolean,
    take: (
      outcome: {
        readonly logprobs: Float32Array
        readonly picks: Int32Array
        readonly rowCount: number
        readonly targetIndices: readonly number[]
      },
      cache: KeyValueCache | null,
    ) => void,
  ): Promise<void> {
    const bounds = boundsOf(pass, this.#layout)
    let cache = base
    for (const [index, [start, end]] of bounds.entries()) {
      const isLast = index + 1 === bounds.length
      const piece = bounds.length === 1 ? { pass, targetIndices: Array.from(pass.targets, (_, i) => i) } : pieceOf(pass, start, end)
      const continued = cache
      try {
        const outcome = await this.#session.runRows(piece.pass, continued, { cache: wantsCache || !isLast })
        cache = outcome.cache
        take({ ...outcome, rowCount: piece.pass.rows.length, targetIndices: piece.targetIndices }, cache)
      } finally {
        if (continued !== null && continued !== base) releaseCache(continued)
      }
    }
  }
}

/** Where a chain's pieces start and end: at most so many tokens, and so many rows, each. A tree is one piece. */
function boundsOf(pass: BranchPass, layout: PassLayout): (readonly [start: number, end: number])[] {
  if (!isChain(pass.parents)) return [[0, pass.tokens.length]]
  const bounds: (readonly [number, number])[] = []
  let start = 0
  let row = 0
  while (start < pass.tokens.length) {
    const overflowing = pass.rows[row + layout.rows] ?? Infinity
    const end = Math.min(pass.tokens.length, start + layout.tokens, overflowing)
    bounds.push([start, end])
    while ((pass.rows[row] ?? Infinity) < end) row += 1
    start = end
  }
  return bounds
}

/** Tokens `start` to `end` of a chain, with the rows among them. */
function pieceOf(pass: BranchPass, start: number, end: number): { readonly pass: BranchPass; readonly targetIndices: number[] } {
  const firstRow = pass.rows.findIndex((row) => row >= start)
  const rows = pass.rows.filter((row) => row >= start && row < end)
  const targetIndices = Array.from(pass.owners, (_, i) => i).filter((i) => {
    const row = pass.rows[pass.owners[i] ?? -1] ?? -1
    return row >= start && row < end
  })
  return {
    pass: {
      tokens: pass.tokens.subarray(start, end),
      positions: pass.positions.subarray(start, end),
      parents: pass.parents.subarray(start, end).map((parent) => (parent < start ? -1 : parent - start)),
      rows: rows.map((row) => row - start),
      owners: Int32Array.from(targetIndices, (i) => (pass.owners[i] ?? 0) - firstRow),
      targets: Int32Array.from(targetIndices, (i) => pass.targets[i] ?? 0),
    },
    targetIndices,
  }
}
