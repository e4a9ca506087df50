/** A run of the original MMLU tasks over a folder in the program's layout, through the text engine, with answers that a test gives. */
import { readFileSync } from 'node:fs'
import type { Json } from '../../src/base/errors.ts'
import type { BuiltTask, LeafTask, RequestAnswer } from '../../src/contracts/built-task.ts'
import type { TokenizerFiles } from '../../src/contracts/models.ts'
import type { RunResults } from '../../src/contracts/results.ts'
import type { TaskFile } from '../../src/contracts/run-settings.ts'
import type { RunManifest } from '../../src/contracts/runs.ts'
import { loadSplits } from '../../src/data/dataset/dataset.ts'
import { hubClient } from '../../src/data/hub/hub.ts'
import { originalFolderTasks } from '../../src/ports/original-mmlu/original-mmlu-tasks.ts'
import { TextEngine } from '../../src/text-worker/text-engine.ts'
import { facts } from '../evaluation/fakes.ts'
import { defaultSettings } from '../support/default-settings.ts'

/** Files by their paths below a data folder. */
export type Folder = ReadonlyMap<string, string>

export interface OriginalRunOptions {
  readonly folder: Folder
  readonly tokenizer: Pick<TokenizerFiles, 'tokenizerJson' | 'tokenizerConfig' | 'config'>
  readonly tasks: readonly string[]
  readonly model?: string
  readonly numFewshot?: number | null
  readonly metadata?: { readonly [key: string]: Json }
  readonly modelArgs?: { readonly [key: string]: Json }
  /** More task files, which win. */
  readonly taskFiles?: readonly TaskFile[]
}

export interface OriginalRun {
  readonly leaves: readonly LeafTask[]
  readonly built: readonly BuiltTask[]
  readonly prompts: (task: string) => Promise<readonly string[]>
  /** Answers every request and makes the results. */
  /** `split` divides a request's number among its tokens; without it they have none of their own. */
  finish(
    logprob: (task: string, docId: number, idx: number) => number,
    split?: (logprob: number, tokens: number) => readonly number[],
  ): Promise<RunResults>
}

export async function originalRun(options: OriginalRunOptions): Promise<OriginalRun> {
  const { folder, tasks, model = 'made/up-model', metadata = {}, numFewshot = null, taskFiles = [] } = options
  const settings = { ...defaultSettings, model, tasks, numFewshot, metadata, modelArgs: options.modelArgs ?? {} }
  const engine = new TextEngine()
  const nothing = { specialTokensMap: null, chatTemplate: null, generationConfig: null }
  const tokenizer = await engine.loadTokenizer({ ...options.tokenizer, ...nothing }, options.modelArgs ?? {})
  await engine.loadTasks([{ name: 'given', files: [...originalFolderTasks([...folder.keys()]), ...taskFiles] }], metadata)
  const leaves = await engine.resolve(tasks, numFewshot)
  const built: BuiltTask[] = []
  const tables = new Map<string, Awaited<ReturnType<typeof loadSplits>>['tables']>()
  for (const leaf of leaves) {
    const client = hubClient({ base: 'http://127.0.0.1:9', fetch })
    const dataFiles = Object.fromEntries([...folder].map(([path, text]) => [path, new Blob([text])]))
    const loaded = await loadSplits(leaf.dataset, leaf.splits, { hubOf: () => client, fetch, dataFiles })
    tables.set(leaf.name, loaded.tables)
    built.push(await engine.build(leaf.name, loaded.tables, settings))
  }
  return {
    leaves,
    built,
    prompts: async (task) => {
      const previews = await engine.preview(task, tables.get(task) ?? {}, settings, 1000)
      return previews.map(({ requests: [first] }) => (first?.type === 'loglikelihood' ? first.context : ''))
    },
    finish: async (logprob, split) => {
      for (const { name, requests } of built) {
        const answers = requests.map(({ docId, idx, pieces: [piece] }, request): RequestAnswer => ({
          request,
          logprob: logprob(name, docId, idx),
          isGreedy: false,
          ...(split === undefined ? {} : { tokenLogprobs: split(logprob(name, docId, idx), piece?.target.length ?? 0) }),
        }))
        await engine.answer(name, answers)
      }
      const manifest: RunManifest = {
        schemaVersion: 1,
        runId: 'r',
        createdAt: '2026-01-01T00:00:00.000Z',
        app: { version: '0', build: '0' },
        settings,
        model: { id: model, revision: 'main', commit: 'c'.repeat(40), license: null, files: [] },
        tokenizer,
        engine: facts,
        datasets: {},
        tasks: {},
        plan: { hash: '', requests: 0, batches: 0 },
      }
      return engine.results({ manifest, provenance: {}, startedAtSeconds: 0, seconds: 12.5, excluded: [], noise: null, speed: null })
    },
  }
}

/** The committed data folder of the goldens. */
export function goldenFolder(): Folder {
  const place = new URL('../goldens/original-mmlu/data/', import.meta.url)
  const names = ['high_school_statistics', 'world_religions']
  const paths = names.flatMap((name) => [`dev/${name}_dev.csv`, `test/${name}_test.csv`])
  return new Map(paths.map((path) => [path, readFileSync(new URL(path, place), 'utf8')]))
}

export interface GoldenDoc {
  readonly prompt: string
  readonly input_ids: readonly number[]
  readonly k: number
  readonly logprobs: readonly number[]
  readonly ids: readonly number[]
}

export interface OriginalGolden {
  readonly tokenizers: { readonly [name: string]: Pick<TokenizerFiles, 'tokenizerJson' | 'tokenizerConfig' | 'config'> }
  readonly runs: readonly {
    readonly tokenizer: string
    readonly model: string
    readonly ntrain: number
    readonly max_tokens: number
    readonly fixed: boolean
    readonly choice_tokens: 'bare' | 'spaced'
    readonly subjects: { readonly [subject: string]: readonly GoldenDoc[] }
    readonly files: { readonly [subject: string]: string }
    readonly accuracies: string
  }[]
}

/** Written by tests/make-goldens/make_original_mmlu_goldens.py. */
export function readOriginalGolden(): OriginalGolden {
  return JSON.parse(readFileSync(new URL('../goldens/original-mmlu/golden.json', import.meta.url), 'utf8')) as OriginalGolden
}
