import { describe, expect, test } from 'vitest'
import { buildPipelines } from '../../../src/harness/filters/filters.ts'
import { resolveMetrics } from '../../../src/harness/metrics/metric-list.ts'
import { processResults } from '../../../src/harness/metrics/process-results.ts'
import { buildResults, type ResultGroup, type ResultNode, type TaskOutcome } from '../../../src/harness/results/results-file.ts'
import { type AnsweredDoc, collectSamples } from '../../../src/harness/results/samples-file.ts'
import { buildTable } from '../../../src/harness/results/table.ts'
import { isList, type PyDict, pyFloat, pyTuple, type PyValue, str, toNumber } from '../../../src/python/value.ts'
import { type ConfigDict, type ConfigValue, FunctionRef } from '../../../src/python/yaml/yaml-value.ts'
import { parsePythonJson } from '../../conformance/python-json.ts'
import { get, list } from '../../conformance/values.ts'
import { expectClose } from '../../support/expect-close.ts'
import { readGoldenRuns } from '../../support/golden-runs.ts'
import { asDict, makeTask } from '../../support/make-task.ts'

/** Their metrics or targets come from Python helpers, or from a template that the sample lines don't hold evaluated. */
const withHelpers = new Set([
  'ifeval',
  'ifeval_chat',
  'truthfulqa_mc2',
  'wikitext',
  'bbh_zeroshot_object_counting',
  'bbh_zeroshot_sports_understanding',
])
const runs = readGoldenRuns().filter(({ id }) => !withHelpers.has(id))

describe.skipIf(runs.length === 0)('a golden run is rebuilt from its responses', () => {
  test.each(runs.map((run) => [run.id, run] as const))('%s', (_id, run) => {
    const order = [...asDict(get(run.results, 'results')).keys()].filter((name) => run.lines.has(name))
    const tasks = order.map((name) => {
      const lines = run.lines.get(name) ?? []
      const outcome = rebuild(name, lines, run.results)
      const rebuilt = outcome.samples.lines.map((line) => line.text)
      expect(rebuilt).toEqual(lines)
      return outcome
    })
    const built = buildResults({ tasks, groups: readGroups(run.results), bootstrapIters: 100000, run: describeRun() })
    for (const key of ['results', 'groups', 'versions', 'n-shot', 'higher_is_better', 'n-samples']) {
      if (!run.results.has(key)) continue
      expectClose(get(built, key), get(run.results, key), 1e-12)
      expect([...asDict(get(built, key)).keys()]).toEqual([...asDict(get(run.results, key)).keys()])
    }
    for (const [name, row] of asDict(get(built, 'results')))
      expect([...asDict(row).keys()]).toEqual([...asDict(get(run.results, 'results', name)).keys()])
    expect(buildTable(built)).toEqual(buildTable(run.results))
  })
})

function rebuild(name: string, lines: readonly string[], results: PyDict): TaskOutcome {
  const config = asDict(get(results, 'configs', name))
  const rows = lines.map((line) => asDict(parsePythonJson(line)))
  const firstFilter = str(get(rows[0] ?? null, 'filter'))
  const docs = rows.filter((row) => row.get('filter') === firstFilter).map((row) => readDoc(row, get(config, 'output_type')))
  const task = overTargets(config, docs)
  const metrics = resolveMetrics(task.config, { aggregation: () => 'weighted_f1_score', metric: () => null })
  const pipelines = buildPipelines(task.config.filterList)
  const samples = collectSamples(docs, pipelines, (doc, filtered) =>
    processResults(task, metrics, { doc: doc.doc, results: filtered, tokenCounts: null }),
  )
  return {
    name,
    alias: str(get(config, 'task_alias') ?? name),
    config,
    version: get(results, 'versions', name),
    numFewshot: toNumber(get(config, 'num_fewshot')) ?? 0,
    metrics,
    samples,
    docsOriginal: toNumber(get(results, 'n-samples', name, 'original')) ?? 0,
  }
}

/** A task that answers with what the sample lines logged, so that no template is needed. */
function overTargets(config: PyDict, docs: readonly AnsweredDoc[]) {
  const byDoc = new Map(docs.map((doc) => [doc.doc, doc]))
  const base = makeTask(
    withFunctions(config),
    docs.map((doc) => doc.doc),
  )
  const isMultiInput = new Set(docs[0]?.requests.map(({ args }) => args[0]).filter((context) => context !== '')).size > 1
  const choices = (doc: PyDict): readonly PyValue[] => {
    const delimiter = str(config.get('target_delimiter') ?? ' ')
    const requests = byDoc.get(doc)?.requests ?? []
    const conditional = requests.filter(({ args }) => args[0] !== '')
    // The choices of a task with several inputs are its contexts; nothing that is compared here depends on their lengths.
    return conditional.map(({ args }) => (isMultiInput ? str(args[0] ?? '') : str(args[1] ?? '').replace(new RegExp(`^${delimiter}`), '')))
  }
  const target = (doc: PyDict): PyValue => {
    const logged = byDoc.get(doc)?.target ?? null
    return base.outputType === 'multiple_choice' && typeof logged === 'string' && /^-?\d+$/.test(logged) ? Number(logged) : logged
  }
  return {
    ...base,
    multipleInput: isMultiInput ? 2 : 0,
    docToText: (doc: PyDict) => (doc.get('answer') === '1' ? 0 : 1),
    docToTarget: target,
    docToChoice: choices,
    multipleTarget: 0,
  }
}

/** Functions stand as text in a results file; the only ones among these runs are weighted_f1_score. */
function withFunctions(config: PyDict): ConfigDict {
  const metrics = get(config, 'metric_list')
  if (!isList(metrics)) return config
  const revived = metrics.map((entry): ConfigDict => {
    const isFunction = str(get(entry, 'aggregation')).includes('\n')
    return isFunction
      ? new Map<string, ConfigValue>([...asDict(entry), ['aggregation', new FunctionRef('utils.weighted_f1_score', 'utils.py')]])
      : asDict(entry)
  })
  return new Map<string, ConfigValue>([...config, ['metric_list', revived]])
}

function readDoc(row: PyDict, outputType: PyValue): AnsweredDoc {
  const responses = list(get(row, 'resps')).map(list)
  const requests = [...asDict(get(row, 'arguments')).values()].map((args, i) => ({
    args: [...asDict(args).values()],
    responses: (responses[i] ?? []).map((response) => readResponse(response, outputType)),
    tokenCount: null,
  }))
  return { docId: toNumber(get(row, 'doc_id')) ?? 0, doc: asDict(get(row, 'doc')), target: get(row, 'target'), requests }
}

function readResponse(response: PyValue, outputType: PyValue): PyValue {
  if (isList(response)) return pyTuple([pyFloat(Number(response[0])), response[1] === 'True'])
  return outputType === 'loglikelihood_rolling' ? pyFloat(Number(response)) : response
}

function readGroups(results: PyDict): readonly ResultGroup[] {
  const subtasks = asDict(get(results, 'group_subtasks'))
  const build = (name: string): ResultGroup => ({
    name,
    alias: str(get(results, 'results', name, 'alias')),
    metrics: [{ metric: 'acc', filterList: ['none'], weightBySize: true }],
    version: str(get(results, 'versions', name)),
    children: list(subtasks.get(name) ?? null).map((child): ResultNode =>
      subtasks.has(str(child)) ? { kind: 'group', group: build(str(child)) } : { kind: 'task', name: str(child) },
    ),
  })
  const members = new Set([...subtasks.values()].flatMap((children) => list(children).map(str)))
  return [...subtasks.keys()].filter((name) => !members.has(name)).map(build)
}

function describeRun() {
  return {
    config: new Map<string, PyValue>(),
    startedAtSeconds: 0,
    totalSeconds: 1.5,
    environment: '',
    transformersVersion: '',
    lmEvalVersion: '0.4.13',
    tokenizer: { pad: null, eos: null, bos: null, maxLength: 8192 },
    modelSource: 'hf',
    modelName: 'm',
    systemInstruction: null,
    fewshotAsMultiturn: null,
    chatTemplate: null,
    provenance: new Map<string, PyValue>(),
  }
}
