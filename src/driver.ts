/**
 * The page behind the command line: offers the run client of the page as plain calls, because what drives it stands outside the
 * browser. Arguments and answers are JSON; errors are values, so that they arrive whole.
 */
import type { Parallelism } from './analysis/cluster/commands.ts'
import type { JudgeDoc } from './analysis/judge/docs.ts'
import { toBase64 } from './app/base64.ts'
import { docsOf, runJudge, runQuiz, type JudgedRun, type QuizRun } from './app/judge/judge-flow.ts'
import type { JudgeRequest } from './app/judge/judge-request.ts'
import { createRunClient, type RunClient, type RunSummary } from './app/run-client.ts'
import { csvText } from './app/runs/result-files.ts'
import type { EmbeddedModel } from './app/setup/embedded.ts'
import { EvalError, toWire, type WireError } from './base/errors.ts'
import type { HubAccess } from './contracts/hub-access.ts'
import type { DataScan, FileVerdict, StorageReport } from './contracts/kept-files.ts'
import type { ModelDescription, ModelHit } from './contracts/models.ts'
import type { RunEvent } from './contracts/progress.ts'
import type { PromptPreview } from './contracts/requests.ts'
import type { RunSettings, TaskFile } from './contracts/run-settings.ts'
import type { RunRow } from './contracts/runs.ts'
import type { TaskIndex } from './rpc/text-api.ts'

/** Some lines of a samples file, and where to go on. */
export interface SampleLines {
  readonly text: string
  readonly next: number
  readonly total: number
}

/** As `ClusterFolder`, with bytes as base64. */
export interface ClusterFiles {
  readonly files: readonly TaskFile[]
  readonly binaries: readonly { readonly path: string; readonly base64: string }[]
  readonly browserFolder: string
}

export interface DriverApi {
  connect(access: HubAccess): Promise<void>
  listTasks(files: readonly TaskFile[]): Promise<TaskIndex>
  listModels(): Promise<readonly EmbeddedModel[]>
  describeModel(id: string, revision: string): Promise<ModelDescription>
  makeClusterFolder(settings: RunSettings, parallelism: Parallelism): Promise<ClusterFiles>
  searchModels(query: { readonly text: string; readonly limit: number }): Promise<readonly ModelHit[]>
  /** The run's id once it is stored; its events go to `yardstickEvent`. */
  start(settings: RunSettings): Promise<string>
  resume(runId: string): Promise<void>
  stop(runId: string | null): Promise<void>
  preview(settings: RunSettings, docs: number): Promise<readonly PromptPreview[]>
  listRuns(): Promise<readonly RunRow[]>
  loadResults(runId: string): Promise<RunSummary | null>
  sampleLines(runId: string, task: string, offset: number, count: number): Promise<SampleLines>
  /** As `sampleLines`, the lines of the task's csv file in the original MMLU program's form; empty for other tasks. */
  csvLines(runId: string, task: string, offset: number, count: number): Promise<SampleLines>
  /** Tries a judge on the quiz; events go to `yardstickEvent`. */
  judgeQuiz(request: JudgeRequest): Promise<QuizRun>
  /** Judges the answers. */
  judge(request: JudgeRequest, quiz: Pick<QuizRun, 'applyChatTemplate'>): Promise<JudgedRun>
  /** The answers that would be judged. */
  judgeDocs(request: JudgeRequest): Promise<readonly JudgeDoc[]>
  deleteRun(runId: string): Promise<void>
  eraseAll(): Promise<void>
  scanData(address: string, format: 'json' | 'csv' | 'parquet' | 'text'): Promise<DataScan>
  storageReport(): Promise<StorageReport>
  deleteFiles(keys: readonly string[]): Promise<void>
  verifyFiles(keys: readonly string[]): Promise<readonly FileVerdict[]>
  persist(): Promise<boolean>
}

export type Reply = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: WireError }

declare global {
  /** The driver page's only name; the command line calls it. */
  var yardstick: { call(name: string, args: readonly unknown[]): Promise<Reply> } | undefined
  /** Put there by the command line. */
  var yardstickEvent: ((event: RunEvent) => Promise<void>) | undefined
}

/** Events in the order in which they came: each waits until the one before has arrived outside. */
function createEventPipe(): (event: RunEvent) => void {
  let last = Promise.resolve()
  return (event) => {
    last = last.then(async () => globalThis.yardstickEvent?.(event)).catch((error: unknown) => console.error(error))
  }
}

function createDriver(client: RunClient): DriverApi {
  const onEvent = createEventPipe()
  return {
    connect: (access) => client.configure(access),
    listTasks: (files) => client.listTasks(files),
    listModels: () => client.listModels(),
    describeModel: (id, revision) => client.describeModel(id, revision),
    makeClusterFolder: async (settings, parallelism) => {
      const { files, binaries, browserFolder } = await client.makeClusterFolder(settings, parallelism)
      return { files, binaries: binaries.map(({ path, bytes }) => ({ path, base64: toBase64(bytes) })), browserFolder }
    },
    searchModels: (query) => client.searchModels(query),
    start: (settings) => client.start(settings, onEvent),
    resume: (runId) => client.resume(runId, onEvent),
    stop: (runId) => client.stop(runId),
    preview: (settings, docs) => client.preview(settings, docs),
    listRuns: () => client.listRuns(),
    loadResults: (runId) => client.loadResults(runId),
    sampleLines: async (runId, task, offset, count) => {
      const page = await client.samplesOf(runId, task, { offset, count })
      return { text: page.samples.map(({ line }) => `${line}\n`).join(''), next: offset + page.samples.length, total: page.total }
    },
    csvLines: async (runId, task, offset, count) => {
      const page = await client.samplesOf(runId, task, { offset, count })
      return { text: csvText(page.samples), next: offset + page.samples.length, total: page.total }
    },
    judgeQuiz: (request) => runQuiz(request, client, onEvent),
    judge: (request, quiz) => runJudge(request, quiz, client, onEvent),
    judgeDocs: (request) => docsOf(request, client),
    deleteRun: (runId) => client.deleteRun(runId),
    eraseAll: () => client.eraseAll(),
    scanData: (address, format) => client.scanData(address, format),
    storageReport: () => client.storageReport(),
    deleteFiles: (keys) => client.deleteFiles(keys),
    verifyFiles: (keys) => client.verifyFiles(keys),
    persist: () => client.persist(),
  }
}

/** Calls the driver's method `name`; a failure is a reply, not a rejection. */
async function call(driver: DriverApi, name: string, args: readonly unknown[]): Promise<Reply> {
  try {
    const method: unknown = Object.hasOwn(driver, name) ? Reflect.get(driver, name) : undefined
    if (typeof method !== 'function') throw new EvalError('internal', `the driver has no call "${name}"`)
    // The caller is typed against DriverApi; only the wire between loses the types.
    const value: unknown = await Reflect.apply(method as (...args: readonly unknown[]) => unknown, driver, [...args])
    return { ok: true, value: value ?? null }
  } catch (error) {
    return { ok: false, error: toWire(error) }
  }
}

const driver = createDriver(createRunClient())
globalThis.yardstick = { call: (name, args) => call(driver, name, args) }
