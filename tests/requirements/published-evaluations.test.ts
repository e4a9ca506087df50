/** Section A of docs/requirements.md: data, comparison and fit: each test carries its item. */
import { existsSync, readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { mcnemarExact } from '../../src/analysis/compare/significance.ts'
import { againstColumn, agreementOf } from '../../src/analysis/compare/agreement/agreement.ts'
import { compareTask } from '../../src/analysis/compare/comparability.ts'
import { readResultFile, type ResultFile } from '../../src/analysis/compare/result-file.ts'
import type { Json } from '../../src/base/errors.ts'
import type { RepoFile } from '../../src/contracts/models.ts'
import { loadSplits } from '../../src/data/dataset/dataset.ts'
import { hubClient } from '../../src/data/hub/hub.ts'
import { describeModel, type ModelRepo } from '../../src/evaluation/model/model-source.ts'
import { datasetReference, requiredSplits } from '../../src/harness/tasks/dataset-reference.ts'
import { readTaskConfig } from '../../src/harness/tasks/task-config.ts'
import { readYamlMapping } from '../../src/python/yaml/parse.ts'
import { reply, startFaultHub, type FaultHub } from '../mock-hub/fault-hub.ts'

const commit = 'c'.repeat(40)
let hub: FaultHub
beforeEach(async () => {
  hub = await startFaultHub()
})
afterEach(() => hub.close())

function serve(id: string, files: { readonly [path: string]: string }): void {
  hub.answers.set(`/api/datasets/${id}/revision/`, reply(200, JSON.stringify({ sha: commit })))
  const list = Object.entries(files).map(([path, text]) => ({ type: 'file', path, size: Buffer.byteLength(text) }))
  hub.answers.set(`/api/datasets/${id}/tree/`, reply(200, JSON.stringify(list)))
  for (const [path, text] of Object.entries(files)) hub.answers.set(`/datasets/${id}/resolve/${commit}/${path}`, reply(200, text))
}

/** Loads the splits that a task file asks for, as a run does. */
function loadTask(yaml: string, token: string | null = null) {
  const config = readTaskConfig(readYamlMapping(`task: t\noutput_type: generate_until\n${yaml}`, 't.yaml'), 't.yaml')
  const client = hubClient({ base: hub.address, fetch, token, tokenOrigin: new URL(hub.address).origin })
  return loadSplits(datasetReference(config), requiredSplits(config, 0), { hubOf: () => client, fetch, dataFiles: {} })
}
const lines = (rows: readonly object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('')

describe('the rows of a published evaluation', () => {
  const name = 'Llama-3.1-8B-Instruct-evals__mmlu_pro__details'
  const yaml = `dataset_path: meta/evals\ndataset_name: ${name}\ntest_split: latest\ndoc_to_text: q\ndoc_to_target: a\n`
  const files = {
    'README.md': `---\nconfigs:\n- config_name: ${name}\n  data_files:\n  - split: latest\n    path: mmlu_pro/*.jsonl\n- config_name: other\n  data_files:\n  - split: latest\n    path: other.jsonl\n---\n`,
    'mmlu_pro/2024.jsonl': lines([{ q: 'x', a: 'A' }]),
    'other.jsonl': lines([{ q: 'y', a: 'B' }]),
  }

  it('A: test_split: latest, dataset_path/name: any split of any config loads by its name', async () => {
    serve('meta/evals', files)
    const { tables, origin } = await loadTask(yaml)
    expect(tables).toEqual({ latest: { columns: expect.anything() as unknown, rows: [['x', 'A']] } })
    expect(origin).toMatchObject({ path: 'meta/evals', name, commit })
    await expect(loadTask(yaml.replace('latest', 'newest'))).rejects.toMatchObject({
      code: 'dataset/not-found',
      message: expect.stringMatching(/newest.*latest/) as string,
    })
  })

  it('A: Gated collections login: refused with the page whose terms to accept, then read with a token', async () => {
    const gate = '/api/datasets/meta/evals/'
    hub.answers.set(gate, reply(403, '', { 'X-Error-Code': 'GatedRepo' }))
    await expect(loadTask(yaml)).rejects.toMatchObject({
      code: 'hub/gated',
      message: expect.stringMatching(/terms.*\/datasets\/meta\/evals/) as string,
    })
    hub.answers.delete(gate)
    serve('meta/evals', files)
    hub.requests.length = 0
    const { tables } = await loadTask(yaml, 'hf_made')
    expect(tables['latest']?.rows).toEqual([['x', 'A']])
    expect(new Set(hub.requests.map(({ authorization }) => authorization))).toEqual(new Set(['Bearer hf_made']))
  })

  it('A: Join to original dataset on question (MATH-Hard, IFEval): five joined, the sixth listed', async () => {
    serve('meta/evals', { 'test.jsonl': lines(['one', 'two', 'three', 'four', 'five', 'six'].map((q) => ({ q, previous: 1 }))) })
    serve('orig/math', { 'test.jsonl': lines(['five', 'four', 'three', 'two', 'one'].map((problem) => ({ problem, a: `${problem}!` }))) })
    const join = `dataset_kwargs: {join: {dataset_path: orig/math, split: test, on: {q: problem}, columns: [a]}}\n`
    const { tables, origin } = await loadTask(`dataset_path: meta/evals\ntest_split: test\ndoc_to_text: q\ndoc_to_target: a\n${join}`)
    expect(tables['test']?.rows.map((row) => row[2])).toEqual(['one!', 'two!', 'three!', 'four!', 'five!'])
    expect(origin.warnings).toEqual([expect.stringMatching(/5 joined, 1 unmatched: "six"/)])
  })
})

describe('A: previously_is_correct', () => {
  const verdicts = [true, true, true, true, true, true, false, false, false, false]
  // Docs 1 and 2 are wrong now, doc 9 is right now.
  const now = [1, 0, 0, 1, 1, 1, 0, 0, 0, 1]
  const docs = verdicts.map((held, docId) => ({ docId, doc: new Map([['previously_is_correct', held]]), value: now[docId] ?? 0 }))

  it('of ten docs three disagree: which, how many each way, and kappa', () => {
    const { agreement, withoutReference } = againstColumn(docs, 'previously_is_correct')
    expect(agreement).toMatchObject({ n: 10, agree: 7, disagree: 3, gained: [9], lost: [1, 2], difference: -0.1 })
    // Observed .7; by chance .5 * .6 + .5 * .4 = .5.
    expect(agreement.kappa).toBeCloseTo(0.4, 12)
    expect(agreement.p).toBe(1)
    expect(withoutReference).toEqual([])
  })

  it('reads numbers and lists of one, lists docs without a value, and refuses a column that says neither', () => {
    const odd = [
      { docId: 0, doc: new Map([['is_correct', [1]]]), value: 1 },
      { docId: 1, doc: new Map([['is_correct', 0]]), value: 0 },
      { docId: 2, doc: new Map([['is_correct', null]]), value: 1 },
    ]
    expect(againstColumn(odd, 'is_correct')).toMatchObject({ agreement: { n: 2, agree: 2, kappa: 1 }, withoutReference: [2] })
    expect(() => againstColumn(odd, 'nothing')).toThrow(expect.objectContaining({ code: 'dataset/schema' }))
    expect(() => againstColumn([{ docId: 4, doc: new Map([['is_correct', 'yes']]), value: 1 }], 'is_correct')).toThrow(/doc 4/)
  })

  it('tests the docs that changed sides exactly', () => {
    expect(mcnemarExact(10, 2)).toBeCloseTo(0.0386, 4)
    expect([mcnemarExact(0, 0), mcnemarExact(5, 5), mcnemarExact(0, 1)]).toEqual([1, 1, 1])
    expect(() => agreementOf([])).toThrow(expect.objectContaining({ code: 'metric/failed' }))
  })
})

describe('A: "not comparable to Leaderboard v2"', () => {
  const base = {
    configs: {
      mmlu_pro: {
        output_type: 'multiple_choice',
        dataset_path: 'TIGER-Lab/MMLU-Pro',
        test_split: 'test',
        doc_to_text: '{{question}}',
        num_fewshot: 5,
        metric_list: [{ metric: 'acc', aggregation: 'mean' }],
      },
    },
    results: { mmlu_pro: { alias: 'mmlu_pro', 'acc,none': 0.3, 'acc_stderr,none': 0.01 } },
    'n-samples': { mmlu_pro: { original: 12032, effective: 12032 } },
    'n-shot': { mmlu_pro: 5 },
    versions: { mmlu_pro: 0.1 },
    config: { model: 'hf', model_args: { pretrained: 'a/b', dtype: 'bfloat16' }, fewshot_seed: 1234 },
    lm_eval_version: '0.4.13',
    chat_template_sha: null,
  }
  const file = (change: { readonly [key: string]: Json } = {}, name = 'left'): ResultFile => readResultFile({ ...base, ...change }, name)
  const published = {
    configs: {
      mmlu_pro: {
        ...base.configs.mmlu_pro,
        output_type: 'generate_until',
        num_fewshot: 0,
        doc_to_text: '{{input_final_prompts[0]}}',
        filter_list: [{ name: 'strict-match', filter: [{ function: 'regex', regex_pattern: 'best answer is ([A-Z])' }] }],
        metric_list: [{ metric: 'exact_match', aggregation: 'mean' }],
      },
    },
    results: { mmlu_pro: { alias: 'mmlu_pro', 'exact_match,strict-match': 0.47, 'exact_match_stderr,strict-match': 0.01 } },
    'n-shot': { mmlu_pro: 0 },
  }

  it('is red where prompt, metric and parser differ, and each is a reason', () => {
    const { verdict, reasons } = compareTask(file(), file(published, 'right'), 'mmlu_pro')
    expect(verdict).toBe('red')
    expect(new Set(reasons.map(({ about }) => about))).toEqual(new Set(['metric', 'prompt', 'few-shot', 'parser']))
    expect(reasons.find(({ key }) => key === 'filter_list')?.sentence).toMatch(
      /^Another parser: filter_list is not set in one and .*best answer is/,
    )
  })

  it('is green for two models asked alike, whatever their templates are', () => {
    const other = { config: { ...base.config, model_args: { pretrained: 'c/d', dtype: 'bfloat16' } }, chat_template_sha: 'y' }
    expect(compareTask(file({ chat_template_sha: 'x' }), file(other), 'mmlu_pro')).toEqual({ verdict: 'green', reasons: [] })
  })

  it.each([
    ['amber', { lm_eval_version: '0.4.3' }, 'software'],
    ['amber', { versions: { mmlu_pro: 1 } }, 'task'],
    ['amber', { config: { ...base.config, batch_size: 16 } }, 'numerics'],
    ['amber', { configs: {} }, 'task'],
    ['red', { chat_template_sha: 'x' }, 'chat'],
    ['red', { 'n-samples': { mmlu_pro: { original: 12032, effective: 100 } } }, 'docs'],
    ['red', { config: { ...base.config, fewshot_seed: 1 } }, 'few-shot'],
    ['red', { results: {} }, 'task'],
  ] as const)('is %s for %j', (verdict, change, about) => {
    const compared = compareTask(file(), file(change, 'right'), 'mmlu_pro')
    expect([compared.verdict, compared.reasons.map((reason) => reason.about)]).toEqual([verdict, [about]])
  })

  it('refuses what is no result file', () => {
    expect(() => readResultFile([], 'x.json')).toThrow(/x\.json is no result file/)
    expect(() => readResultFile({ scores: {} }, 'x.json')).toThrow(expect.objectContaining({ code: 'settings/invalid' }))
  })

  const goldens = new URL('../../../shared/goldens/smollm2-135m-instruct/', import.meta.url)
  const isHere = existsSync(goldens)
  if (!isHere) console.log("skipped: the harness's result files are not beside this repository")
  it.skipIf(!isHere)('tells real files of the harness apart, also those that do not say how they used the chat template', () => {
    const read = (id: string): ResultFile => {
      // The harness wrote it.
      const parsed = JSON.parse(readFileSync(new URL(`${id}/results.json`, goldens), 'utf8')) as Json
      return readResultFile(parsed, id)
    }
    const [plain, chat] = [read('arc_challenge_3shot'), read('arc_challenge_3shot_chat_multiturn')]
    const task = Object.keys(plain.results)[0] ?? ''
    expect(compareTask(plain, plain, task)).toMatchObject({ verdict: 'amber', reasons: [{ about: 'chat', level: 'amber' }] })
    expect(compareTask(plain, chat, task)).toMatchObject({
      verdict: 'red',
      reasons: [{ about: 'docs' }, { about: 'chat', level: 'amber' }],
    })
  })
})

describe('A: Model names 8B–405B', () => {
  const file = (path: string, bytes: number): RepoFile => ({ path, bytes, oid: null, sha256: null })
  const fetched: string[] = []
  const repoOf = (files: readonly RepoFile[]): ModelRepo => ({
    snapshot: { kind: 'model', id: 'meta/Llama-3.1-405B', requestedRevision: 'main', commit, files: [...files], license: null },
    fetch: async ({ path }) => {
      fetched.push(path)
      const config = {
        architectures: ['LlamaForCausalLM'],
        num_hidden_layers: 126,
        hidden_size: 16384,
        num_attention_heads: 128,
        num_key_value_heads: 8,
        vocab_size: 128256,
        max_position_embeddings: 131072,
      }
      return new TextEncoder().encode(JSON.stringify(config))
    },
    fetchBlob: ({ path }) => Promise.reject(new Error(`${path} was asked for`)),
    readRange: ({ path }) => Promise.reject(new Error(`${path} was asked for`)),
    openOther: (id) => Promise.reject(new Error(`${id} was asked for`)),
  })
  const surroundings = { device: 'auto', adapter: null, storageBytes: null } as const
  const signal = new AbortController().signal

  it('a conversion of 405B is refused dtype by dtype with what it needs, and nothing but config.json is fetched', async () => {
    fetched.length = 0
    const files = [
      file('config.json', 900),
      file('tokenizer.json', 9e6),
      file('onnx/model_q4.onnx', 2e6),
      file('onnx/model_q4.onnx_data', 228e9),
    ]
    const { description } = await describeModel(repoOf(files), { format: null, dtype: null }, surroundings, signal)
    expect(description.defaultDtype).toBeNull()
    expect(description.dtypes[0]?.refusal).toMatch(/needs about \d+\.\d GiB \(weights 212\.3 GiB,/)
    expect(fetched).toEqual(['config.json'])
  })

  it('one without ONNX files is refused with what its weights take, before anything is fetched', async () => {
    fetched.length = 0
    const shards = Array.from({ length: 191 }, (_, i) => file(`model-${i}-of-191.safetensors`, 812e9 / 191))
    await expect(
      describeModel(repoOf([file('config.json', 900), ...shards]), { format: null, dtype: null }, surroundings, signal),
    ).rejects.toMatchObject({
      code: 'model/no-onnx',
      message: expect.stringMatching(/weights in another format, which need about 812\.0 GB/) as string,
    })
    expect(fetched).toEqual([])
  })
})
