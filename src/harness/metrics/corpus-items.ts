/** The harness's `_sacreformat`: from `[references, prediction]` items to what a corpus metric counts. */
import { maxOf } from '../../base/arrays.ts'
import { EvalError } from '../../base/errors.ts'
import type { PyValue } from '../../python/value.ts'
import { isList, repr } from '../../python/value.ts'
import type { Statistic } from './aggregation/bootstrap.ts'
import type { CorpusMetric } from './corpus-metric.ts'
import { readPair } from './label-pairs.ts'

interface Segment {
  readonly references: readonly string[]
  readonly hypothesis: string
}

/**
 * The metric's score over a choice of the items. A reference is a string or a list of strings; of lists as many are used as the
 * shortest one chosen holds. Throws `metric/failed` for anything else.
 */
export function corpusStatistic(items: readonly PyValue[], metric: CorpusMetric): Statistic {
  const segments = items.map(readSegment)
  const counted = new Map<number, readonly number[]>()
  const longest = maxOf(segments.map(({ references }) => references.length)) + 1
  const countFor = (index: number, referenceCount: number): readonly number[] => {
    const key = index * longest + referenceCount
    const known = counted.get(key)
    if (known !== undefined) return known
    const { hypothesis = '', references = [] } = segments[index] ?? {}
    const counts = metric.countSegment(hypothesis, references.slice(0, referenceCount))
    counted.set(key, counts)
    return counts
  }
  return (indices) => {
    const used = Array.from(indices).reduce((fewest, i) => Math.min(fewest, segments[i]?.references.length ?? 0), Infinity)
    if (used === 0) throw new EvalError('metric/failed', 'A text metric wants at least one reference for every prediction.')
    const total: number[] = []
    for (const index of indices) countFor(index, used).forEach((count, i) => (total[i] = (total[i] ?? 0) + count))
    return metric.score(total)
  }
}

function readSegment(item: PyValue): Segment {
  const [reference, prediction] = readPair(item)
  const references = isList(reference) ? reference : [reference]
  const hypothesis = isList(prediction) && prediction.length === 1 ? (prediction[0] ?? null) : prediction
  return { references: references.map(readText), hypothesis: readText(hypothesis) }
}

function readText(value: PyValue): string {
  if (typeof value !== 'string') throw new EvalError('metric/failed', `A text metric wants text, found ${repr(value).slice(0, 80)}.`)
  return value
}
