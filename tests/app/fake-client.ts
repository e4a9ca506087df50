/** A run client without workers: made-up models, tasks and runs, with events on a clock. */
import { comparedSample } from '../../src/analysis/compare/compared-run.ts'
import { searchTexts } from '../../src/analysis/viewer/doc-filters.ts'
import { indexDocs } from '../../src/analysis/viewer/doc-index.ts'
import type { RunClient } from '../../src/app/run-client.ts'
import { EvalError, toWire } from '../../src/base/errors.ts'
import { wilsonInterval } from '../../src/base/wilson-interval.ts'
import type { KeptFile } from '../../src/contracts/kept-files.ts'
import type { ModelHit } from '../../src/contracts/models.ts'
import type { QueuedRun, RunSettings } from '../../src/contracts/run-settings.ts'
import type { RunRow } from '../../src/contracts/runs.ts'
import type { SampleView } from '../../src/contracts/samples.ts'
import { readYamlMapping } from '../../src/python/yaml/parse.ts'
import type { Keeping, OnRunEvent, QueueView } from '../../src/rpc/run-worker-api.ts'
import { kindOfConfig, readRunConfig } from '../../src/settings/run-config.ts'
import { isLeft } from '../../src/settings/run-queue.ts'
import {
  embeddedModel,
  engineFacts,
  failedRow,
  modelDescription,
  modelHit,
  resultsRow,
  runManifest,
  runRow,
  runSettings,
  runSummary,
  sample,
  suggestedModel,
  taskListing,
} from './builders.ts'

export interface FakeOptions {
  /** Time between two events of a run; 0 sends them in turn without waiting. */
  readonly stepMs?: number
  /** Stop sending events after this many steps of scoring, as if frozen there. */
  readonly freezeAt?: number
  /** Runs that are stored from the beginning. */
  readonly rows?: readonly RunRow[]
  readonly samples?: readonly SampleView[]
  /** Downloaded files that are kept from the beginning. */
  readonly files?: readonly KeptFile[]
  /** The key of a file that can't be deleted, as a run uses it. */
  readonly busyFile?: string
  /** Whether results are kept; they are unless told otherwise. */
  readonly keeping?: Keeping
  /** Makes every start fail so, before the run is stored. */
  readonly startError?: EvalError
  /** Makes every search of the Hub fail so. */
  readonly searchError?: EvalError
  /** Runs that were left in the queue. */
  readonly queue?: readonly QueuedRun[]
  /** Who goes on with the queue before this tab does. */
  readonly queueHolder?: QueueView['holder']
}

export interface FakeClient extends RunClient {
  /** Names of the methods called so far, in order. */
  readonly calls: string[]
  readonly started: RunSettings[]
  /** Whoever listens to a run of another tab. */
  readonly listeners: { readonly runId: string; readonly onEvent: OnRunEvent }[]
}

export function createFakeClient(options: FakeOptions = {}): FakeClient {
  const { stepMs = 0, freezeAt = Infinity, samples = manySamples(120) } = options
  const indexed = () =>
    [...new Set(samples.map(({ task }) => task))].map((task) =>
      indexDocs(
        task,
        samples.filter((one) => one.task === task),
      ),
    )
  let rows = [...(options.rows ?? [])]
  let files = options.files ?? []
  let queue = options.queue ?? []
  let queueHolder = options.queueHolder ?? 'nobody'
  const stopped = new Set<string>()
  let hasToken = false
  const calls: string[] = []
  const started: RunSettings[] = []
  const listeners: FakeClient['listeners'] = []
  const wait = () => new Promise<void>((resolve) => setTimeout(resolve, stepMs))

  const play = async (runId: string, settings: RunSettings, onEvent: OnRunEvent, from: number): Promise<void> => {
    const total = 400
    const manifest = runManifest(runId, { settings })
    onEvent({ type: 'phase', phase: 'score' })
    for (let done = from; done <= total; done += 8) {
      await wait()
      if (done - from > freezeAt * 8) return
      if (stopped.has(runId)) {
        rows = [runRow(runId, 'interrupted', { manifest, docsDone: done }), ...rows.filter((row) => row.runId !== runId)]
        onEvent({ type: 'done', runId, status: 'interrupted', error: null })
        return
      }
      const counts = {
        docsDone: done,
        docsTotal: total,
        requestsDone: done * 4,
        requestsTotal: total * 4,
        requestsKept: from * 4,
        runs: done * 4,
      }
      const score = (task: string, share: number, n: number) => ({ task, metric: 'acc', value: share, n, ...wilsonInterval(share * n, n) })
      const scores =
        done < 100 ? [score('bench_facts', 0.61, done)] : [score('bench_facts', 0.61, 100), score('bench_words', 0.47, done - 100)]
      if (done >= 100)
        onEvent({
          type: 'generating',
          task: 'bench_problems',
          docId: done,
          tail: `Awa has 3 + 4 = 7 mangoes.\n#### 7\n\n${'A long text goes on and on, line after line. '.repeat(12)}`,
          tokens: 91,
          maxTokens: 256,
          tokensPerSecond: 41.72,
        })
      onEvent({ type: 'progress', ...counts, scores: done === 0 ? [] : scores })
    }
    onEvent({ type: 'phase', phase: 'results' })
    await wait()
    rows = [runRow(runId, 'complete', { manifest }), ...rows.filter((row) => row.runId !== runId)]
    onEvent({ type: 'done', runId, status: 'complete', error: null })
  }

  const open = async (runId: string, settings: RunSettings, onEvent: OnRunEvent, from: number): Promise<void> => {
    onEvent({ type: 'phase', phase: 'tasks' })
    await wait()
    onEvent({ type: 'phase', phase: 'data' })
    onEvent({ type: 'bytes', file: 'facts/test.jsonl', loaded: 48_211, total: 48_211 })
    await wait()
    onEvent({ type: 'phase', phase: 'model' })
    for (const loaded of [400_000, 900_000, 1_300_000]) {
      onEvent({ type: 'bytes', file: 'onnx/model_q4.onnx', loaded, total: 1_300_000 })
      await wait()
    }
    onEvent({ type: 'phase', phase: 'self-check' })
    await wait()
    onEvent({ type: 'engine', facts: engineFacts() })
    onEvent({ type: 'started', runId, manifest: runManifest(runId, { settings }), docsTotal: 400, requestsTotal: 1600 })
    onEvent({ type: 'warning', message: 'bench_words: 3 docs were shortened to the model’s window of 1,024 tokens.' })
    // The rest goes on by itself, as it does in the worker.
    play(runId, settings, onEvent, from).catch((error: unknown) => {
      throw error
    })
  }

  return {
    configure: async () => {
      calls.push('configure')
    },
    calls,
    started,
    listeners,
    listTasks: async (files) => {
      calls.push('listTasks')
      const own = files.filter((file) => /^task:/m.test(file.text))
      const broken = files.filter((file) => !/^task:/m.test(file.text))
      return {
        tasks: [
          ...bundledTasks,
          ...own.map((file) => taskListing(/^task:\s*(\S+)/m.exec(file.text)?.[1] ?? file.path, { root: 'given', file: file.path })),
        ],
        problems: broken.map((file) => ({
          file: file.path,
          message: `line 3, column 7: wanted a mapping with a "task" key, found a list`,
        })),
      }
    },
    openTaskFolder: async (name, files, onFiles) => {
      calls.push(`openTaskFolder ${name}`)
      onFiles?.(files.length, files.length)
      return { tasks: [], problems: [] }
    },
    closeTaskFolder: async () => {
      calls.push('closeTaskFolder')
    },
    checkTaskFiles: async () => ({ tasks: [], problems: [] }),
    explainTask: async () => {
      throw new EvalError('task/unknown', 'The made-up client explains nothing.')
    },
    viewDoc: async () => null,
    filesBehindTasks: async (names, given) => {
      calls.push(`filesBehindTasks ${names.join(',')}`)
      return [...given, { path: 'folder/behind.yaml', text: 'task: behind' }]
    },
    readRunConfig: async ({ path, text }) => (kindOfConfig(readYamlMapping(text, path)) === null ? null : readRunConfig(text, path)),
    restTaskInspector: async () => undefined,
    listModels: async () => [
      embeddedModel(),
      embeddedModel({
        id: 'yardstick/pocket-gqa',
        title: 'Pocket, GroupQueryAttention',
        description: 'The same weights as onnxruntime-genai exports them.',
        revisions: ['main'],
        isDefault: false,
      }),
    ],
    listSuggestedModels: async () => [
      suggestedModel(),
      suggestedModel({ id: 'made-up/larger-360M', title: 'Larger 360M', parameters: '360M', license: null, dtype: null, bytes: null }),
    ],
    describeModel: async (id, revision) => {
      calls.push('describeModel')
      if (id.includes('missing'))
        throw new EvalError('model/not-found', `wanted the model "${id}" at revision "${revision}", found no such repository`)
      return modelDescription({ id, revision })
    },
    listRefs: async (id) => {
      calls.push(`listRefs ${id}`)
      if (id.includes('missing')) throw new EvalError('hub/not-found', 'no such list')
      return { branches: ['main'], tags: ['step-1000', 'step-20', 'step-300'] }
    },
    makeClusterFolder: async (settings) => {
      calls.push('makeClusterFolder')
      return {
        files: [{ path: 'README.md', text: `# ${settings.tasks.join(', ')}\n` }],
        binaries: [{ path: 'model/config.json', bytes: new TextEncoder().encode('{}') }],
        browserFolder: 'browser',
      }
    },
    searchModels: async ({ text, limit }) => {
      calls.push(`searchModels ${text}`)
      await wait()
      if (options.searchError !== undefined) throw options.searchError
      return hubModels.filter(({ id }) => id.toLowerCase().includes(text.toLowerCase())).slice(0, limit)
    },
    useToken: async (token) => {
      calls.push(token === null ? 'useToken null' : 'useToken')
      hasToken = token !== null && !/unknown|write/.test(token)
      if (token?.includes('unknown') === true) return { verdict: 'unknown', name: null }
      if (token?.includes('write') === true) return { verdict: 'may-write', name: 'ada' }
      return { verdict: 'accepted', name: token === null ? null : 'ada' }
    },
    hasToken: async () => hasToken,
    openModelFolder: async (name, files, onBytes) => {
      calls.push('openModelFolder')
      const total = files.reduce((sum, { file }) => sum + file.size, 0)
      onBytes?.(total, total)
      if (files.length === 0)
        throw new EvalError('model/not-found', `Wanted config.json and onnx/model.onnx in the folder '${name}'; found no files.`)
      return `folder:${name}`
    },
    openDataFiles: async () => {
      calls.push('openDataFiles')
    },
    start: async (settings, onEvent) => {
      calls.push('start')
      started.push(settings)
      if (options.startError !== undefined) throw options.startError
      await open('r-2026-live', settings, onEvent, 0)
      return 'r-2026-live'
    },
    resume: async (runId, onEvent, takesOver = false) => {
      calls.push(takesOver ? 'take over' : 'resume')
      stopped.delete(runId)
      await open(runId, rows.find((row) => row.runId === runId)?.manifest.settings ?? runSettings(), onEvent, 136)
    },
    readQueue: async () => ({ runs: queue, holder: queueHolder }),
    addToQueue: async (settings) => {
      const from = Math.max(0, ...queue.map(({ place }) => place))
      const added = settings.map((one, at): QueuedRun => ({
        place: from + at + 1,
        settings: one,
        state: 'waiting',
        runId: null,
        error: null,
      }))
      queue = [...(queue.some(isLeft) ? queue : []), ...added]
      return added.map(({ place }) => place)
    },
    dropFromQueue: async (places) => {
      queue = queue.filter(({ place }) => !places.includes(place))
    },
    takeQueue: async () => {
      if (queueHolder !== 'elsewhere') queueHolder = 'here'
      return queueHolder === 'here'
    },
    leaveQueue: async () => {
      if (queueHolder === 'here') queueHolder = 'nobody'
    },
    async runQueued(place, onEvent) {
      const change = (next: Partial<QueuedRun>) => {
        queue = queue.map((one) => (one.place === place ? { ...one, ...next } : one))
      }
      const entry = queue.find((one) => one.place === place)
      if (entry === undefined) throw new EvalError('run/not-found', 'no such place')
      const { runId } = entry
      change({ state: 'running', runId: runId ?? `queued-${place}` })
      const receive: OnRunEvent = (event) => {
        if (event.type === 'done' && event.status === 'complete') change({ state: 'done', runId: event.runId })
        if (event.type === 'done' && event.status === 'failed') change({ state: 'failed', error: event.error })
        onEvent(event)
      }
      try {
        // `this`, so that a test's own `start` is used.
        if (runId === null) return await this.start(entry.settings, receive)
        await this.resume(runId, receive)
        return runId
      } catch (error) {
        change({ state: 'failed', error: toWire(error) })
        throw error
      }
    },
    listen: (runId, onEvent) => {
      listeners.push({ runId, onEvent })
      return () => {
        listeners.splice(0)
      }
    },
    watchKeeping: async (onChange) => {
      onChange(options.keeping ?? { state: 'kept', error: null })
    },
    checkpoint: async () => {
      calls.push('checkpoint')
    },
    stop: async (runId) => {
      calls.push('stop')
      if (runId !== null) stopped.add(runId)
    },
    previewPrompts: async (settings) =>
      settings.tasks.map((task) => ({
        task,
        docId: 0,
        target: '1',
        requests: ['Dakar', 'Bamako', 'Ouagadougou'].map((name) => ({
          type: 'loglikelihood' as const,
          context: 'Question: What is the capital of Mali?\nAnswer:',
          continuation: ` ${name}`,
        })),
      })),
    listRuns: async () => rows,
    loadResults: async (runId) => {
      calls.push('loadResults')
      const row = rows.find((known) => known.runId === runId)
      return row?.status === 'complete' ? fullSummary(runId) : null
    },
    samplesOf: async (_, task, { offset, count }) => {
      calls.push('samplesOf')
      const all = samples.filter((one) => one.task === task)
      return { task, offset, total: all.length, samples: all.slice(offset, offset + count) }
    },
    comparedSamplesOf: async (_, task, { offset, count }) => {
      calls.push('comparedSamplesOf')
      const all = samples.filter((one) => one.task === task).map(comparedSample)
      return { total: all.length, samples: all.slice(offset, offset + count) }
    },
    docIndexesOf: async () => {
      calls.push('docIndexesOf')
      return indexed().map(({ index }) => index)
    },
    searchDocs: async (_, searched) => {
      calls.push('searchDocs')
      return indexed().map(({ search }) => searchTexts(search, searched))
    },
    promptTokens: async ({ prompt }) => ({
      pieces: (prompt.match(/\s*\S+|\s+$/g) ?? []).map((text, at) => ({ text, ids: [at], isSpecial: text.startsWith('<|') })),
      count: prompt.split(' ').length,
      maxLength: 1024,
    }),
    sampleFile: async (_, task) =>
      samples
        .filter((one) => one.task === task)
        .map((one) => `${one.line}\n`)
        .join(''),
    secondOpinion: async (runId) => {
      calls.push(`secondOpinion ${runId}`)
      throw new EvalError('model/no-onnx', 'the fake has no second opinion')
    },
    measureSpeed: async () => {
      throw new EvalError('engine/failed', 'the fake measures nothing')
    },
    deleteRun: async (runId) => {
      rows = rows.filter((row) => row.runId !== runId)
    },
    eraseAll: async () => {
      rows = []
      files = []
    },
    readHubFile: async ({ path }) => {
      throw new EvalError('hub/not-found', `no file '${path}'`)
    },
    scanData: async () => ({ rows: 0, characters: 0, bytes: 0, sha256: '', milliseconds: 0 }),
    storageReport: async () => ({
      usedBytes: files.reduce((sum, file) => sum + file.bytesKept, 2_400_000),
      quotaBytes: 60_000_000_000,
      isPersistent: true,
      runs: rows.length,
      responses: 1600,
      files,
    }),
    exportFiles: async (_files, _folder, onBytes) => {
      calls.push('exportFiles')
      onBytes(1, 1)
    },
    deleteFiles: async (keys) => {
      calls.push('deleteFiles')
      if (options.busyFile !== undefined && keys.includes(options.busyFile))
        throw new EvalError('run/busy', 'wanted to delete a file that nobody uses, found one that a run is using')
      files = files.filter((file) => !keys.includes(file.key))
    },
    verifyFiles: async (keys) => keys.map((key) => ({ key, isIntact: files.some((file) => file.key === key && file.isComplete) })),
    persist: async () => true,
  }
}

/** A history with one run of every status. */
export function historyRows(): RunRow[] {
  const at = (runId: string, createdAt: string, change: Partial<RunSettings> = {}) =>
    runManifest(runId, { createdAt, settings: runSettings(change) })
  return [
    runRow('r-1', 'complete', { manifest: at('r-1', '2026-11-21T09:12:35.572Z') }),
    runRow('r-2', 'interrupted', {
      manifest: at('r-2', '2026-11-21T08:40:02.000Z', {
        model: 'HuggingFaceTB/SmolLM2-135M-Instruct',
        tasks: ['hellaswag', 'arc_easy', 'piqa'],
        limit: 200,
      }),
    }),
    { ...failedRow('r-3'), manifest: at('r-3', '2026-11-20T17:21:44.000Z', { tasks: ['my_task'] }) },
    runRow('r-4', 'complete', { manifest: at('r-4', '2026-11-20T14:03:11.482Z', { model: 'yardstick/pocket-gqa', dtype: 'fp32' }) }),
  ]
}

/** Samples of two tasks and of a generation task with two filters, some with text that tries to misbehave. */
export function manySamples(docs: number): SampleView[] {
  const places = ['Mali', 'Senegal', 'Burkina Faso', 'Niger', 'Ghana', 'Togo', 'Benin', 'Kenya']
  const facts = Array.from({ length: docs }, (_, docId) => {
    const acc = docId % 3 === 0 ? 0 : 1
    const norm = docId % 7 === 0 ? 2 : acc
    return sample(docId, {
      prompt: `Question: What is the capital of ${places[docId % places.length] ?? ''}?\nAnswer:`,
      choices: [
        { text: 'Dakar', logprob: acc === 0 ? -2.214 : -3.271, isGreedy: acc === 0, unconditional: null },
        { text: 'Bamako', logprob: -2.813, isGreedy: acc === 1, unconditional: null },
        { text: 'Ouagadougou, on the central plateau', logprob: norm === 2 ? -4.902 : -31.4, isGreedy: false, unconditional: null },
        { text: 'Niamey', logprob: -6.024, isGreedy: false, unconditional: null },
      ],
      picks: { acc, acc_norm: norm, acc_bytes: norm },
      metrics: { acc: acc === 1 ? 1 : 0, acc_norm: norm === 1 ? 1 : 0 },
    })
  })
  const hostile = sample(0, {
    task: 'bench_words',
    prompt: 'Swali: Neno \u202e"ukweli"\u202c lina maana gani?\u0007\u200b\n<b onclick="alert(1)">Jibu</b>:',
    choices: [
      { text: 'الحقيقة', logprob: -5.1, isGreedy: false, unconditional: -9.214 },
      { text: 'Ìdáhùn', logprob: -4.2, isGreedy: false, unconditional: -7.7 },
    ],
    gold: [0],
    picks: { acc: 1, acc_norm: 1, acc_bytes: 1 },
    metrics: { acc: 0, acc_norm: 0, acc_mutual_info: 1 },
  })
  const generated = ['strict', 'flexible'].map((filter, index) =>
    sample(0, {
      task: 'bench_problems',
      filter,
      prompt: 'Question: Awa has 3 mangoes and buys 4 more. How many has she?\nAnswer:',
      target: '7',
      choices: [],
      gold: [],
      picks: null,
      generated: ['Awa has 3 + 4 = 7 mangoes.\n#### 7'],
      filterSteps: [
        { name: 'regex', outputs: [filter === 'strict' ? "['7']" : "['3', '4', '7', '7']"] },
        { name: 'take_first', outputs: ['7'] },
      ],
      metrics: { exact_match: index },
    }),
  )
  return [...facts, hostile, ...generated]
}

const hubModels: readonly ModelHit[] = [
  modelHit('onnx-community/Made-Up-135M-Instruct', { downloads: 41_873, likes: 96 }),
  modelHit('onnx-community/Made-Up-360M-Instruct-with-a-name-that-is-longer-than-any-phone-is-wide', { downloads: 9311 }),
  modelHit('gated-owner/Made-Up-1B', { isGated: true, license: 'made-up-terms', dtypes: ['fp32', 'fp16', 'q8', 'q4', 'q4f16', 'bnb4'] }),
  modelHit('someone/made-up-missing', { downloads: null, likes: null, license: null, updatedAt: null, dtypes: ['q4'] }),
]

const bundledTasks = [
  taskListing('bench', { kind: 'group', outputType: null, members: ['bench_facts', 'bench_words', 'bench_arithmetic', 'bench_inference'] }),
  taskListing('bench_letters', { kind: 'group', outputType: null, members: ['bench_facts_letters', 'bench_words_letters'] }),
  taskListing('african', { kind: 'tag', outputType: null, members: ['bench_swahili', 'bench_yoruba'] }),
  ...['facts', 'words', 'arithmetic', 'inference', 'swahili', 'yoruba', 'facts_letters', 'words_letters'].map((name) =>
    taskListing(`bench_${name}`),
  ),
  ...['hellaswag', 'arc_easy', 'arc_challenge', 'truthfulqa_mc1', 'truthfulqa_mc2'].map((name) => taskListing(name)),
  taskListing('mmlu', { kind: 'group', outputType: null, members: ['mmlu_stem', 'mmlu_humanities'] }),
  taskListing('mmlu_stem', { kind: 'group', outputType: null, members: ['mmlu_astronomy', 'mmlu_anatomy'] }),
  taskListing('mmlu_humanities', { kind: 'group', outputType: null, members: ['mmlu_philosophy'] }),
  ...['astronomy', 'anatomy', 'philosophy'].map((name) => taskListing(`mmlu_${name}`)),
  taskListing('bench_problems', { outputType: 'generate_until' }),
  taskListing('bench_text', { outputType: 'loglikelihood_rolling' }),
]

function fullSummary(runId: string) {
  const tasks = ['bench_facts', 'bench_words', 'bench_arithmetic', 'bench_inference']
  return runSummary(runId, {
    resultsFile: {
      results: {},
      'n-samples': {
        bench_facts: { original: 120, effective: 120 },
        bench_words: { original: 100, effective: 100 },
        bench_problems: { original: 50, effective: 50 },
      },
      total_evaluation_time_seconds: '62.41',
    },
    table: {
      tasks: [
        ...tasks.flatMap((task, index) => [
          resultsRow(task, 'acc', 0.61 - index * 0.08, { alias: ` - ${task}` }),
          resultsRow(task, 'acc_norm', 0.55 - index * 0.05, { alias: ` - ${task}` }),
        ]),
        resultsRow('bench_problems', 'exact_match', 0.12, { filter: 'strict', nShot: '2' }),
        resultsRow('bench_problems', 'exact_match', 0.18, { filter: 'flexible', nShot: '2' }),
        resultsRow('bench_text', 'word_perplexity', 214.8813, { direction: '↓', stderr: 'N/A' }),
      ],
      groups: [resultsRow('bench', 'acc', 0.4913, { stderr: 0.0241 }), resultsRow('bench', 'acc_norm', 0.4725, { stderr: 0.0239 })],
    },
    warnings: ['bench_words: 3 docs were shortened to the model’s window of 1,024 tokens.'],
  })
}
