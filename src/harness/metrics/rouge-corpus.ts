/**
 * Corpus ROUGE as `evaluate.load("rouge").compute(predictions, references)` gives it: the median of 1,000 resampled means of the
 * F-measure. `evaluate` seeds numpy's generator for each call with the first word of its state, which is the harness's numpy seed.
 */
import { EvalError } from '../../base/errors.ts'
import { NumpyRandom } from '../../python/numpy-random.ts'
import { isList, repr, type PyValue } from '../../python/value.ts'
import { bestRougeScore, rougeScore, rougeTypes, tokenizeAscii, type RougeType, type Tokenize } from './rouge.ts'

const resamples = 1000
const numpySeed = 1234

/** `[reference, prediction]` items; a reference is a text or, in all items, a list of them. Throws `metric/failed`. From 0 to 1. */
export function corpusRouge(type: RougeType, items: readonly PyValue[], tokenize: Tokenize = tokenizeAscii): number {
  if (items.length === 0) throw new EvalError('metric/failed', 'There are no values to aggregate by ROUGE.')
  const scores = Float64Array.from(items, (item) => scoreItem(type, item, tokenize))
  const random = new NumpyRandom(numpySeed)
  // All types draw from the one generator, each in its turn.
  for (const other of rougeTypes) {
    if (other === type) break
    resampledMeans(scores, random)
  }
  return median(resampledMeans(scores, random))
}

function scoreItem(type: RougeType, item: PyValue, tokenize: Tokenize): number {
  const [reference = null, prediction = null] = isList(item) ? item : []
  if (typeof prediction === 'string') {
    if (typeof reference === 'string') return rougeScore(type, reference, prediction, tokenize).fmeasure
    if (isList(reference) && reference.length > 0 && reference.every((one) => typeof one === 'string'))
      return bestRougeScore(type, reference, prediction, tokenize).fmeasure
  }
  throw new EvalError('metric/failed', `ROUGE wants pairs of texts, found ${repr(item).slice(0, 80)}.`)
}

function resampledMeans(scores: Float64Array, random: NumpyRandom): Float64Array {
  const indices = new Int32Array(scores.length)
  return Float64Array.from({ length: resamples }, () => {
    random.fillBelow(indices, scores.length)
    let total = 0
    for (const index of indices) total += scores[index] ?? 0
    return total / scores.length
  })
}

/** numpy's 50th percentile of an even number of values. */
function median(values: Float64Array): number {
  const sorted = values.slice().sort()
  const [below = NaN, above = NaN] = [sorted[resamples / 2 - 1], sorted[resamples / 2]]
  return above - (above - below) * 0.5
}
