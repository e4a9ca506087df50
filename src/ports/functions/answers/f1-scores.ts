/** scikit-learn's `f1_score(golds, predictions, average=…)` over `(gold, prediction)` items, as helpers aggregate. */
import { EvalError } from '../../../base/errors.ts'
import { binaryF1, weightedF1 } from '../../../harness/metrics/classification.ts'
import { codeLabels, type CodedLabels } from '../../../harness/metrics/label-pairs.ts'
import { pairwiseSum } from '../../../harness/metrics/means.ts'
import { pyFloat, type PyValue } from '../../../python/value.ts'

/** F1 of each label, weighted by how often it is gold. */
export function weightedF1Score(items: readonly PyValue[]): PyValue {
  return pyFloat(weightedF1(readPairs(items)))
}

/** F1 over all decisions at once, which for one label per doc is the accuracy. */
export function microF1Score(items: readonly PyValue[]): PyValue {
  const { gold, predicted } = readPairs(items)
  const right = gold.reduce((count, code, i) => count + (code === predicted[i] ? 1 : 0), 0)
  return pyFloat((2 * right) / (2 * gold.length))
}

/** The mean of the labels' F1. */
export function macroF1Score(items: readonly PyValue[]): PyValue {
  const scores = labelScores(readPairs(items))
  return pyFloat(pairwiseSum(scores) / scores.length)
}

/** F1 of each label that occurs, in label order. */
export function labelScores(pairs: CodedLabels): number[] {
  const every = Int32Array.from(pairs.gold, (_, i) => i)
  return pairs.labels.map((_, code) => binaryF1(pairs, code, every))
}

function readPairs(items: readonly PyValue[]): CodedLabels {
  if (items.length === 0) throw new EvalError('metric/failed', 'There are no values to aggregate by an F1 score.')
  return codeLabels(items)
}
