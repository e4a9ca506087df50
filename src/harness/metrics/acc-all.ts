/** `acc_all`: a question counts when all its answers are labelled right. lm_eval 0.4.13, `acc_all` and `acc_all_stderr`. */
import { EvalError } from '../../base/errors.ts'
import type { PyValue } from '../../python/value.ts'
import { dictGet, encodeKey, isDict, pyEquals } from '../../python/value.ts'
import { readPair } from './label-pairs.ts'
import { meanStderr, pairwiseSum } from './means.ts'

/** Share of (paragraph, question) pairs all of whose `[prediction, doc]` items are right. */
export function accAll(items: readonly PyValue[]): number {
  const scores = scoreQuestions(items, ['paragraph', 'question'])
  return pairwiseSum(scores) / scores.length
}

/** Its standard error, over questions alone, as the harness has it. */
export function accAllStderr(items: readonly PyValue[]): number {
  const scores = scoreQuestions(items, ['question'])
  if (scores.length < 2) throw new EvalError('metric/failed', 'The standard error of acc_all wants more than one question.')
  return meanStderr(scores)
}

function scoreQuestions(items: readonly PyValue[], keys: readonly string[]): readonly number[] {
  const right = new Map<string, boolean>()
  for (const item of items) {
    const [prediction, doc] = readPair(item)
    const index = field(doc, 'idx')
    const question = keys.map((key) => encodeKey(field(index, key))).join('\0\0')
    const isRight = pyEquals(pyEquals(field(doc, 'label'), 1), prediction)
    right.set(question, (right.get(question) ?? true) && isRight)
  }
  return [...right.values()].map(Number)
}

function field(value: PyValue, key: string): PyValue {
  const found = isDict(value) ? dictGet(value, key) : undefined
  if (found === undefined)
    throw new EvalError('metric/failed', `acc_all wants docs with idx.paragraph, idx.question and label; ${key} is missing.`)
  return found
}
