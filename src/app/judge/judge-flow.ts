/**
 * Judging in two runs of the ordinary kind, first over the quiz, then over the answers. Each has workers of its own, so the candidate's model
 * is gone before the judge's is loaded; each is kept like any run, so that a stage which was cut off goes on, and one that is complete is read.
 */
import { modelSizeOf, type ModelSize } from '../../analysis/judge/caution.ts'
import { askedDocs, judgeDocs, type JudgeDoc } from '../../analysis/judge/docs.ts'
import { quizTaskName, judgeTaskName } from '../../analysis/judge/judge-task.ts'
import { judgeOutcome, verdictOfSample, type JudgeOutcome } from '../../analysis/judge/outcome.ts'
import { scoreQuiz, type QuizScore } from '../../analysis/judge/quiz.ts'
import { append } from '../../base/arrays.ts'
import { EvalError, fromWire, isEvalError } from '../../base/errors.ts'
import type { RunEvent } from '../../contracts/progress.ts'
import type { RunSettings } from '../../contracts/run-settings.ts'
import type { RunRow } from '../../contracts/runs.ts'
import type { SampleView } from '../../contracts/samples.ts'
import { sameSettings } from '../../settings/same-settings.ts'
import type { RunClient } from '../run-client.ts'
import { samplePages } from '../runs/sample-pages.ts'
import { judgeSettings, quizSettings, type JudgeRequest } from './judge-request.ts'

export type JudgeClient = Pick<RunClient, 'start' | 'resume' | 'listRuns' | 'samplesOf'>

export interface JudgeFacts extends ModelSize {
  readonly commit: string
  readonly dtype: string
  readonly device: string
}

export interface QuizRun {
  readonly runId: string
  readonly score: QuizScore
  readonly applyChatTemplate: boolean
  readonly judge: JudgeFacts
}

export interface JudgedRun {
  /** Null where every answer was empty: no model was asked. */
  readonly runId: string | null
  readonly outcome: JudgeOutcome
}

type OnEvent = (event: RunEvent) => void

/** Tries the judge on the quiz. Throws `judge/template`, and what a run throws; `run/stopped` when it was stopped. */
export async function runQuiz(request: JudgeRequest, client: JudgeClient, onEvent: OnEvent): Promise<QuizRun> {
  const { row, applyChatTemplate } = await withChatTemplate(request.chatTemplate, async (isApplied) => ({
    row: await runStage(quizSettings(request, isApplied), client, onEvent),
    applyChatTemplate: isApplied,
  }))
  const samples = await allSamples(client, row.runId, quizTaskName)
  const inOrder = [...samples].sort((a, b) => a.docId - b.docId)
  return { runId: row.runId, score: scoreQuiz(inOrder.map((one) => verdictOfSample(one).verdict)), applyChatTemplate, judge: factsOf(row) }
}

/** Judges the answers, by the judge as the quiz had it. Throws as `runQuiz` and `judgeDocs`. */
export async function runJudge(
  request: JudgeRequest,
  { applyChatTemplate }: Pick<QuizRun, 'applyChatTemplate'>,
  client: JudgeClient,
  onEvent: OnEvent,
): Promise<JudgedRun> {
  const docs = await docsOf(request, client)
  if (askedDocs(docs).length === 0) return { runId: null, outcome: judgeOutcome(docs, []) }
  const { runId } = await runStage(judgeSettings(request, applyChatTemplate), client, onEvent)
  return { runId, outcome: judgeOutcome(docs, await allSamples(client, runId, judgeTaskName(request.answers.task))) }
}

/** The answers that are to be judged. Throws as `judgeDocs`. */
export async function docsOf({ answers, texts }: JudgeRequest, client: Pick<JudgeClient, 'samplesOf'>): Promise<readonly JudgeDoc[]> {
  return answers.kind === 'rows' ? answers.docs : judgeDocs(await allSamples(client, answers.runId, answers.task), texts)
}

function factsOf({ manifest }: RunRow): JudgeFacts {
  const { model, engine } = manifest
  return { ...modelSizeOf(manifest), commit: model.commit, dtype: engine.dtype, device: engine.device }
}

/** A model without a chat template, or with one that doesn't take a single message, is asked without where the choice is left to us. */
async function withChatTemplate<T>(choice: JudgeRequest['chatTemplate'], run: (isApplied: boolean) => Promise<T>): Promise<T> {
  if (choice !== 'auto') return run(choice)
  try {
    return await run(true)
  } catch (error) {
    if (isEvalError(error) && error.code === 'tokenizer/chat-template') return run(false)
    throw error
  }
}

/** The complete run of these settings: an earlier one, one that goes on, or a new one. */
async function runStage(settings: RunSettings, client: JudgeClient, onEvent: OnEvent): Promise<RunRow> {
  const earlier = settings.useCache ? await findEarlier(settings, client) : null
  if (earlier?.status === 'complete') return earlier
  let settle: (event: Extract<RunEvent, { type: 'done' }>) => void = () => undefined
  const done = new Promise<Extract<RunEvent, { type: 'done' }>>((resolve) => (settle = resolve))
  const receive: OnEvent = (event) => {
    onEvent(event)
    if (event.type === 'done') settle(event)
  }
  if (earlier === null) await client.start(settings, receive)
  else await client.resume(earlier.runId, receive)
  const { status, error, runId } = await done
  if (status !== 'complete') throw error === null ? new EvalError('run/stopped', 'The judge was stopped.') : fromWire(error)
  const row = (await client.listRuns()).find((one) => one.runId === runId)
  if (row === undefined) throw new EvalError('run/not-found', `The judge's run ${runId} was not kept.`, { details: { runId } })
  return row
}

/** The newest that is complete, else the newest that was cut off. */
async function findEarlier(settings: RunSettings, client: JudgeClient): Promise<RunRow | null> {
  const same = (await client.listRuns()).filter((row) => sameSettings(row.manifest.settings, settings))
  return same.find(({ status }) => status === 'complete') ?? same.find(({ status }) => status === 'interrupted') ?? null
}

async function allSamples(client: Pick<JudgeClient, 'samplesOf'>, runId: string, task: string): Promise<readonly SampleView[]> {
  const all: SampleView[] = []
  for await (const page of samplePages(client, runId, task)) append(all, page)
  return all
}
