/** ROUGE against rouge_score 0.1.2; `tests/make-goldens/make_rouge_goldens.py` made the values. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { aggregate } from '../../../src/harness/metrics/aggregation/aggregate.ts'
import { porterStem } from '../../../src/harness/metrics/porter.ts'
import { corpusRouge } from '../../../src/harness/metrics/rouge-corpus.ts'
import {
  bestRougeScore,
  rougeScore,
  rougeTypes,
  tokenizeAscii,
  tokenizeStemmed,
  type RougeScore,
} from '../../../src/harness/metrics/rouge.ts'
import { NumpyRandom } from '../../../src/python/numpy-random.ts'
import { toNumber } from '../../../src/python/value.ts'

interface Golden {
  readonly stems: readonly (readonly [word: string, stem: string])[]
  readonly scores: readonly { target: string; prediction: string; plain: number[][]; stemmed: number[][] }[]
  readonly best: readonly { targets: string[]; prediction: string; scores: number[][] }[]
  readonly corpora: readonly { items: [string, string][]; values: number[] }[]
  readonly draws: readonly { count: number; indices: number[] }[]
}
// The file's shape is what the script beside it writes.
const golden = JSON.parse(readFileSync(new URL('../../goldens/rouge/rouge.json', import.meta.url), 'utf8')) as Golden

const list = ({ precision, recall, fmeasure }: RougeScore): number[] => [precision, recall, fmeasure]

describe('ROUGE as rouge_score computes it', () => {
  it('stems words as NLTK does', () => {
    expect(golden.stems.map(([word]) => [word, porterStem(word)])).toEqual(golden.stems)
  })

  it('scores pairs of texts, with and without the stemmer', () => {
    for (const { target, prediction, plain, stemmed } of golden.scores) {
      expect(rougeTypes.map((type) => list(rougeScore(type, target, prediction, tokenizeAscii)))).toEqual(plain)
      expect(rougeTypes.map((type) => list(rougeScore(type, target, prediction, tokenizeStemmed)))).toEqual(stemmed)
    }
  })

  it('takes the best of several targets', () => {
    for (const { targets, prediction, scores } of golden.best)
      expect(rougeTypes.map((type) => list(bestRougeScore(type, targets, prediction)))).toEqual(scores)
  })

  it('draws as numpy does', () => {
    for (const { count, indices } of golden.draws) {
      const found = new Int32Array(indices.length)
      new NumpyRandom(1234).fillBelow(found, count)
      expect([...found]).toEqual(indices)
    }
  })

  it('takes the median of resampled means over a corpus', () => {
    for (const { items, values } of golden.corpora)
      rougeTypes.forEach((type, i) => expect(corpusRouge(type, items)).toBeCloseTo(values[i] ?? NaN, 14))
  })
})

describe('ROUGE for any script', () => {
  const items = [['ሰላም ነው ቤት', 'ሰላም ነው']]
  it('knows words that rouge_score drops', () => {
    expect(corpusRouge('rouge1', items)).toBe(0)
    expect(toNumber(aggregate(items, 'rouge1_unicode'))).toBeCloseTo(0.8, 14)
    expect(toNumber(aggregate(items, 'rougeL_unicode'))).toBeCloseTo(0.8, 14)
    expect(toNumber(aggregate([['ọ̀rẹ́ mi', 'ọ̀rẹ́ mi']], 'rouge2_unicode'))).toBe(1)
  })

  it('is the same for English without apostrophes', () => {
    const english = golden.scores.filter(({ target, prediction }) => /^[\x20-\x26\x28-\x7e\n]*$/.test(target + prediction))
    expect(english.length).toBeGreaterThan(5)
    for (const { target, prediction } of english)
      expect(toNumber(aggregate([[target, prediction]], 'rougeLsum_unicode'))).toBe(corpusRouge('rougeLsum', [[target, prediction]]))
  })
})

describe('texts of any length', () => {
  const words = (count: number): string => 'a '.repeat(count)

  it('are compared in two rows', () => {
    // A table of all pairs would take 1.6 GB.
    expect(rougeScore('rougeL', words(200), words(2_000_000)).recall).toBe(1)
  })

  it.each(['rougeL', 'rougeLsum'] as const)('are refused where %s would compare them for minutes', (type) => {
    expect(() => rougeScore(type, words(40_000), words(40_000))).toThrow('the target has 40000 tokens, the answer 40000')
    expect(rougeScore('rouge1', words(40_000), words(40_000)).fmeasure).toBe(1)
  })
})
