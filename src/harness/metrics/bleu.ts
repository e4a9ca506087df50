/** Corpus BLEU with sacrebleu 2.6.0's defaults: 13a tokenizer, exponential smoothing, case-sensitive, order 4. */
import { maxOf } from '../../base/arrays.ts'
import { rstrip, split } from '../../python/string.ts'
import type { CorpusMetric } from './corpus-metric.ts'
import { countNgrams } from './corpus-metric.ts'
import { preciseExp } from './precise-exp.ts'

const maxOrder = 4

/** Counts: `[hypothesis length, closest reference length, correct 1..4, total 1..4]`. */
export const bleu: CorpusMetric = makeBleu(tokenize13a)

/** BLEU over the tokens of another tokenizer. */
export function makeBleu(tokenize: (line: string) => readonly string[]): CorpusMetric {
  return { countSegment: (hypothesis, references) => countSegment(tokenize, hypothesis, references), score }
}

/** sacrebleu's `13a` tokenizer (mteval-v13a): punctuation apart, digits kept with their commas and points. */
function tokenize13a(line: string): readonly string[] {
  let text = line.replaceAll('<skipped>', '').replaceAll('-\n', '').replaceAll('\n', ' ')
  if (text.includes('&')) text = text.replaceAll('&quot;', '"').replaceAll('&amp;', '&').replaceAll('&lt;', '<').replaceAll('&gt;', '>')
  text = ` ${text} `
    .replace(/[{-~[-` -&(-+:-@/]/gu, ' $& ')
    .replace(/([^0-9])([.,])/gu, '$1 $2 ')
    .replace(/([.,])([^0-9])/gu, ' $1 $2')
    .replace(/([0-9])(-)/gu, '$1 $2 ')
  return split(text)
}

function countSegment(tokenize: (line: string) => readonly string[], hypothesis: string, references: readonly string[]): readonly number[] {
  const words = tokenize(rstrip(hypothesis))
  const referenceWords = references.map((reference) => tokenize(rstrip(reference)))
  const correct: number[] = []
  const total: number[] = []
  for (let n = 1; n <= maxOrder; n++) {
    const ngrams = countNgrams(words, n, ' ')
    const inReferences = referenceWords.map((reference) => countNgrams(reference, n, ' '))
    let matches = 0
    for (const [ngram, count] of ngrams) matches += Math.min(count, maxOf(inReferences.map((counts) => counts.get(ngram) ?? 0)))
    correct.push(matches)
    total.push(Math.max(0, words.length - n + 1))
  }
  return [
    words.length,
    closestLength(
      words.length,
      referenceWords.map((reference) => reference.length),
    ),
    ...correct,
    ...total,
  ]
}

function closestLength(length: number, candidates: readonly number[]): number {
  const [first = 0, ...rest] = candidates
  return rest.reduce((best, candidate) => {
    const difference = Math.abs(length - candidate) - Math.abs(length - best)
    return difference < 0 || (difference === 0 && candidate < best) ? candidate : best
  }, first)
}

function score(counts: readonly number[]): number {
  const [systemLength = 0, referenceLength = 0] = counts
  const correct = counts.slice(2, 2 + maxOrder)
  const total = counts.slice(2 + maxOrder)
  if (correct.every((count) => count === 0)) return 0
  const precisions = new Array<number>(maxOrder).fill(0)
  let smoothing = 1
  for (let n = 0; n < maxOrder; n++) {
    const all = total[n] ?? 0
    if (all === 0) break
    const right = correct[n] ?? 0
    if (right === 0) smoothing *= 2
    precisions[n] = right === 0 ? 100 / (smoothing * all) : (100 * right) / all
  }
  const logs = precisions.reduce((sum, precision) => sum + (precision === 0 ? -9999999999 : Math.log(precision)), 0)
  return brevityPenalty(systemLength, referenceLength) * preciseExp(logs / maxOrder)
}

function brevityPenalty(systemLength: number, referenceLength: number): number {
  if (systemLength >= referenceLength) return 1
  return systemLength > 0 ? preciseExp(1 - referenceLength / systemLength) : 0
}
