/** The same docs asked twice, on two machines or by two programs: how far the answers are apart. */
import type { SampleView } from '../../../contracts/samples.ts'
import { lineHashes } from '../../cluster/line-hashes.ts'

/** One task under all of its filters. Docs are ids in ascending order. */
export interface SampleAgreement {
  readonly task: string
  /** Docs that both have. */
  readonly docs: number
  readonly leftOnly: readonly number[]
  readonly rightOnly: readonly number[]
  /** Docs whose content, prompt or target differs although their id is the same; their answers aren't compared. */
  readonly otherDocs: readonly number[]
  /** Log-probabilities that both have, and their absolute differences in nats; null where there are none. */
  readonly logprobs: number
  readonly maxAbsDiff: number | null
  readonly meanAbsDiff: number | null
  /** Texts that both wrote, and docs in which they differ. */
  readonly texts: number
  readonly otherTexts: readonly number[]
  /** Docs whose verdict (0 or 1) differs, by metric; `metric,filter` as in the results file. */
  readonly flips: { readonly [metric: string]: readonly number[] }
}

/** Holds the samples of one task against each other, doc by doc and filter by filter. */
export function sampleAgreement(task: string, left: readonly SampleView[], right: readonly SampleView[]): SampleAgreement {
  const theirs = new Map(right.map((view) => [placeOf(view), view]))
  const [mine, others] = [docsOf(left), docsOf(right)]
  const otherDocs = new Set<number>()
  const otherTexts = new Set<number>()
  const flips = new Map<string, number[]>()
  const seen = new Set<number>()
  let [logprobs, largest, sum, texts] = [0, 0, 0, 0]
  for (const view of left) {
    const other = theirs.get(placeOf(view))
    if (other === undefined) continue
    if (!isSameDoc(view, other)) {
      otherDocs.add(view.docId)
      continue
    }
    for (const [metric, value] of Object.entries(view.metrics)) {
      const name = `${metric},${view.filter}`
      const [a, b] = [verdictOf(value), verdictOf(other.metrics[metric])]
      if (a !== null && b !== null && a !== b) flips.set(name, [...(flips.get(name) ?? []), view.docId])
    }
    // A doc's answers are the same under every filter.
    if (seen.has(view.docId)) continue
    seen.add(view.docId)
    for (const difference of differencesOf(view, other)) {
      logprobs += 1
      sum += difference
      largest = Math.max(largest, difference)
    }
    texts += Math.min(view.generated.length, other.generated.length)
    if (view.generated.some((text, index) => other.generated[index] !== undefined && other.generated[index] !== text))
      otherTexts.add(view.docId)
  }
  return {
    task,
    docs: mine.length - without(mine, others).length,
    leftOnly: without(mine, others),
    rightOnly: without(others, mine),
    otherDocs: ascending(otherDocs),
    logprobs,
    maxAbsDiff: logprobs === 0 ? null : largest,
    meanAbsDiff: logprobs === 0 ? null : sum / logprobs,
    texts,
    otherTexts: ascending(otherTexts),
    flips: Object.fromEntries([...flips].map(([metric, docs]) => [metric, ascending(docs)])),
  }
}

function placeOf({ docId, filter }: SampleView): string {
  return `${docId}\n${filter}`
}

function docsOf(views: readonly SampleView[]): readonly number[] {
  return ascending(new Set(views.map(({ docId }) => docId)))
}

function without(ids: readonly number[], others: readonly number[]): readonly number[] {
  const known = new Set(others)
  return ids.filter((id) => !known.has(id))
}

function ascending(ids: Iterable<number>): readonly number[] {
  return [...ids].sort((a, b) => a - b)
}

/** Hashes that one of the files doesn't have say nothing. */
function isSameDoc(view: SampleView, other: SampleView): boolean {
  const [a, b] = [lineHashes(view.line), lineHashes(other.line)]
  const agrees = (x: string, y: string): boolean => x === '' || y === '' || x === y
  return agrees(a.docHash, b.docHash) && agrees(a.promptHash, b.promptHash) && agrees(a.targetHash, b.targetHash)
}

function differencesOf(view: SampleView, other: SampleView): readonly number[] {
  if (view.choices.length !== other.choices.length) return []
  return view.choices.flatMap(({ logprob }, index) => {
    const difference = Math.abs(logprob - (other.choices[index]?.logprob ?? NaN))
    return Number.isFinite(difference) ? [difference] : []
  })
}

function verdictOf(value: unknown): 0 | 1 | null {
  if (value === 1 || value === true) return 1
  return value === 0 || value === false ? 0 : null
}
