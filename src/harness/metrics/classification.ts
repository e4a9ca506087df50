/** F1 and Matthews correlation as scikit-learn 1.9 computes them, over label pairs coded as small integers. */

import { pairwiseSum } from './means.ts'

/** Gold and predicted labels by document, as codes from 0; codes follow the labels' order. */
export interface LabelPairs {
  readonly gold: Int32Array
  readonly predicted: Int32Array
  /** Number of distinct labels. */
  readonly labelCount: number
}

/** F1 of the label with code `positive`; 0 when it occurs nowhere (also for a negative code). Over `indices` of the pairs. */
export function binaryF1({ gold, predicted }: LabelPairs, positive: number, indices: ArrayLike<number>): number {
  let truePositives = 0
  let marked = 0
  for (let k = 0; k < indices.length; k++) {
    const i = indices[k] ?? 0
    const isGold = gold[i] === positive
    const isPredicted = predicted[i] === positive
    if (isGold && isPredicted) truePositives++
    if (isGold) marked++
    if (isPredicted) marked++
  }
  return marked === 0 ? 0 : (2 * truePositives) / marked
}

/** F1 per label, weighted by how often the label is gold; labels in code order. */
export function weightedF1(pairs: LabelPairs): number {
  const everyIndex = Int32Array.from(pairs.gold, (_, i) => i)
  const weighted = Array.from({ length: pairs.labelCount }, (_, label) => {
    const support = pairs.gold.reduce((count, code) => count + (code === label ? 1 : 0), 0)
    return binaryF1(pairs, label, everyIndex) * support
  })
  return pairwiseSum(weighted) / pairs.gold.length
}

/** F1 per label, each label counted alike; labels that are only predicted count too, as scikit-learn's `average='macro'`. */
export function macroF1(pairs: LabelPairs): number {
  const everyIndex = Int32Array.from(pairs.gold, (_, i) => i)
  return pairwiseSum(Array.from({ length: pairs.labelCount }, (_, label) => binaryF1(pairs, label, everyIndex))) / pairs.labelCount
}

/** F1 over all decisions at once, as `average='micro'`: with one label a document, the share of right ones. */
export function microF1({ gold, predicted }: LabelPairs): number {
  return gold.reduce((right, code, i) => right + (code === predicted[i] ? 1 : 0), 0) / gold.length
}

/** Multiclass Matthews correlation; 0 when either side has one label only. Over `indices` of the pairs. */
export function matthews({ gold, predicted, labelCount }: LabelPairs, indices: ArrayLike<number>): number {
  const goldCounts = new Float64Array(labelCount)
  const predictedCounts = new Float64Array(labelCount)
  let correct = 0
  for (let k = 0; k < indices.length; k++) {
    const i = indices[k] ?? 0
    const [g = 0, p = 0] = [gold[i], predicted[i]]
    goldCounts[g] = (goldCounts[g] ?? 0) + 1
    predictedCounts[p] = (predictedCounts[p] ?? 0) + 1
    if (g === p) correct++
  }
  const n = indices.length
  const dot = (a: Float64Array, b: Float64Array) => a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0)
  const covariance = correct * n - dot(goldCounts, predictedCounts)
  const spread = (n ** 2 - dot(predictedCounts, predictedCounts)) * (n ** 2 - dot(goldCounts, goldCounts))
  return spread === 0 ? 0 : covariance / Math.sqrt(spread)
}
