/** Corpus chrF and chrF++ with sacrebleu 2.6.0's defaults: character order 6, beta 2, white space removed, effective order. */
import { codePoints, split } from '../../python/string.ts'
import type { CorpusMetric } from './corpus-metric.ts'
import { countNgrams } from './corpus-metric.ts'

const charOrder = 6
const betaSquared = 4
const punctuation = new Set('!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~')

/** Counts per order: `[in hypothesis, in reference, matching]`. */
export const chrf: CorpusMetric = makeChrf(0)
/** chrF with word n-grams of order 1 and 2 besides. */
export const chrfPlusPlus: CorpusMetric = makeChrf(2)

function makeChrf(wordOrder: number): CorpusMetric {
  return {
    countSegment(hypothesis, references) {
      const inHypothesis = extractNgrams(hypothesis, wordOrder)
      let best: readonly number[] = []
      let bestScore = -1
      for (const reference of references) {
        const inReference = extractNgrams(reference, wordOrder)
        const counts = inHypothesis.flatMap((ngrams, i) => countMatches(ngrams, inReference[i] ?? new Map()))
        const score = scoreCounts(counts)
        if (score > bestScore) [best, bestScore] = [counts, score]
      }
      return best
    },
    score: scoreCounts,
  }
}

function extractNgrams(text: string, wordOrder: number): readonly ReadonlyMap<string, number>[] {
  const chars = codePoints(split(text).join(''))
  const words = wordOrder > 0 ? separatePunctuation(text) : []
  return [
    ...Array.from({ length: charOrder }, (_, i) => countNgrams(chars, i + 1, '')),
    ...Array.from({ length: wordOrder }, (_, i) => countNgrams(words, i + 1, ' ')),
  ]
}

function separatePunctuation(text: string): readonly string[] {
  return split(text).flatMap((word) => {
    const chars = codePoints(word)
    const [first = '', last = ''] = [chars[0], chars.at(-1)]
    if (chars.length === 1) return [word]
    if (punctuation.has(last)) return [chars.slice(0, -1).join(''), last]
    return punctuation.has(first) ? [first, chars.slice(1).join('')] : [word]
  })
}

function countMatches(inHypothesis: ReadonlyMap<string, number>, inReference: ReadonlyMap<string, number>): readonly number[] {
  let total = 0
  let matching = 0
  for (const [ngram, count] of inHypothesis) {
    total += count
    matching += Math.min(count, inReference.get(ngram) ?? 0)
  }
  let reference = 0
  for (const count of inReference.values()) reference += count
  return [inReference.size > 0 ? total : 0, reference, matching]
}

function scoreCounts(counts: readonly number[]): number {
  let order = 0
  let precision = 0
  let recall = 0
  for (let i = 0; i < counts.length; i += 3) {
    const [inHypothesis = 0, inReference = 0, matching = 0] = counts.slice(i, i + 3)
    if (inHypothesis === 0 || inReference === 0) continue
    precision += matching / inHypothesis
    recall += matching / inReference
    order++
  }
  if (order === 0) return 0
  precision /= order
  recall /= order
  if (precision + recall === 0) return 0
  return 100 * (((1 + betaSquared) * precision * recall) / (betaSquared * precision + recall))
}
