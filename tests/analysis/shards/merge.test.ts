/** Shards of a run: every doc falls to one, few-shot examples stay, and the parts merge to the files of the whole run. */
import { beforeAll, describe, expect, test } from 'vitest'
import { mergeShards, type ShardFiles } from '../../../src/analysis/shards/merge.ts'
import { mergedOwn } from '../../../src/analysis/shards/merged-own.ts'
import { parseTypedJson } from '../../../src/app/open/loose-json.ts'
import { isShard, mergeOpened } from '../../../src/app/open/merge-opened.ts'
import { openFiles } from '../../../src/app/open/open-files.ts'
import { sha256 } from '../../../src/base/sha256.ts'
import type { RequestAnswer } from '../../../src/contracts/built-task.ts'
import type { RunResults } from '../../../src/contracts/results.ts'
import type { RunSettings } from '../../../src/contracts/run-settings.ts'
import { parseShard, shardText, type Shard } from '../../../src/contracts/shard.ts'
import { shardDocs } from '../../../src/harness/requests/shard-docs.ts'
import { resultsText } from '../../../src/harness/results/results-file.ts'
import { isDict, pyFloat, toJson, type PyDict, type PyValue } from '../../../src/python/value.ts'
import { TextEngine } from '../../../src/text-worker/text-engine.ts'
import { runManifest } from '../../app/builders.ts'
import { bundledSources } from '../../evaluation/bundled-folder.ts'

const docs = Array.from({ length: 100 }, (_, id): PyDict => new Map([['question', `what is ${id}?`]]))

describe('a shard', () => {
  test('asks each doc in one part, whatever the order, and the overlap in every part', () => {
    const parts = [1, 2, 3].map((index) => shardDocs(docs, { index, count: 3, overlap: 0 }))
    expect(docs.map((_, at) => parts.filter((part) => part[at]).length)).toEqual(docs.map(() => 1))
    const turned = shardDocs([...docs].reverse(), { index: 2, count: 3, overlap: 0 })
    expect([...turned].reverse()).toEqual(parts[1])
    const shared = [1, 2, 3].map((index) => shardDocs(docs, { index, count: 3, overlap: 5 }))
    expect(docs.filter((_, at) => shared.every((part) => part[at]))).toHaveLength(5)
  })

  test('is never without docs, and is named as i/n', () => {
    const parts = Array.from({ length: 50 }, (_, at) => shardDocs(docs.slice(0, 2), { index: at + 1, count: 50, overlap: 0 }))
    expect(parts.every((part) => part.includes(true))).toBe(true)
    expect(parseShard('2/3', 4)).toEqual({ index: 2, count: 3, overlap: 4 })
    expect(parseShard('1/8+5')).toEqual({ index: 1, count: 8, overlap: 5 })
    for (const name of ['1/8+5', '2/3']) expect(shardText(parseShard(name) ?? { index: 0, count: 0, overlap: 0 })).toBe(name)
    for (const wrong of ['0/3', '4/3', '1', '1/3/5', 'a/b', '-1/3']) expect(parseShard(wrong, 0), wrong).toBeNull()
  })
})

const tasks = ['yardstick', 'yardstick_wordproblems', 'yardstick_text']

/** A run with made-up answers, which hang on the doc and the request alone, as a model's do. */
async function runOf(shard: Shard | null): Promise<RunResults> {
  const sources = await bundledSources({ tasks, limit: 14, numFewshot: 2 })
  const settings: RunSettings = { ...sources.settings, bootstrapIters: 200, ...(shard === null ? {} : { shard }) }
  const text = new TextEngine()
  await text.loadTasks([await sources.bundledTasks()], {})
  const leaves = await text.resolve(settings.tasks, settings.numFewshot)
  const { resolved } = await sources.openModel()
  await text.loadTokenizer(resolved.tokenizerFiles, {})
  for (const leaf of leaves) {
    const { tables } = await sources.data.load(leaf.dataset, leaf.splits, settings, () => undefined, sources.signal)
    const { requests } = await text.build(leaf.name, tables, settings)
    const answers = requests.map(({ docId, idx, generations }, request): RequestAnswer => {
      const drawn = Number.parseInt(sha256(`${leaf.name} ${docId} ${idx}`).slice(0, 8), 16)
      if (generations === undefined) return { request, logprob: -(drawn % 1000) / 37 - 0.1, isGreedy: drawn % 3 === 0 }
      return { request, generated: [Int32Array.from([30 + (drawn % 40), 31 + (drawn % 17)])] }
    })
    await text.answer(leaf.name, answers)
  }
  return text.results({
    manifest: { ...runManifest('run-1'), settings },
    provenance: { app: 'test', device: shard === null ? 'whole' : `machine ${shard.index}` },
    startedAtSeconds: 0,
    seconds: 0,
    excluded: [],
    noise: null,
    speed: null,
  })
}

function dictOf(text: string): PyDict {
  const value = parseTypedJson(text)
  if (!isDict(value)) throw new Error(`wanted an object, found ${text}`)
  return value
}

const filesOf = (name: string, { resultsText: text, samples }: RunResults): ShardFiles => ({
  name,
  results: dictOf(text),
  samples: new Map(Object.entries(samples).map(([task, views]) => [task, views.map(({ line }) => ({ text: line, row: dictOf(line) }))])),
})

/** The file's text without what says which machines made it. */
const bare = (results: PyDict): string => resultsText(new Map([...results].filter(([key]) => key !== 'yardstick')))

const pyJson = (value: PyValue): string => JSON.stringify(toJson(value))

function withoutVerdicts(results: PyDict): PyDict {
  const without = (dict: PyDict, key: string, change: (inner: PyDict) => PyDict): PyDict =>
    new Map([...dict].map(([name, value]) => [name, name === key && isDict(value) ? change(value) : value]))
  return without(results, 'yardstick', (own) =>
    without(own, 'shard', (shard) => new Map([...shard].filter(([key]) => key !== 'own_verdicts'))),
  )
}

describe('merged shards', () => {
  let whole: RunResults
  let parts: readonly ShardFiles[]
  beforeAll(async () => {
    whole = await runOf(null)
    const shards = await Promise.all([1, 2, 3].map((index) => runOf({ index, count: 3, overlap: 2 })))
    parts = shards.map((results, at) => filesOf(`s${at + 1}`, results))
  }, 120_000)

  test('are the whole run’s results and samples, byte by byte, in whatever order they come', () => {
    const merged = mergeShards([...parts].reverse())
    expect(merged.missing).toEqual([])
    expect(merged.results === null ? '' : bare(merged.results)).toBe(bare(dictOf(whole.resultsText)))
    for (const [task, lines] of merged.samples) expect(lines, task).toEqual(whole.samples[task]?.map(({ line }) => line))
    expect(merged.samples.size).toBe(8)
    const own = merged.results?.get('yardstick') ?? null
    expect(isDict(own) ? resultsText(own) : '').toContain('machine 2')
  })

  test('have our own scores, averages and counts of the whole run, from the samples and from what shards say of their docs', () => {
    const block = (results: PyDict | null) => (results?.get('yardstick') ?? null) as PyDict
    const [merged, wanted] = [block(mergeShards(parts).results), block(dictOf(whole.resultsText))]
    for (const key of [
      'own_metrics',
      'averages',
      'failures',
      'published_recipes',
      'agreements',
      'recipes',
      'cut_prompts',
      'golds_outside_choices',
    ])
      expect(pyJson(merged.get(key) ?? null), key).toBe(pyJson(wanted.get(key) ?? null))
    // acc_tok divides by tokens, of which no samples file tells.
    expect(pyJson(merged.get('own_metrics') ?? null)).toMatch(/yardstick_facts.*acc_bytes.*acc_tok.*yardstick_swahili.*acc_tok/)
    expect(pyJson(merged.get('averages') ?? null)).toContain('micro_stderr')
    expect(pyJson(merged.get('failures') ?? null)).toContain('strict-match')
    // Shards of earlier versions say nothing of them.
    const older = parts.map((part) => ({ ...part, results: withoutVerdicts(part.results) }))
    const less = block(mergeShards(older).results)
    expect(less.get('own_metrics')).toEqual(new Map())
    expect(pyJson(less.get('averages') ?? null)).toBe(pyJson(wanted.get('averages') ?? null))
  })

  test('name the docs that are missing, and the shard', () => {
    const [first, , third] = parts
    const merged = mergeShards([first, third].flatMap((part) => part ?? []))
    expect(merged.results).toBeNull()
    expect(merged.missingShards).toEqual([2])
    const second = parts[1]?.samples.get('yardstick_facts')?.map(({ row }) => row.get('doc_id')) ?? []
    const others = [first, third].flatMap((part) => part?.samples.get('yardstick_facts')?.map(({ row }) => row.get('doc_id')) ?? [])
    expect(merged.missing.find(({ task }) => task === 'yardstick_facts')?.docs).toEqual(second.filter((id) => !others.includes(id)))
  })

  test('are opened like any run when the page merges opened ones, which tells shards from whole runs', async () => {
    const blobsOf = (results: ShardFiles, date: string) => [
      { name: `results_${date}.json`, file: new Blob([resultsText(results.results)]) },
      ...[...results.samples].map(([task, lines]) => ({
        name: `samples_${task}_${date}.jsonl`,
        file: new Blob(lines.map(({ text }) => `${text}\n`)),
      })),
    ]
    let next = 0
    const open = (files: Parameters<typeof openFiles>[0]) => openFiles(files, () => `run-${(next += 1)}`)
    const opened = await open(parts.flatMap((part, at) => blobsOf(part, `2026-11-22T01-0${at}-00.000000`)))
    expect(opened.map(isShard)).toEqual([true, true, true])
    const merged = mergeOpened(opened)
    expect(merged.agreements.map(({ tasks: agreed }) => agreed.map(({ docs: shared, maxAbsDiff }) => [shared, maxAbsDiff])[0])).toEqual([
      [2, 0],
      [2, 0],
      [2, 0],
    ])
    const [one, ...others] = await open(merged.files)
    expect(others).toEqual([])
    expect(one === undefined ? true : isShard(one)).toBe(false)
    expect(one?.samples.get('yardstick_facts')).toHaveLength(14)
    expect(mergeOpened(opened.slice(1))).toMatchObject({ files: [], missingShards: [1] })
  })

  test('of different runs, and whole runs, are refused by what differs', async () => {
    const [first] = parts
    if (first === undefined) throw new Error('no shard was made')
    const other = filesOf('other', await runOf({ index: 2, count: 4, overlap: 2 }))
    expect(() => mergeShards([first, other])).toThrow(/other is no shard of the run that s1 is one of: 'yardstick.shard' differs/)
    expect(() => mergeShards([filesOf('whole', whole)])).toThrow(/whole: wanted the results of a shard/)
  })
})

test('recipes are counted anew from what each sample says of itself', () => {
  const row = (id: number, shots: number, mass: number): PyDict =>
    new Map<string, PyValue>([
      ['doc_id', id],
      ['doc', new Map<string, PyValue>()],
      [
        'yardstick',
        new Map<string, PyValue>([
          ['num_fewshot', shots],
          ['fits', true],
          ['choice_probabilities', null],
          ['choice_mass', pyFloat(mass)],
        ]),
      ],
    ])
  const token = new Map<string, PyValue>([
    ['choice', 'A'],
    ['bare', 7],
    ['spaced', 9],
  ])
  const said = new Map<string, PyValue>([
    ['task', 't'],
    ['recipe', 'mmlu_original'],
    ['choice_tokens', 'bare'],
    ['token_ids', [token]],
    ['docs', 1],
  ])
  const outcome = {
    ...{ name: 't', alias: 't', config: new Map<string, PyValue>([['output_type', 'multiple_choice']]), version: 1, numFewshot: 5 },
    ...{ metrics: [], samples: { lines: [], values: [], hash: '' }, docsOriginal: 3 },
  }
  const { recipes } = mergedOwn({
    tasks: [{ outcome, rows: [row(0, 5, 0.5), row(1, 5, 0.01), row(2, 3, 0.25)], values: new Map() }],
    ...{ groups: [], results: new Map(), blocks: [new Map<string, PyValue>([['recipes', [said]]])] },
  })
  expect(recipes).toEqual([
    {
      ...{ task: 't', recipe: 'mmlu_original', tokens: [{ choice: 'A', bare: 7, spaced: 9 }], tokensUsed: 'bare', csv: null },
      ...{ shots: { 3: 1, 5: 2 }, docs: 3, lowMassDocs: 1, meanMass: 0.76 / 3 },
    },
  ])
})
