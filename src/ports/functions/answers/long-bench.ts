/** Scores of `longbench/metrics.py` that need no other package, lm_eval 0.4.13. */
import { EvalError } from '../../../base/errors.ts'
import type { FunctionFamily, ProcessResults } from '../../../harness/function-table.ts'
import { compilePython, compileWhenUsed } from '../../../python/regex/compile.ts'
import { split, strip } from '../../../python/string.ts'
import { pyFloat, toNumber, type PyDict, type PyValue } from '../../../python/value.ts'
import { textsOf } from '../columns.ts'
import { textResult } from '../logprobs.ts'
import { normalizeAnswer, tokenF1 } from './token-f1.ts'

const digits = compileWhenUsed(String.raw`\d+`)

/** The best score over the accepted answers, under the name of the score and as `score`. */
function bestAs(name: string, score: (said: string, answer: string, doc: PyDict) => PyValue): ProcessResults {
  return (doc, results) => {
    const said = strip(textResult(results))
    const best = textsOf(doc, 'answers').reduce<PyValue>((most, answer) => {
      const value = score(said, answer, doc)
      return (toNumber(most) ?? 0) > (toNumber(value) ?? 0) ? most : value
    }, pyFloat(0))
    return new Map([
      ['score', best],
      [name, best],
    ])
  }
}

/** The share of the numbers said that are the one wanted. */
function shareOf(said: string, wanted: string): PyValue {
  const numbers = digits.findall(said)
  return pyFloat(numbers.length === 0 ? 0 : numbers.filter((number) => number === wanted).length / numbers.length)
}

function paragraphScore(pattern: string): (said: string, answer: string) => PyValue {
  const paragraph = compilePython(pattern)
  return (said, answer) => {
    const wanted = paragraph.findall(answer)[0]
    if (typeof wanted !== 'string') throw new EvalError('metric/failed', `Wanted the number of a paragraph, found ${answer.slice(0, 80)}.`)
    return shareOf(said, wanted)
  }
}

/** One over the number of classes that the response names, if the answer is one of them; parts of the answer don't count. */
function classShare(said: string, answer: string, doc: PyDict): PyValue {
  const named = textsOf(doc, 'all_classes').filter((name) => said.includes(name))
  // Upstream removes from the list that it walks along, and so skips the name behind each that goes.
  for (let i = 0; i < named.length; i++) {
    const name = named[i] ?? ''
    if (answer.includes(name) && name !== answer) named.splice(named.indexOf(name), 1)
  }
  return pyFloat(named.includes(answer) ? 1 / named.length : 0)
}

export const longBench: FunctionFamily = {
  folder: 'longbench',
  processResults: {
    'metrics.get_qa_f1_with_score': bestAs('qa_f1_score', (said, answer) =>
      tokenF1(split(normalizeAnswer(answer)), split(normalizeAnswer(said))),
    ),
    'metrics.get_classification_with_score': bestAs('classification_score', classShare),
    'metrics.get_count_with_score': bestAs('count_score', shareOf),
    'metrics.get_retrieval_with_score': bestAs('retrieval_score', paragraphScore(String.raw`Paragraph (\d+)`)),
    'metrics.get_retrieval_zh_with_score': bestAs('retrieval_zh_score', paragraphScore(String.raw`段落(\d+)`)),
  },
}
