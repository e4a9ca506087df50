/** A made run of many docs, the same for the same seed: multiple choice with prompts as long as MMLU's with five examples, every fifth doc a reply. */
import type { RunResults } from '../../../src/contracts/results.ts'
import type { RunRow } from '../../../src/contracts/runs.ts'
import type { SampleChoice, SampleView } from '../../../src/contracts/samples.ts'
import { argmax } from '../../../src/harness/metrics/means.ts'
import { PyRandom } from '../../../src/python/random.ts'

export interface MadeRunOptions {
  readonly docs: number
  readonly seed: number
}

export const madeRunId = 'made-run'
export const madeTasks = ['made_choices', 'made_replies'] as const

/** Examples that all prompts share, in characters. */
const sharedCharacters = 2_600
const words =
  'river stone water harvest signal copper window market theory winter garden letter engine island measure Éclair mkate ọ̀rọ̀ 水'.split(' ')

/** The samples of both tasks, in the order of their files. */
export function madeSamples({ docs, seed }: MadeRunOptions): { readonly [task in (typeof madeTasks)[number]]: readonly SampleView[] } {
  const random = new PyRandom(seed)
  const draw = (): number => random.random()
  const text = (count: number): string => Array.from({ length: count }, () => words[Math.floor(draw() * words.length)] ?? '').join(' ')
  const shared = `Answer the questions.\n\n${'Question: what was it?\nAnswer: it was that\n\n'.repeat(Math.ceil(sharedCharacters / 44))}`
  const replies = Math.floor(docs / 5)
  return {
    made_choices: Array.from({ length: docs - replies }, (_, docId) => madeChoice(docId, shared, { draw, text })),
    made_replies: Array.from({ length: replies }, (_, docId) => madeReply(docId, shared, { draw, text })),
  }
}

interface Draws {
  readonly draw: () => number
  readonly text: (words: number) => string
}

function madeChoice(docId: number, shared: string, { draw, text }: Draws): SampleView {
  const choices = Array.from({ length: 4 }, (): SampleChoice => {
    const tokens = Array.from({ length: 1 + Math.floor(draw() * 6) }, () => -draw() * 3)
    return {
      text: text(tokens.length),
      logprob: tokens.reduce((sum, one) => sum + one, 0),
      isGreedy: false,
      unconditional: null,
      tokens: { ids: tokens.map((_, at) => at), texts: tokens.map(() => ' x'), logprobs: tokens },
    }
  })
  const pickBy = (length: (choice: SampleChoice) => number): number => argmax(choices.map((choice) => choice.logprob / length(choice)))
  const acc = pickBy(() => 1)
  const gold = Math.floor(draw() * 4)
  const prompt = `${shared}Question: ${text(40)} ${docId}?\nAnswer:`
  const acc_norm = pickBy((choice) => Array.from(choice.text).length)
  return {
    task: 'made_choices',
    docId,
    filter: 'none',
    prompt,
    target: String(gold),
    choices,
    gold: [gold],
    picks: { acc, acc_norm, acc_bytes: pickBy((choice) => new TextEncoder().encode(choice.text).length) },
    generated: [],
    metrics: { acc: Number(acc === gold), acc_norm: Number(acc_norm === gold) },
    // The harness's line has the prompt once a choice.
    line: JSON.stringify({ doc_id: docId, arguments: choices.map((choice) => [prompt, ` ${choice.text}`]) }),
  }
}

function madeReply(docId: number, shared: string, { draw, text }: Draws): SampleView {
  const prompt = `${shared}Question: ${text(60)} ${docId}?\nAnswer:`
  const reply = text(80)
  const found = draw() < 0.1 ? '[invalid]' : text(1)
  return {
    task: 'made_replies',
    docId,
    filter: 'strict-match',
    prompt,
    target: text(1),
    choices: [],
    gold: [],
    picks: null,
    generated: [reply],
    filterSteps: [
      { name: 'regex', outputs: [found] },
      { name: 'take_first', outputs: [found] },
    ],
    metrics: { exact_match: draw() < 0.4 ? 1 : 0 },
    line: JSON.stringify({ doc_id: docId, arguments: [[prompt]], resps: [[reply]] }),
  }
}

/** The run as the store keeps it. */
export function madeRun(options: MadeRunOptions): { readonly row: RunRow; readonly results: RunResults } {
  const samples = madeSamples(options)
  const sha256 = '0'.repeat(64)
  const row: RunRow = {
    runId: madeRunId,
    status: 'running',
    epoch: 0,
    updatedAt: '2026-01-01T00:00:00.000Z',
    docsDone: options.docs,
    docsTotal: options.docs,
    error: null,
    manifest: {
      schemaVersion: 1,
      runId: madeRunId,
      createdAt: '2026-01-01T00:00:00.000Z',
      app: { version: '0', build: 'made' },
      settings: {
        model: 'yardstick/pico',
        revision: 'main',
        dtype: 'fp32',
        modelArgs: {},
        device: 'wasm',
        scoring: 'reference',
        tasks: [...madeTasks],
        taskFiles: [],
        dataFiles: {},
        numFewshot: 5,
        limit: null,
        samples: null,
        applyChatTemplate: false,
        fewshotAsMultiturn: null,
        systemInstruction: null,
        genKwargs: {},
        seeds: { random: 0, numpy: 1234, torch: 1234, fewshot: 1234 },
        bootstrapIters: 0,
        predictOnly: false,
        metadata: {},
        useCache: true,
      },
      model: { id: 'yardstick/pico', revision: 'main', commit: 'made', license: null, files: [] },
      tokenizer: { sha256, bos: null, eos: null, pad: null, chatTemplate: null, maxLength: 1024 },
      engine: {
        device: 'wasm',
        deviceReason: 'made',
        dtype: 'fp32',
        scoring: 'reference',
        family: 'decomposed',
        engine: 'made',
        threads: 1,
        adapter: null,
        selfCheck: { status: 'skipped', maxAbsDiff: null, tolerance: 0, maxRunTokens: null, reference: 'none', trials: [], message: '' },
        chunkTokens: null,
        isDynamicallyQuantised: false,
        numericClass: 'made',
      },
      datasets: {},
      tasks: Object.fromEntries(madeTasks.map((task) => [task, { config: { task }, sha256 }])),
      plan: { hash: sha256, requests: 0, batches: 0 },
    },
  }
  const counts = Object.fromEntries(madeTasks.map((task) => [task, { original: samples[task].length, effective: samples[task].length }]))
  const results: RunResults = {
    runId: madeRunId,
    resultsFile: { results: {}, 'n-samples': counts },
    samples,
    table: { tasks: [], groups: [] },
    warnings: [],
    resultsText: '{}',
    tableText: '',
  }
  return { row, results }
}
