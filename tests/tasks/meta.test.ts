/** Meta's recipe (section A of docs/requirements.md): the bundled tasks make of made-up rows what lm_eval 0.4.13 makes of them (`make_meta_goldens.py`). */
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { headlineAverages } from '../../src/analysis/averages/headline-averages.ts'
import { subtaskAverages } from '../../src/analysis/averages/subtask-averages.ts'
import { agreementLines, publishedAgreements } from '../../src/analysis/compare/agreement/published-verdicts.ts'
import { ownBlock } from '../../src/analysis/scores/yardstick-block.ts'
import { readJoin } from '../../src/data/dataset/join-settings.ts'
import { joinTables } from '../../src/data/dataset/join.ts'
import { requestArguments, walkRequests } from '../../src/harness/requests/output-types.ts'
import { buildTask } from '../../src/harness/requests/task.ts'
import { collectSamples } from '../../src/harness/results/samples-file.ts'
import { hashDoc } from '../../src/harness/sample-hashes.ts'
import { datasetReference } from '../../src/harness/tasks/dataset-reference.ts'
import { comparabilityNotes } from '../../src/harness/tasks/published-evals.ts'
import { readTaskConfig } from '../../src/harness/tasks/task-config.ts'
import { functionTable, prepareProcessResults } from '../../src/ports/functions/functions.ts'
import { isList, jsonDumps, str, toJson, toNumber, type PyDict, type PyValue } from '../../src/python/value.ts'
import { taskScorer } from '../../src/text-worker/task-scorer.ts'
import { parsePythonJson } from '../conformance/python-json.ts'
import { dict, get, list, texts } from '../conformance/values.ts'
import { plainSettings } from '../requirements/run-task.ts'
import { tableOf } from '../support/tables.ts'
import { bundledConfig, bundledRegistry } from './bundled-goldens.ts'

const golden = dict(parsePythonJson(readFileSync(new URL('../goldens/meta/harness.json', import.meta.url), 'utf8')))
const registry = bundledRegistry()
const goldenOf = (name: string): PyValue => golden.get(name) ?? null

/** The task over the golden rows, as they are after the join. */
function taskOf(name: string) {
  return buildTask(
    bundledConfig(registry, name),
    { latest: tableOf(list(get(goldenOf(name), 'rows')).map(dict)) },
    { functions: functionTable() },
  )
}

/** The task's docs with the golden replies, filtered and scored as a run does it. */
function runOf(name: string) {
  const replies = texts(get(goldenOf(name), 'replies'))
  const task = taskOf(name)
  const docs = [...walkRequests(task, plainSettings)].map(({ docId, doc, target, requests }) => ({
    docId,
    doc,
    target,
    requests: requests.map((request) => ({ args: requestArguments(request), responses: [replies[docId] ?? ''], tokenCount: null })),
  }))
  const { pipelines, score } = taskScorer(task, false)
  return { docs, samples: collectSamples(docs, pipelines, score) }
}

/** Numbers without their type, lists as text. */
const plain = (value: PyValue) => (isList(value) ? jsonDumps(value) : toNumber(value))
const names = [...golden.keys()]

beforeAll(async () => {
  const { processResults, file } = bundledConfig(registry, 'meta_ifeval')
  if (processResults !== null) await prepareProcessResults(processResults, { file })
})

describe("the tasks of Meta's recipe", () => {
  it('are those that the README of the recipe names', () => {
    const listed = registry.list().filter(({ name, kind }) => name.startsWith('meta_') && kind === 'task')
    expect(listed.map(({ name }) => name).sort()).toEqual([...names].sort())
    expect(registry.resolve(['meta_pretrain']).tasks.map(({ name }) => name)).toEqual(['meta_bbh', 'meta_mmlu_pro_pretrain'])
    expect(registry.resolve(['meta_instruct']).tasks.map(({ name }) => name)).toEqual([
      'meta_ifeval',
      'meta_math_hard',
      'meta_gpqa_cot',
      'meta_mmlu_pro_instruct',
    ])
  })

  it.each(names)('%s: prompts, targets, docs, filtered answers and values are the harness’s', (name) => {
    const { docs, samples } = runOf(name)
    const made = samples.lines.map((line) => {
      const one = docs.find(({ docId }) => docId === line.docId)
      return {
        doc_id: line.docId,
        filter: line.filter,
        doc_hash: hashDoc(one?.doc ?? new Map()),
        target: str(one?.target ?? null),
        prompt: one?.requests[0]?.args[0],
        filtered: jsonDumps([...line.filtered]),
        values: Object.fromEntries([...line.metrics].map(([metric, value]) => [metric, plain(value)])),
      }
    })
    const wanted = list(get(goldenOf(name), 'samples')).map((line) => ({
      doc_id: toNumber(get(line, 'doc_id')),
      filter: get(line, 'filter'),
      doc_hash: get(line, 'doc_hash'),
      target: str(get(line, 'target')),
      prompt: get(line, 'prompt'),
      filtered: jsonDumps(get(line, 'filtered')),
      values: Object.fromEntries([...dict(get(line, 'values'))].map(([metric, value]) => [metric, plain(value)])),
    }))
    expect(made).toEqual(wanted)
  })

  it('meta_ifeval keeps the columns that the checks read', () => {
    const [first] = taskOf('meta_ifeval').evalDocs
    const [line] = list(get(goldenOf('meta_ifeval'), 'samples'))
    expect([...(first ?? new Map<string, PyValue>()).keys()]).toEqual(texts(get(line ?? null, 'columns')))
  })

  it.each([
    ['meta_ifeval', ['key', 'instruction_id_list', 'kwargs']],
    ['meta_math_hard', ['solution']],
  ])('%s finds what it lacks under the same question of the original, and lists whom it does not find', (name, added) => {
    const config = bundledConfig(registry, name)
    const join = readJoin(datasetReference(config).kwargs)
    if (join === null) throw new Error('the task has no join')
    const rows = list(get(goldenOf(name), 'rows')).map(dict)
    const withoutAdded = (row: PyDict): PyDict => new Map([...row].filter(([column]) => !added.includes(column)))
    const question = (row: PyDict): PyValue => {
      const text = str(row.get('input_question') ?? null)
      return text.startsWith('{') ? (/"body": "(.*?)"/.exec(text)?.[1] ?? '') : ` ${text}\n`
    }
    const original = rows.map(
      (row): PyDict =>
        new Map([
          ['level', 'x'],
          [join.on[0]?.[1] ?? '', question(row)],
          ...added.map((column) => [column, row.get(column) ?? null] as const),
        ]),
    )
    const place = { left: 'published', right: 'original' }
    const joined = joinTables(tableOf(rows.map(withoutAdded)), tableOf(original.slice(1).reverse()), join, place)
    expect(joined.summary).toContain(`${rows.length - 1} joined, 1 unmatched`)
    const wanted = list(get(goldenOf(name), 'samples')).slice(1)
    expect(buildTask(config, { latest: joined.table }, { functions: functionTable() }).evalDocs.map(hashDoc)).toEqual(
      wanted.map((line) => get(line, 'doc_hash')),
    )
  })

  it('read another model’s evaluations where metadata.evals_dataset names them, and refuse what is no data set', () => {
    const reference = (task: string, dataset: string) => {
      const [source] = registry.resolve([task], new Map([['evals_dataset', dataset]])).tasks
      return source === undefined ? null : readTaskConfig(source.config, source.file)
    }
    expect(reference('meta_bbh', 'meta-llama/Llama-3.1-405B-evals')).toMatchObject({
      datasetPath: 'meta-llama/Llama-3.1-405B-evals',
      datasetName: 'Llama-3.1-405B-evals__bbh__details',
    })
    expect(reference('hellaswag', 'meta-llama/Llama-3.1-405B-evals')?.datasetPath).toBe(bundledConfig(registry, 'hellaswag').datasetPath)
    expect(() => reference('meta_bbh', '405B')).toThrow(expect.objectContaining({ code: 'settings/invalid' }))
  })

  it.each(names)('%s says what it can not be compared with', (name) => {
    const notes = comparabilityNotes(name, bundledConfig(registry, name).metadata)
    expect(notes.filter((note) => note.startsWith(`${name}: Not comparable to`))).toHaveLength(1)
  })

  it('are held against the published verdicts: agreement, kappa and who changed sides, once a filter', () => {
    const { docs, samples } = runOf('meta_gpqa')
    // Right now, strictly: docs 0 and 1; before: 0, 2, 4, 5.
    const [strict, letter] = publishedAgreements('meta_gpqa', docs, samples)
    expect(strict).toMatchObject({
      column: 'previously_is_correct',
      metric: 'exact_match',
      filter: 'strict-match',
      n: 6,
      agree: 2,
      unknown: 0,
    })
    expect([strict?.gained, strict?.lost]).toEqual([[1], [2, 4, 5]])
    expect(strict?.kappa).toBeCloseTo((2 / 6 - (2 * 4 + 4 * 2) / 36) / (1 - (2 * 4 + 4 * 2) / 36), 12)
    expect(letter).toMatchObject({ filter: 'first-letter', gained: [], lost: [0, 2, 4] })
    expect(agreementLines(strict === undefined ? [] : [strict])[0]).toMatch(
      /^meta_gpqa, exact_match \(strict-match\): agrees in 2 of 6 docs, kappa -0\.2000; .* 1 \(docs 1\), .* 3 \(docs 2, 4, 5\), p 0\.625$/,
    )
    const without = docs.map((one) => ({ ...one, doc: new Map([...one.doc].filter(([column]) => column !== 'previously_is_correct')) }))
    expect(publishedAgreements('meta_gpqa', without, samples)).toEqual([])
    const odd = docs.map((one) => ({ ...one, doc: new Map([...one.doc, ['previously_is_correct', 'yes']]) }))
    expect(publishedAgreements('meta_gpqa', odd, samples)).toEqual([])
  })

  it('are averaged over docs and over subtasks', () => {
    const { docs, samples } = runOf('meta_mmlu_pro_instruct')
    const task = { name: 'meta_mmlu_pro_instruct', alias: 'pro', isMean: () => true }
    // math 1, 1; physics 0; law 0, 0.
    const [average, ...others] = subtaskAverages(task, docs, samples)
    expect(average).toMatchObject({ group: task.name, alias: 'pro, subtasks', filter: 'strict-match', tasks: 3, docs: 5 })
    expect(average?.macro).toBeCloseTo(1 / 3, 12)
    expect(average?.micro).toBeCloseTo(0.4, 12)
    expect(others).toEqual([])
    expect(subtaskAverages(task, runOf('meta_math').docs, runOf('meta_math').samples)).toEqual([])
  })

  it('have both averages as a group, each by the score that is published of it', () => {
    const leaves = new Map([
      [
        'meta_ifeval',
        {
          sampleLen: 10,
          values: new Map([
            ['prompt_level_strict_acc,none', 0.6],
            ['inst_level_strict_acc,none', 0.8],
          ]),
        },
      ],
      ['meta_math_hard', { sampleLen: 20, values: new Map([['exact_match,none', 0.2]]) }],
      ['meta_gpqa_cot', { sampleLen: 30, values: new Map([['exact_match,strict-match', 0.3]]) }],
    ])
    const group = { name: 'meta_instruct', alias: 'meta_instruct', leaves: [...leaves.keys()], subgroups: [] }
    const [average] = headlineAverages(group, leaves)
    expect(average).toMatchObject({ metric: "each task's score", filter: 'none', tasks: 3, docs: 60 })
    expect([average?.macro, average?.micro]).toEqual([expect.closeTo(0.4, 12), expect.closeTo(20 / 60, 12)])
    const other = new Map([...leaves, ['arc', { sampleLen: 5, values: new Map([['acc,none', 0.5]]) }] as const])
    expect(headlineAverages({ ...group, leaves: [...other.keys()] }, other)).toEqual([])
  })

  it('leave their agreements in our key of the results file', () => {
    const { docs, samples } = runOf('meta_bbh')
    const agreements = publishedAgreements('meta_bbh', docs, samples)
    // Three of four right each time, two docs changed sides: (1/2 - 5/8) / (3/8).
    const closeTo: unknown = expect.closeTo(-1 / 3, 12)
    const block = ownBlock({ scores: [], averages: [], recipes: [], agreements })
    expect(toJson(block)).toMatchObject({
      agreements: [{ task: 'meta_bbh', metric: 'exact_match,strict-match', n: 4, gained_doc_ids: [1], lost_doc_ids: [2], kappa: closeTo }],
    })
  })
})
