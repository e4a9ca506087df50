import { EvalError } from '../../base/errors.ts'
import type { ForwardItem } from '../../contracts/items.ts'

/**
 * Several sequences after one cache, as one pass: a tree of their tokens in depth-first order, so that what two of them share stands there once.
 */
export interface TreePass {
  readonly tokens: Int32Array
  /** Position of each token in its sequence. */
  readonly positions: Int32Array
  /** Index of the token before each one in this pass; -1 where that is the cache's last. */
  readonly parents: Int32Array
  /** Indices of the tokens whose next-token distribution is wanted; ascending, each once. */
  readonly rows: Int32Array
  /** For each wanted log-probability: index into `rows`, and the token id. */
  readonly owners: Int32Array
  readonly targets: Int32Array
  /** `where[item][list]` = index of the list's first log-probability; the others follow it. */
  readonly where: readonly (readonly number[])[]
}

/**
 * Merges the items' tokens from position `start` on (they share what is before it) into one tree. Row i of a target list of n tokens is the token
 * at position length - n + i, as in reference scoring; rows must not lie before `start`, which planTree sees to: `internal` is thrown else.
 */
export function layOutTree(items: readonly ForwardItem[], start: number): TreePass {
  const tokens: number[] = []
  const positions: number[] = []
  const parents: number[] = []
  const next: Map<number, number>[] = []
  const roots = new Map<number, number>()
  const step = (parent: number, token: number, position: number): number => {
    const siblings = parent < 0 ? roots : next[parent]
    const known = siblings?.get(token)
    if (known !== undefined) return known
    const index = tokens.length
    tokens.push(token)
    positions.push(position)
    parents.push(parent)
    next.push(new Map())
    siblings?.set(token, index)
    return index
  }
  const paths = items.map(({ input }) => {
    const path: number[] = []
    for (let at = start; at < input.length; at += 1) path.push(step(path.at(-1) ?? -1, input[at] ?? 0, at))
    return path
  })

  const asked: { readonly token: number; readonly target: number }[] = []
  const where = items.map(({ input, targets }, item) =>
    targets.map((list) => {
      const first = asked.length
      const path = paths[item] ?? []
      list.forEach((target, i) => {
        const token = path[input.length - start - list.length + i]
        if (token === undefined)
          throw new EvalError('internal', `wanted rows behind position ${start}, found ${list.length} targets for ${input.length} tokens`)
        asked.push({ token, target })
      })
      return first
    }),
  )
  const rows = Int32Array.from(new Set(asked.map(({ token }) => token))).sort()
  const rowOf = new Map(Array.from(rows, (token, row) => [token, row]))
  return {
    tokens: Int32Array.from(tokens),
    positions: Int32Array.from(positions),
    parents: Int32Array.from(parents),
    rows,
    owners: Int32Array.from(asked, ({ token }) => rowOf.get(token) ?? -1),
    targets: Int32Array.from(asked, ({ target }) => target),
    where,
  }
}

/** True when each token continues the one before it: then no branch needs hiding. */
export function isChain(parents: Int32Array): boolean {
  return parents.every((parent, index) => parent === index - 1)
}

/**
 * The additive attention mask (S × (past + S), row by row): 0 where a token sees another, else `masked`. Every token sees the whole cache, itself and its
 * ancestors.
 */
export function maskOf(parents: Int32Array, past: number, masked: number): Float32Array {
  const run = parents.length
  const total = past + run
  const mask = new Float32Array(run * total)
  for (let i = 0; i < run; i += 1) {
    const row = i * total
    const parent = parents[i] ?? -1
    if (parent < 0) mask.fill(masked, row + past, row + total)
    else mask.copyWithin(row + past, parent * total + past, (parent + 1) * total)
    mask[row + past + i] = 0
  }
  return mask
}

/** Which of several texts read each token, a bit a text: of the tokens in the cache, and of the pass’s. `positions`: of the cache’s tokens, each in its text. */
export interface Readers {
  readonly cache: Uint8Array
  readonly positions: Int32Array
  readonly run: Uint8Array
}

/**
 * As `maskOf`, for tokens of several texts that stand behind each other in the cache too: a token sees those before it that all of its own readers read.
 */
export function maskOfReaders({ cache, run }: Readers, masked: number): Float32Array {
  const past = cache.length
  const total = past + run.length
  const mask = new Float32Array(run.length * total).fill(masked)
  run.forEach((own, i) => {
    const row = i * total
    for (let j = 0; j < past; j += 1) if (((cache[j] ?? 0) & own) === own) mask[row + j] = 0
    for (let j = 0; j <= i; j += 1) if (((run[j] ?? 0) & own) === own) mask[row + past + j] = 0
  })
  return mask
}

/**
 * Of a mask (S × T, row by row) what layers see that look back over `window` tokens: themselves and the last `window` - 1 before them. `positions` (T) tells how far apart two
 * tokens are, since those of other branches may stand between them.
 */
export function windowMask(mask: Float32Array, positions: Int32Array, window: number, masked: number): Float32Array {
  const total = positions.length
  const run = total === 0 ? 0 : mask.length / total
  const near = mask.slice()
  for (let i = 0; i < run; i += 1) {
    const first = (positions[total - run + i] ?? 0) - window + 1
    for (let j = 0; j < total; j += 1) if ((positions[j] ?? 0) < first) near[i * total + j] = masked
  }
  return near
}

/** Tokens one after the other from position `start` on, of which no row is wanted. */
export function chainPass(tokens: Int32Array, start: number): Omit<TreePass, 'where'> {
  return {
    tokens,
    positions: tokens.map((_, i) => start + i),
    parents: tokens.map((_, i) => i - 1),
    rows: new Int32Array(0),
    owners: new Int32Array(0),
    targets: new Int32Array(0),
  }
}
