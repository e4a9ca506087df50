/** Pairs of gold and predicted labels, checked as scikit-learn 1.9's `_check_targets` does and coded in label order. */
import { EvalError } from '../../base/errors.ts'
import type { PyValue } from '../../python/value.ts'
import { isList, repr, str, toNumber } from '../../python/value.ts'
import type { LabelPairs } from './classification.ts'

export interface CodedLabels extends LabelPairs {
  /** Labels in ascending order; a label's code is its place. */
  readonly labels: readonly (number | string)[]
}

/**
 * Codes of `[gold, predicted]` items. Throws `metric/failed` for what scikit-learn refuses: items that are no pairs, labels that are
 * no whole numbers or strings, numbers on one side and strings on the other.
 */
export function codeLabels(items: readonly PyValue[]): CodedLabels {
  const pairs = items.map(readPair)
  const gold = readSide(pairs.map(([label]) => label))
  const predicted = readSide(pairs.map(([, label]) => label))
  if (typeof gold[0] !== typeof predicted[0])
    throw new EvalError('metric/failed', 'The gold labels and the predicted ones are of different types, numbers and text.')
  const labels = [...new Set([...gold, ...predicted])].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  const codes = new Map(labels.map((label, code) => [label, code]))
  const encode = (side: readonly (number | string)[]) => Int32Array.from(side, (label) => codes.get(label) ?? -1)
  return { gold: encode(gold), predicted: encode(predicted), labelCount: labels.length, labels }
}

/** A two-item list. Throws `metric/failed` for anything else. */
export function readPair(item: PyValue): readonly [PyValue, PyValue] {
  if (!isList(item) || item.length !== 2)
    throw new EvalError('metric/failed', `The aggregation wants pairs, found ${repr(item).slice(0, 80)}.`)
  const [first = null, second = null] = item
  return [first, second]
}

function readSide(values: readonly PyValue[]): readonly (number | string)[] {
  // numpy turns a mixture of numbers and strings into strings.
  const hasText = values.some((value) => typeof value === 'string')
  return values.map((value) => {
    const number = toNumber(value)
    if (hasText && (typeof value === 'string' || number !== null)) return str(value)
    if (number === null || !Number.isInteger(number))
      throw new EvalError('metric/failed', `A label is ${repr(value).slice(0, 80)}, wanted whole numbers or text.`)
    return number
  })
}
