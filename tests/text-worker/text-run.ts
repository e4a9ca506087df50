/** A task through the real text engine, from its file and rows to its results, with answers that a test makes up. */
import { readFileSync } from 'node:fs'
import type { Json } from '../../src/base/errors.ts'
import type { BuiltTask, RequestAnswer } from '../../src/contracts/built-task.ts'
import type { TokenizerFiles } from '../../src/contracts/models.ts'
import type { RunResults } from '../../src/contracts/results.ts'
import type { Table } from '../../src/contracts/rows.ts'
import type { RunSettings } from '../../src/contracts/run-settings.ts'
import type { RunManifest } from '../../src/contracts/runs.ts'
import type { ResultsRequest } from '../../src/rpc/text-api.ts'
import { TextEngine } from '../../src/text-worker/text-engine.ts'
import { loadTokenizer } from '../../src/tokenizing/tokenizer.ts'
import { facts } from '../evaluation/fakes.ts'
import { defaultSettings } from '../support/default-settings.ts'

// Written by tests/make-goldens/make_encode_goldens.py.
const golden = JSON.parse(readFileSync(new URL('../goldens/encode/gpt2.json', import.meta.url), 'utf8')) as {
  readonly files: Pick<TokenizerFiles, 'tokenizerJson' | 'tokenizerConfig' | 'config'>
}

export interface TextRunOptions {
  readonly tables: { readonly [split: string]: Table }
  readonly settings?: Partial<RunSettings>
  readonly modelArgs?: { readonly [key: string]: Json }
  readonly request?: Partial<ResultsRequest>
  /** Where the file lies, which tells whose functions it names. */
  readonly path?: string
}

export interface TextRun {
  readonly built: BuiltTask
  /** Answers requests by doc and place; a text is what the model writes, a number a log-probability. */
  finish(answer: (docId: number, idx: number) => number | string): Promise<RunResults>
}

/** The task named `t` of the file's text. */
export async function textRun(
  yaml: string,
  { tables, settings = {}, modelArgs = { max_length: 256 }, request = {}, path = 't.yaml' }: TextRunOptions,
): Promise<TextRun> {
  const files = { ...golden.files, specialTokensMap: null, chatTemplate: null, generationConfig: null }
  const all = { ...defaultSettings, tasks: ['t'], limit: null, ...settings }
  const engine = new TextEngine()
  const tokenizer = await engine.loadTokenizer(files, modelArgs)
  await engine.loadTasks([{ name: 'given', files: [{ path, text: yaml }] }], all.metadata)
  const leaves = await engine.resolve(['t'], all.numFewshot)
  const built = await engine.build('t', tables, all)
  const plain = loadTokenizer(files, modelArgs)
  return {
    built,
    finish: async (answer) => {
      const answers = built.requests.map(({ docId, idx }, place): RequestAnswer => {
        const said = answer(docId, idx)
        return typeof said === 'string'
          ? { request: place, generated: [Int32Array.from(plain.encode(said))] }
          : { request: place, logprob: said, isGreedy: false }
      })
      await engine.answer('t', answers)
      const manifest: RunManifest = {
        schemaVersion: 1,
        runId: 'r',
        createdAt: '2026-01-01T00:00:00.000Z',
        app: { version: '0', build: '0' },
        settings: all,
        model: { id: 'made/up-model', revision: 'main', commit: 'c'.repeat(40), license: null, files: [] },
        tokenizer,
        engine: facts,
        datasets: {},
        tasks: {
          t: { config: leaves[0]?.config ?? null, sha256: '', ...(built.warnings.length === 0 ? {} : { warnings: built.warnings }) },
        },
        plan: { hash: '', requests: 0, batches: 0 },
      }
      return engine.results({
        manifest,
        provenance: {},
        startedAtSeconds: 0,
        seconds: 1,
        excluded: [],
        noise: null,
        speed: null,
        ...request,
      })
    },
  }
}

/** Rows of texts under these column names. */
export function textTable(columns: readonly string[], rows: readonly (readonly string[])[]): Table {
  return { columns: columns.map((name) => ({ name, type: 'string' as const })), rows }
}
