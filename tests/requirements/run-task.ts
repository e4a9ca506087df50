/** A whole task over rows with a model that a test makes up: requests → answers → filters → metrics. */
import type { ModelResponse, TextRequest } from '../../src/contracts/requests.ts'
import { buildPipelines } from '../../src/harness/filters/filters.ts'
import { aggregateMetric } from '../../src/harness/metrics/aggregation/aggregate.ts'
import { resolveMetrics } from '../../src/harness/metrics/metric-list.ts'
import { processResults, responseValue } from '../../src/harness/metrics/process-results.ts'
import { requestArguments, walkRequests, type DocRequests, type RequestSettings } from '../../src/harness/requests/output-types.ts'
import { buildTask, type PromptTask } from '../../src/harness/requests/task.ts'
import { collectSamples, type TaskSamples } from '../../src/harness/results/samples-file.ts'
import { readTaskConfig } from '../../src/harness/tasks/task-config.ts'
import { functionTable } from '../../src/ports/functions/functions.ts'
import { toNumber, type PyDict } from '../../src/python/value.ts'
import { readYamlMapping } from '../../src/python/yaml/parse.ts'
import { tableOf } from '../support/tables.ts'

export const plainSettings: RequestSettings = {
  numFewshot: 0,
  limit: null,
  samples: null,
  fewshotSeed: 1234,
  systemInstruction: null,
  chat: null,
}

/** A task over one split, `test`, from the keys of a task file. */
export function taskFrom(yaml: string, rows: readonly PyDict[], file = 'task.yaml'): PromptTask {
  return buildTask(
    readTaskConfig(readYamlMapping(`task: t\ndataset_path: d\n${yaml}`, file), file),
    { test: tableOf(rows) },
    { functions: functionTable() },
  )
}

export interface TaskRun {
  readonly docs: readonly DocRequests[]
  readonly samples: TaskSamples
  /** The aggregated value of a metric under the first filter that has it. */
  metric(name: string): { readonly value: number; readonly stderr: number | 'N/A' }
}

/** Asks `answer` for every request and scores what it says. `tokensOf` counts a continuation's tokens for `acc_tok`. */
export function runTask(
  task: PromptTask,
  answer: (request: TextRequest, doc: PyDict) => ModelResponse,
  settings: Partial<RequestSettings> = {},
  tokensOf: (request: TextRequest) => number | null = () => null,
): TaskRun {
  const docs = [...walkRequests(task, { ...plainSettings, ...settings })]
  const functions = functionTable()
  const metrics = resolveMetrics(task.config, { aggregation: (ref) => functions.aggregation(ref), metric: () => null })
  const answered = docs.map(({ docId, doc, target, requests }) => ({
    docId,
    doc,
    target,
    requests: requests.map((request) => ({
      args: requestArguments(request),
      responses: [responseValue(answer(request, doc))],
      tokenCount: tokensOf(request),
    })),
  }))
  const samples = collectSamples(answered, buildPipelines(task.config.filterList), (doc, filtered) =>
    processResults(task, metrics, { doc: doc.doc, results: filtered, tokenCounts: doc.requests.map(({ tokenCount }) => tokenCount ?? 1) }),
  )
  return {
    docs,
    samples,
    metric: (name) => {
      const values = samples.values.find(({ metric }) => metric === name)
      const metric = metrics.find((one) => one.name === name)
      if (values === undefined || metric === undefined) throw new Error(`the task has no metric ${name}`)
      const { value, stderr } = aggregateMetric(values.items, { metric: name, aggregation: metric.aggregation, bootstrapIters: 1000 })
      return { value: toNumber(value) ?? NaN, stderr }
    },
  }
}

/** The continuations' log-probabilities by a table, and for text the texts by doc. */
export function scoreBy(logprobOf: (continuation: string, doc: PyDict) => number): (request: TextRequest, doc: PyDict) => ModelResponse {
  return (request, doc) => {
    if (request.type !== 'loglikelihood') throw new Error(`${request.type} was asked for`)
    return { type: 'loglikelihood', logprob: logprobOf(request.continuation, doc), isGreedy: false }
  }
}

export function generateBy(textOf: (doc: PyDict) => string): (request: TextRequest, doc: PyDict) => ModelResponse {
  return (_request, doc) => ({ type: 'generate_until', text: textOf(doc) })
}
