/** Two stacks' log-probabilities of the same requests, side by side. */
import type { ComparedRequest, DifferentPick, SecondOpinion } from '../../contracts/second-opinion.ts'

/** A request's log-probabilities by both stacks, in nats: of its tokens, windows of a long text one after the other. */
export interface RequestPair {
  readonly task: string
  readonly docId: number
  /** Position among its doc's requests. */
  readonly idx: number
  readonly ours: readonly number[]
  readonly theirs: readonly number[]
}

type Comparison = Pick<
  SecondOpinion,
  'docs' | 'requests' | 'tokens' | 'maxAbsDiff' | 'maxSumDiff' | 'worst' | 'picks' | 'picksDiffering' | 'agrees'
>

/**
 * How far two stacks are apart. A pick is the request of a doc with the highest sum, the first of equal ones; docs with one request have none. A number that isn't
 * finite, or lists of unequal length, count as infinitely far.
 */
export function compareOpinions(pairs: readonly RequestPair[], tolerance: number): Comparison {
  let tokens = 0
  let maxAbsDiff = 0
  let maxSumDiff = 0
  let worst: ComparedRequest | null = null
  const docs = new Map<string, ComparedRequest[]>()
  for (const { task, docId, idx, ours, theirs } of pairs) {
    tokens += ours.length
    const compared = { task, docId, idx, ours: sum(ours), theirs: sum(theirs) }
    const far = ours.length === theirs.length ? ours.map((value, at) => distance(value, theirs[at] ?? NaN)) : [Infinity]
    maxAbsDiff = far.reduce((most, one) => Math.max(most, one), maxAbsDiff)
    const apart = distance(compared.ours, compared.theirs)
    if (worst === null || apart > maxSumDiff) worst = compared
    maxSumDiff = Math.max(maxSumDiff, apart)
    const doc = `${docId}:${task}`
    docs.set(doc, [...(docs.get(doc) ?? []), compared])
  }
  const choosing = [...docs.values()].filter((requests) => requests.length > 1)
  return {
    docs: docs.size,
    requests: pairs.length,
    tokens,
    maxAbsDiff,
    maxSumDiff,
    worst,
    picks: choosing.length,
    picksDiffering: choosing.flatMap(differingPick),
    agrees: pairs.length > 0 && maxAbsDiff <= tolerance,
  }
}

function differingPick(requests: readonly ComparedRequest[]): DifferentPick[] {
  const [ours, theirs] = [best(requests, 'ours'), best(requests, 'theirs')]
  return ours.idx === theirs.idx ? [] : [{ task: ours.task, docId: ours.docId, ours: ours.idx, theirs: theirs.idx }]
}

function best(requests: readonly ComparedRequest[], whose: 'ours' | 'theirs'): ComparedRequest {
  return requests.reduce((first, next) => (next[whose] > first[whose] ? next : first))
}

function distance(a: number, b: number): number {
  const apart = Math.abs(a - b)
  return Number.isNaN(apart) ? Infinity : apart
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

/** The comparison in a few sentences, for the command line. */
export function opinionLines(opinion: SecondOpinion): readonly string[] {
  const { stack, docs, requests, tokens, maxAbsDiff, maxSumDiff, tolerance, agrees, picks, picksDiffering, passTokens, timesFaster } =
    opinion
  const verdict = agrees ? `agree within ${tolerance} nats a token` : `DISAGREE: more than ${tolerance} nats a token`
  const { worst } = opinion
  return [
    `Second opinion by ${stack}, ${docs} docs, ${requests} requests, ${tokens} tokens: the stacks ${verdict}`,
    `  largest difference of a token's log-probability ${maxAbsDiff.toExponential(2)} nats, of a request's ${maxSumDiff.toExponential(2)}${worst === null || agrees ? '' : ` (${worst.task}, doc ${worst.docId}, request ${worst.idx}: ${worst.ours}, there ${worst.theirs})`}`,
    `  picks that differ: ${picksDiffering.length} of ${picks}${picksDiffering.length === 0 ? '' : ` (${picksDiffering.map(({ task, docId }) => `${task} ${docId}`).join(', ')})`}`,
    ...(passTokens === null ? [] : [`  given in pieces of ${passTokens} tokens, since longer passes are wrong on this adapter`]),
    ...(timesFaster === null ? [] : [`  the run read its prompts ${timesFaster.toFixed(1)} times as fast`]),
  ]
}
