/** Doubles at the rim of an evaluation: a text worker with numbers for prompts, a model that hashes token ids, a store in memory. */
import { EvalError } from '../../src/base/errors.ts'
import type { BuiltTask, RequestAnswer } from '../../src/contracts/built-task.ts'
import type { EngineFacts } from '../../src/contracts/engine.ts'
import type { Draft, ForwardItem, GenerationItem, ItemAnswer } from '../../src/contracts/items.ts'
import { isGeneration } from '../../src/contracts/items.ts'
import type { ModelDescription, TokenizerFacts } from '../../src/contracts/models.ts'
import type { RunEvent } from '../../src/contracts/progress.ts'
import type { RunResults } from '../../src/contracts/results.ts'
import type { RunSettings } from '../../src/contracts/run-settings.ts'
import type { RunRow } from '../../src/contracts/runs.ts'
import { writeTexts, type TextEngineSteps } from '../../src/evaluation/model/write-text.ts'
import type { Evaluation, ResolvedModel, RunStore } from '../../src/evaluation/ports.ts'
import type { TextWorkerApi } from '../../src/rpc/text-api.ts'
import { joinParts } from '../../src/storage/draft-rows.ts'
import type { DraftGrowth } from '../../src/storage/store.ts'
import { defaultSettings } from '../support/default-settings.ts'

export const settings: RunSettings = { ...defaultSettings, device: 'wasm', bootstrapIters: 100 }

export const facts: EngineFacts = {
  device: 'wasm',
  deviceReason: 'asked for',
  dtype: 'q4',
  scoring: 'reference',
  family: 'decomposed',
  engine: 'made 1.0',
  threads: 1,
  adapter: null,
  selfCheck: { status: 'skipped', maxAbsDiff: null, tolerance: 1e-3, maxRunTokens: null, reference: 'none', trials: [], message: '' },
  chunkTokens: null,
  isDynamicallyQuantised: false,
  numericClass: 'made',
}

const dtypes = [{ dtype: 'q4', file: 'onnx/model_q4.onnx', externalFiles: [], bytes: 10, refusal: null }]

const description: ModelDescription = {
  id: 'made/model',
  revision: 'main',
  commit: 'c'.repeat(40),
  license: 'apache-2.0',
  architecture: 'made',
  maxLength: 64,
  format: 'onnx',
  forms: [{ format: 'onnx', dtypes, defaultDtype: 'q4', refusal: null }],
  dtypes,
  defaultDtype: 'q4',
}

const tokenizer: TokenizerFacts = { sha256: 'd'.repeat(64), bos: null, eos: null, pad: null, chatTemplate: null, maxLength: 64 }

/** A task of `docs` docs with two choices each. */
export function madeTask(docs: number): BuiltTask {
  const requests = Array.from({ length: docs * 2 }, (_, index) => ({
    docId: index >> 1,
    idx: index & 1,
    pieces: [{ input: Int32Array.of(1, index >> 1, index & 1), target: Int32Array.of(index & 1, 5) }],
  }))
  return { name: 'made', docs, docsOriginal: docs, requests, warnings: [] }
}

/** A task of `docs` docs, each asking for `repeats` texts of 20 tokens at most. */
export function madeTextTask(docs: number, repeats = 1, seedOf: (docId: number, repeat: number) => number | null = () => null): BuiltTask {
  const requests = Array.from({ length: docs }, (_, docId) => ({
    docId,
    idx: 0,
    pieces: [],
    generations: Array.from({ length: repeats }, (__, repeat) => madeText([1, docId], { seed: seedOf(docId, repeat) })),
  }))
  return { name: 'made', docs, docsOriginal: docs, requests, warnings: [] }
}

/** A text to be written after `input`; with a seed it is sampled. Token 3 ends it. */
export function madeText(
  input: readonly number[],
  {
    seed = null,
    stops = ['7'],
    maxNewTokens = 20,
  }: { readonly seed?: number | null; readonly stops?: readonly string[]; readonly maxNewTokens?: number } = {},
): GenerationItem {
  return {
    input: Int32Array.from(input),
    stops,
    decoding: {
      maxNewTokens,
      minNewTokens: 0,
      endTokens: [3],
      repetitionPenalty: 1,
      noRepeatNgramSize: 0,
      badWords: [],
      suppressTokens: [],
      beginSuppressTokens: [],
      sampling: seed === null ? null : { temperature: 1, topK: 0, topP: 1, minP: null, typicalP: 1, seed },
    },
  }
}

/** What the made engine writes, without regard to stop strings. */
export function madeTokens({ input, decoding }: GenerationItem): number[] {
  let state = [...input].reduce((sum, token) => (Math.imul(sum, 31) + token) | 0, 7 + (decoding.sampling?.seed ?? 0))
  const tokens: number[] = []
  while (tokens.length < decoding.maxNewTokens && !decoding.endTokens.includes(tokens.at(-1) ?? -1)) {
    state = (Math.imul(state, 1103515245) + 12345) | 0
    tokens.push((state >>> 16) % 40)
  }
  return tokens
}

/** Three tokens a part. Each text it begins is noted in `asked`, each token that it writes in `wrote`. */
function madeWriter(asked: string[], wrote: (token: number) => void): TextEngineSteps {
  let texts: { readonly item: GenerationItem; readonly tokens: readonly number[]; isOpen: boolean }[] = []
  let at = 0
  return {
    async begin(items, written) {
      for (const { input, decoding } of items)
        asked.push(`${input.join()}${decoding.sampling === null ? '' : `#${decoding.sampling.seed}`}`)
      texts = items.map((item, index) => ({ item, tokens: madeTokens(item).slice(written[index]?.length ?? 0), isOpen: true }))
    },
    async next(_limit, ended) {
      for (const index of ended) texts.splice(index, 1, { item: madeText([]), tokens: [], isOpen: false })
      const start = at
      at += 3
      return texts.map((text) => {
        if (!text.isOpen) return null
        const isLast = at >= text.tokens.length
        text.isOpen = !isLast
        const end = !isLast ? null : decodingEnds(text.item, text.tokens) ? 'end-token' : 'length'
        const tokens = text.tokens.slice(start, at)
        tokens.forEach(wrote)
        return { tokens: Int32Array.from(tokens), end }
      })
    },
    end: async () => undefined,
  }
}

function decodingEnds({ decoding }: GenerationItem, tokens: readonly number[]): boolean {
  return decoding.endTokens.includes(tokens.at(-1) ?? -1)
}

/** Log-probability in nats made from token ids alone. */
export function madeLogprob(input: Int32Array, target: Int32Array): number {
  const mixed = [...input, -1, ...target].reduce((sum, token) => (Math.imul(sum, 31) + token) | 0, 7)
  return -(Math.abs(mixed) % 1000) / 100
}

export interface MemoryRunStore extends RunStore {
  readonly answers: Map<string, ItemAnswer>
  readonly commits: number[]
  readonly journals: Map<string, { planIndex: number; keys: readonly string[] }[]>
  readonly growths: DraftGrowth[]
  failCommitAt: number | null
  row(runId: string): RunRow
}

export function memoryRunStore(): MemoryRunStore {
  const rows = new Map<string, RunRow>()
  const answers = new Map<string, ItemAnswer>()
  const commits: number[] = []
  const journals: MemoryRunStore['journals'] = new Map()
  const growths: DraftGrowth[] = []
  const row = (runId: string): RunRow => {
    const found = rows.get(runId)
    if (found === undefined) throw new EvalError('run/not-found', `no run ${runId}`)
    return found
  }
  return {
    row,
    answers,
    commits,
    journals,
    growths,
    failCommitAt: null,
    async createRun(made) {
      rows.set(made.runId, made)
    },
    async takeRun(runId) {
      const epoch = row(runId).epoch + 1
      rows.set(runId, { ...row(runId), epoch, status: 'running' })
      return epoch
    },
    async recall(keys) {
      return new Map(
        keys.flatMap((key): [string, ItemAnswer][] => {
          const answer = answers.get(key)
          return answer === undefined ? [] : [[key, answer]]
        }),
      )
    },
    async commitBatch({ runId, epoch, planIndex, entries, docsDone }) {
      if (row(runId).epoch !== epoch) throw new EvalError('storage/fenced', 'another writer')
      if (this.failCommitAt === planIndex) throw new EvalError('storage/quota', 'full')
      const journal = journals.get(runId) ?? []
      if (journal.some((entry) => entry.planIndex === planIndex)) throw new EvalError('storage/fenced', 'done already')
      journals.set(runId, [...journal, { planIndex, keys: entries.map(({ key }) => key) }])
      commits.push(planIndex)
      const conflicts = entries.flatMap(({ key, answer }) => {
        const kept = answers.get(key)
        if (kept === undefined) answers.set(key, answer)
        return kept === undefined || JSON.stringify(kept) === JSON.stringify(answer) ? [] : [{ key, answer: kept }]
      })
      rows.set(runId, { ...row(runId), docsDone: docsDone ?? row(runId).docsDone })
      return { conflicts }
    },
    async keepDrafts(growth) {
      if (row(growth.runId).epoch !== growth.epoch) throw new EvalError('storage/fenced', 'another writer')
      growths.push(growth)
    },
    async draftsOf(): Promise<ReadonlyMap<string, Draft>> {
      return joinParts(growths.flatMap(({ parts }) => parts))
    },
    async journalOf(runId) {
      return journals.get(runId) ?? []
    },
    async reviseJournal(runId, epoch, { drop, add }) {
      if (row(runId).epoch !== epoch) throw new EvalError('storage/fenced', 'another writer')
      journals.set(runId, [...(journals.get(runId) ?? []).filter(({ planIndex }) => !drop.includes(planIndex)), ...add])
    },
    async finishRun(runId, _epoch, end) {
      rows.set(runId, { ...row(runId), ...end })
    },
    async saveResults() {
      return undefined
    },
    async listRuns() {
      return [...rows.values()]
    },
  }
}

export interface MadeEvaluation extends Evaluation {
  readonly events: RunEvent[]
  readonly given: RequestAnswer[]
  /** Items that the model was asked for, as text. */
  readonly asked: string[]
  readonly controller: AbortController
  opened: number
}

export function madeEvaluation(
  task: BuiltTask,
  store: RunStore,
  onScore: (item: ForwardItem) => void = () => undefined,
  onWrite: (item: GenerationItem) => void = () => undefined,
  /** Called for each token that the engine writes. */
  onToken: (token: number) => void = () => undefined,
): MadeEvaluation {
  const events: RunEvent[] = []
  const given: RequestAnswer[] = []
  const asked: string[] = []
  const controller = new AbortController()
  let ids = 0
  let ms = 0
  const results = (runId: string): RunResults => ({
    runId,
    resultsFile: {},
    resultsText: '',
    samples: {},
    table: { tasks: [], groups: [] },
    tableText: '',
    warnings: [],
  })
  const text: TextWorkerApi = {
    loadTokenizer: async () => tokenizer,
    loadTasks: async () => ({ tasks: [], problems: [] }),
    resolve: async () => [
      {
        name: 'made',
        file: 'made.yaml',
        outputType: 'multiple_choice',
        dataset: { path: 'made', name: null, kwargs: {}, dataFiles: null },
        splits: ['test'],
        needsAllRows: false,
        config: {},
      },
    ],
    build: async () => task,
    preview: async () => [],
    watchGeneration: async (tokens, seen, stops) => {
      // A stop string stands for the token of its number here.
      const at = tokens.findIndex((token, index) => index >= seen && stops.includes(String(token)))
      return { stopAfter: at < 0 ? null : at + 1, tail: tokens.join(' ') }
    },
    answer: async (_name, answers) => {
      given.push(...answers)
    },
    runningScores: async () => [],
    results: async ({ manifest }) => {
      if (given.length !== task.requests.length) throw new EvalError('internal', `${given.length} of ${task.requests.length} answers`)
      return results(manifest.runId)
    },
    docHashes: async () => ({ taskHash: '', docs: [] }),
    clusterTasks: async (rows) => ({ names: Object.keys(rows), files: [] }),
  }
  const model: ResolvedModel = {
    description,
    tokenizerSource: null,
    notes: [],
    tokenizerFiles: {
      tokenizerJson: '',
      tokenizerConfig: '',
      specialTokensMap: null,
      chatTemplate: null,
      generationConfig: null,
      config: '{}',
    },
    filesOf: async () => [{ path: 'onnx/model_q4.onnx', bytes: 10, sha256: 'e'.repeat(64) }],
    refusalFor: () => null,
    fetch: async () => ({ graph: new Uint8Array(), externalData: [], config: '{}' }),
  }
  const evaluation: MadeEvaluation = {
    events,
    given,
    asked,
    controller,
    opened: 0,
    text,
    store,
    models: { resolve: async () => model },
    data: { load: async () => ({ tables: {}, origin: { path: 'made', name: null, commit: null, files: [] } }) },
    opener: {
      async open() {
        evaluation.opened += 1
        return {
          facts,
          score: async (items) =>
            items.map((item) => {
              onScore(item)
              asked.push(item.input.join())
              const answers = item.targets.map((target) => ({ logprob: madeLogprob(item.input, target), isGreedy: false }))
              return { answers, tokenLogprobs: item.targets.map((target) => new Float32Array(target.length)) }
            }),
          generate: (items, watcher, _prefixes, drafts) => {
            items.forEach(onWrite)
            return writeTexts(items, watcher, madeWriter(asked, onToken), drafts)
          },
          stats: async () => ({ runs: asked.length, tokens: 0 }),
        }
      },
      knownFacts: async (_model, _dtype, _settings, runs) => runs[0]?.manifest.engine ?? null,
    },
    bundledTasks: async () => ({ name: 'bundled', files: [] }),
    keysOf: async (_basis, items, repeat) =>
      items.map(
        (item) =>
          `${item.input.join()}|${isGeneration(item) ? JSON.stringify([item.stops, item.decoding]) : item.targets.join('|')}|${repeat ?? ''}`,
      ),
    exclusively: (_runId, body) => body(),
    emit: (event) => events.push(event),
    signal: controller.signal,
    app: { version: '0', build: 'test' },
    now: () => new Date(0),
    clock: () => (ms += 200),
    newRunId: () => `run-${(ids += 1)}`,
  }
  return evaluation
}
