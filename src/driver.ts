/**
 * The page behind the command line: offers the run client of the page as plain calls, because what drives it stands outside the
 * browser. Arguments and answers are JSON; errors are values, so that they arrive whole.
 */
import type { Parallelism } from './analysis/cluster/commands.ts'
import type { JudgeDoc } from './analysis/judge/docs.ts'
import { toBase64 } from './app/base64.ts'
import { docsOf, runJudge, runQuiz, type JudgedRun, type QuizRun } from './app/judge/judge-flow.ts'
import type { JudgeRequest } from './app/judge/judge-request.ts'
import { createRunClient, type RunClient } from './app/run-client.ts'
import { csvText } from './app/runs/result-files.ts'
import { EvalError, toWire, type WireError } from './base/errors.ts'
import type { RunEvent } from './contracts/progress.ts'
import type { RunSettings, TaskFile } from './contracts/run-settings.ts'
import { bridge } from './rpc/bridge.ts'

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

/** What the driver does itself, or otherwise than the page's client does under the same name. Events of runs go to `yardstickEvent`. */
interface OwnMethods {
  makeClusterFolder(settings: RunSettings, parallelism: Parallelism): Promise<ClusterFiles>
  /** The run's id once it is stored. */
  start(settings: RunSettings): Promise<string>
  resume(runId: string): Promise<void>
  sampleLines(runId: string, task: string, offset: number, count: number): Promise<SampleLines>
  /** As `sampleLines`, the lines of the task's csv file in the original MMLU program's form; empty for other tasks. */
  csvLines(runId: string, task: string, offset: number, count: number): Promise<SampleLines>
  /** Tries a judge on the quiz. */
  judgeQuiz(request: JudgeRequest): Promise<QuizRun>
  /** Judges the answers. */
  judge(request: JudgeRequest, quiz: Pick<QuizRun, 'applyChatTemplate'>): Promise<JudgedRun>
  /** The answers that would be judged. */
  judgeDocs(request: JudgeRequest): Promise<readonly JudgeDoc[]>
}

/** Calls with JSON for arguments and answers, as the page's client has them. */
type Forwarded =
  | 'configure'
  | 'listTasks'
  | 'listModels'
  | 'describeModel'
  | 'searchModels'
  | 'stop'
  | 'previewPrompts'
  | 'listRuns'
  | 'loadResults'
  | 'secondOpinion'
  | 'measureSpeed'
  | 'deleteRun'
  | 'eraseAll'
  | 'scanData'
  | 'storageReport'
  | 'deleteFiles'
  | 'verifyFiles'
  | 'persist'

export type DriverApi = OwnMethods & Pick<RunClient, Forwarded>

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
  const own: OwnMethods = {
    makeClusterFolder: async (settings, parallelism) => {
      const { files, binaries, browserFolder } = await client.makeClusterFolder(settings, parallelism)
      return { files, binaries: binaries.map(({ path, bytes }) => ({ path, base64: toBase64(bytes) })), browserFolder }
    },
    start: (settings) => client.start(settings, onEvent),
    resume: (runId) => client.resume(runId, onEvent),
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
  }
  return bridge<OwnMethods, RunClient>(own, () => Promise.resolve(client))
}

/** Calls the driver's method `name`; a failure is a reply, not a rejection. */
async function call(driver: DriverApi, name: string, args: readonly unknown[]): Promise<Reply> {
  try {
    const method: unknown = Reflect.get(driver, name)
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
