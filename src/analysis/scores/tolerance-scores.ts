/**
 * A task's score again with numbers within a stated tolerance counted as equal: `6\sqrt{7}` and `15.9` are one answer at 0.002. Ours alone, and only
 * where a task file or the run asks for it; the harness's score stays as it is.
 */
import type { OwnScore } from '../../contracts/yardstick-results.ts'
import { aggregateMetric } from '../../harness/metrics/aggregation/aggregate.ts'
import type { TaskSamples } from '../../harness/results/samples-file.ts'
import { finalAnswer, invalidAnswer } from '../../ports/functions/answers/minerva-answers.ts'
import { isList, str, toNumber, type PyValue } from '../../python/value.ts'
import { boxedOf, matchMath } from '../answers/math-equality.ts'

interface ToleratedTask {
  readonly name: string
  readonly outputType: string
  /** Relative to the gold number; null = none was asked for. */
  readonly tolerance: number | null
  /** Of each doc the result of `doc_to_target`, as text, in the samples' order. */
  readonly targets: readonly string[]
}

/**
 * One score a filter whose docs are right or wrong: a doc counts when it counts in the harness's score (`exact_match` where there is one, else the
 * first mean), or when its answer is the target's by text, by the harness's normalisation, or as a number within the tolerance. Empty for tasks
 * that write nothing.
 */
export function toleranceScores(
  { name, outputType, tolerance, targets }: ToleratedTask,
  samples: Pick<TaskSamples, 'lines' | 'values'>,
  isMean: (metric: string) => boolean,
): readonly OwnScore[] {
  if (tolerance === null || outputType !== 'generate_until') return []
  const golds = targets.map(answersIn)
  return [...new Set(samples.lines.map(({ filter }) => filter))].flatMap((filter) => {
    const of = samples.values.filter((one) => one.filter === filter && isMean(one.metric) && one.items.every(isVerdict))
    const base = of.find(({ metric }) => metric === 'exact_match') ?? of[0]
    const lines = samples.lines.filter((line) => line.filter === filter)
    if (base === undefined || base.items.length !== lines.length) return []
    const isNear = (reply: PyValue, gold: readonly string[]): boolean =>
      answersIn(str(reply)).some((answer) => gold.some((one) => matchMath(answer, one, { relativeTolerance: tolerance }) !== null))
    const items = lines.map(({ filtered }, at) => {
      const [first = null] = filtered
      const reply = isList(first) ? (first[0] ?? null) : first
      return toNumber(base.items[at] ?? null) === 1 || isNear(reply, golds[at] ?? []) ? 1 : 0
    })
    const { value, stderr } = aggregateMetric(items, { metric: base.metric, aggregation: 'mean', bootstrapIters: 1 })
    return [{ task: name, metric: `${base.metric}_within_${tolerance}`, filter, value: toNumber(value) ?? NaN, stderr, n: items.length }]
  })
}

function isVerdict(item: PyValue): boolean {
  const number = toNumber(item)
  return number === 0 || number === 1
}

/** What a text may mean as an answer: what it boxes, what it calls its final answer, what follows GSM8K's mark; else the text itself. */
function answersIn(text: string): readonly string[] {
  const final = finalAnswer(text)
  const marked = text.includes('####') ? text.slice(text.lastIndexOf('####') + 4) : null
  const named = [boxedOf(text), final === invalidAnswer ? null : final, marked].flatMap((one) => (one === null ? [] : [one.trim()]))
  return named.length === 0 ? [text.trim()] : named
}
