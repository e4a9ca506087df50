/** What BLEU, chrF and TER have in common: counts per segment that add up over a corpus, and a score of the sum. */
export interface CorpusMetric {
  /** Counts of one segment; all segments' are of one length. `references` holds at least one. */
  countSegment(hypothesis: string, references: readonly string[]): readonly number[]
  /** The score, 0 to 100, of summed counts. */
  score(counts: readonly number[]): number
}

/** The harness's `corpus_*` call on a whole list: counts of every segment summed, then scored. */
export function scoreCorpus(
  metric: CorpusMetric,
  segments: readonly { readonly hypothesis: string; readonly references: readonly string[] }[],
): number {
  const [first = [], ...rest] = segments.map(({ hypothesis, references }) => metric.countSegment(hypothesis, references))
  const sum = [...first]
  for (const counts of rest) counts.forEach((count, i) => (sum[i] = (sum[i] ?? 0) + count))
  return metric.score(sum)
}

/** How often each n-gram occurs, by its text. */
export function countNgrams(units: readonly string[], n: number, separator: string): Map<string, number> {
  const counts = new Map<string, number>()
  for (let i = 0; i + n <= units.length; i++) {
    const ngram = units.slice(i, i + n).join(separator)
    counts.set(ngram, (counts.get(ngram) ?? 0) + 1)
  }
  return counts
}
