/** Replies of a task in which its filters found no answer: how many, and, only where it is asked for, what guessing would make of them. */
import { isEvalError } from '../../base/errors.ts'
import type { AnswerFailures } from '../../contracts/yardstick-results.ts'
import type { Task } from '../../harness/requests/task.ts'
import type { AnsweredDoc, SampleLine, ScoreDoc, TaskSamples } from '../../harness/results/samples-file.ts'
import { isList, toNumber, type PyDict, type PyValue } from '../../python/value.ts'
import { isConfigDict, isConfigList, type ConfigDict } from '../../python/yaml/yaml-value.ts'
import { failureRate, guessFailures } from '../answers/failures.ts'

/** What a filter leaves when its pattern finds nothing, by pipeline; pipelines without a pattern are left out, as they never fail. */
export function fallbacksOf(filterList: readonly ConfigDict[] | null): ReadonlyMap<string, string> {
  const fallbacks = new Map<string, string>()
  for (const entry of filterList ?? []) {
    const [name, steps] = [entry.get('name'), entry.get('filter')]
    if (typeof name !== 'string' || !isConfigList(steps)) continue
    const searching = steps.filter(isConfigDict).find((step) => step.has('regex_pattern') || step.has('regex_pattern_to_value'))
    if (searching === undefined) continue
    const fallback = searching.get('fallback')
    fallbacks.set(name, typeof fallback === 'string' ? fallback : '[invalid]')
  }
  return fallbacks
}

/** True when no answer was found in any of the doc's replies. */
export function hasFailed({ filtered }: Pick<SampleLine, 'filtered'>, fallback: string): boolean {
  return filtered.length > 0 && filtered.every((reply) => (isList(reply) ? reply.every((one) => one === fallback) : reply === fallback))
}

interface FailuresInput {
  readonly task: Task
  readonly answered: readonly AnsweredDoc[]
  readonly samples: TaskSamples
  readonly score: ScoreDoc
  readonly isMean: (metric: string) => boolean
}

/** One entry a filter that searches for an answer, in the order of the task file; none for tasks that don't write. */
export function answerFailures({ task, answered, samples, score, isMean }: FailuresInput): readonly AnswerFailures[] {
  const { outputType, filterList, taskAlias } = task.config
  const asked = { name: task.name, alias: taskAlias ?? task.name, outputType, filterList }
  return failuresOf(asked, samples, isMean, (lines, failed, metric) => guess({ task, answered, lines, failed, score }, metric))
}

/** What is read of a task; `filterList` as in its file. */
interface FilteredTask {
  readonly name: string
  readonly alias: string
  readonly outputType: string
  readonly filterList: readonly ConfigDict[] | null
}

/** As `answerFailures`, of a task that is known by its results file. */
export function failuresOf(
  { name, alias, outputType, filterList }: FilteredTask,
  samples: Pick<TaskSamples, 'lines' | 'values'>,
  isMean: (metric: string) => boolean,
  guessed: (lines: readonly SampleLine[], failed: readonly boolean[], metric: string) => AnswerFailures['guessed'],
): readonly AnswerFailures[] {
  if (outputType !== 'generate_until') return []
  return [...fallbacksOf(filterList)].flatMap(([filter, fallback]) => {
    const lines = samples.lines.filter((line) => line.filter === filter)
    if (lines.length === 0) return []
    const failed = lines.map((line) => hasFailed(line, fallback))
    const { n, failed: count } = failureRate(
      failed.map((one) => (one ? fallback : '')),
      fallback,
    )
    const metric = samples.values.find((one) => one.filter === filter && isMean(one.metric)) ?? null
    return [
      {
        ...{ task: name, alias, filter, n, failed: count },
        metric: metric?.metric ?? null,
        value: metric === null ? null : meanOf(metric.items),
        guessed: metric === null ? null : guessed(lines, failed, metric.metric),
      },
    ]
  })
}

interface GuessInput {
  readonly task: Task
  readonly answered: readonly AnsweredDoc[]
  readonly lines: readonly SampleLine[]
  readonly failed: readonly boolean[]
  readonly score: ScoreDoc
}

/** The metric with a random letter for every failure; null when it isn't asked for, a reference is no letter, or its row doesn't say how many options it has. */
function guess({ task, answered, lines, failed, score }: GuessInput, metric: string): AnswerFailures['guessed'] {
  const seed = task.config.own.guessSeed
  if (seed === null) return null
  const options = answered.map(({ doc, target }) => (isLetter(target) ? optionCount(task, doc) : null))
  if (options.some((count) => count === null)) return null
  const { answers, guessed } = guessFailures(
    failed.map((one) => (one ? failure : '')),
    options.map((count) => count ?? 0),
    seed,
    failure,
  )
  try {
    const values = answered.map((doc, i) =>
      failed[i] === true ? score(doc, [answers[i] ?? '']).get(metric) : lines[i]?.metrics.get(metric),
    )
    return { seed, docs: guessed.flatMap((i) => answered[i]?.docId ?? []), value: meanOf(values.map((value) => value ?? null)) }
  } catch (error) {
    // A metric that can't score a bare letter: there is nothing to say of guessing then.
    if (isEvalError(error)) return null
    throw error
  }
}

/** Stands for a failure whatever the task's own fallback is. */
const failure = '[invalid]'

function isLetter(target: PyValue): boolean {
  return typeof target === 'string' && /^\(?[A-Z]\)?$/.test(target)
}

/** How many options a doc has: those of `doc_to_choice`, of a list `options` or `choices`, or its columns `choice1`, `choice2`, …; null when unknown. */
function optionCount(task: Task, doc: PyDict): number | null {
  if (task.config.docToChoice !== null) return task.docToChoice(doc).length
  for (const column of ['options', 'choices']) {
    const value = doc.get(column) ?? null
    if (isList(value) && value.length > 0) return value.length
  }
  const numbered = [...doc.keys()].filter((column) => /^choice\d+$/.test(column)).length
  return numbered === 0 ? null : numbered
}

function meanOf(items: readonly PyValue[]): number {
  return items.reduce((sum: number, item) => sum + (toNumber(item) ?? NaN), 0) / items.length
}
