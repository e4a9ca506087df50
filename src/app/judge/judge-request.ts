/** What is asked when answers are to be judged, and the settings of the runs that do it. */
import { judgedAddress, judgedSource } from '../../analysis/judge/address.ts'
import type { JudgeDoc, JudgedTexts } from '../../analysis/judge/docs.ts'
import { judgeTask, judgeTaskName, quizTaskName, rowsPath } from '../../analysis/judge/judge-task.ts'
import type { JudgeBy } from '../../analysis/judge/verdict.ts'
import type { Json } from '../../base/errors.ts'
import type { RunSettings } from '../../contracts/run-settings.ts'

/** The judge as a run names its model. */
export type JudgeModel = Pick<RunSettings, 'model' | 'revision' | 'dtype' | 'modelFormat' | 'modelArgs' | 'device' | 'scoring' | 'useCache'>

/** Where the answers are: a run that this browser keeps, or docs from files, whose rows lie at an address of our own origin. */
export type JudgedAnswers =
  | { readonly kind: 'run'; readonly runId: string; readonly task: string }
  | { readonly kind: 'rows'; readonly address: string; readonly sha256: string; readonly task: string; readonly docs: readonly JudgeDoc[] }

export interface JudgeRequest {
  readonly judge: JudgeModel
  readonly template: string
  readonly by: JudgeBy
  /** `auto`: the judge's chat template where it has one that works. */
  readonly chatTemplate: boolean | 'auto'
  readonly answers: JudgedAnswers
  readonly texts: JudgedTexts
}

/** The settings of the run over the quiz. Throws `judge/template`. */
export function quizSettings(request: JudgeRequest, applyChatTemplate: boolean): RunSettings {
  return settingsOf(request, applyChatTemplate, quizTaskName, judgedAddress({ kind: 'quiz' }), { judge_stage: 'quiz' })
}

/** The settings of the run that judges the answers. Throws `judge/template`. */
export function judgeSettings(request: JudgeRequest, applyChatTemplate: boolean): RunSettings {
  const { answers, texts } = request
  const { task } = answers
  const [address, of] =
    answers.kind === 'run'
      ? [judgedAddress({ kind: 'run', runId: answers.runId, task, ...texts }), answers.runId]
      : [answers.address, `rows:${answers.sha256}`]
  return settingsOf(request, applyChatTemplate, judgeTaskName(task), address, {
    judge_stage: 'judge',
    judge_of: of,
    judge_task: task,
    ...metadataOf(texts),
  })
}

/** The run whose answers a run judges; null for one that judges none. */
export function judgedRunOf({ metadata }: Pick<RunSettings, 'metadata'>): { readonly runId: string; readonly task: string } | null {
  const { judge_stage: stage, judge_of: runId, judge_task: task } = metadata
  return stage === 'judge' && typeof runId === 'string' && typeof task === 'string' ? { runId, task } : null
}

function metadataOf({ filter, prediction, gold }: JudgedTexts): { readonly [key: string]: Json } {
  return { judge_filter: filter, judge_prediction: prediction, judge_gold: gold }
}

/** What was asked for when a kept run's answers were judged by a run with these settings; null for settings of any other run. */
export function judgeRequestOf(settings: RunSettings): JudgeRequest | null {
  const judged = judgedRunOf(settings)
  const source = Object.values(settings.dataFiles).map(judgedSource)[0] ?? null
  const { judge_by: by, judge_template: template } = settings.metadata
  if (judged === null || source?.kind !== 'run' || typeof template !== 'string') return null
  const { model, revision, dtype, modelFormat, modelArgs, device, scoring, useCache } = settings
  const format = modelFormat === undefined ? {} : { modelFormat }
  const { filter, prediction, gold } = source
  return {
    judge: { model, revision, dtype, ...format, modelArgs, device, scoring, useCache },
    template,
    by: by === 'loglikelihood' ? 'loglikelihood' : 'text',
    chatTemplate: settings.applyChatTemplate !== false,
    answers: { kind: 'run', ...judged },
    texts: { filter, prediction, gold },
  }
}

function settingsOf(
  { judge, template, by }: JudgeRequest,
  applyChatTemplate: boolean,
  name: string,
  address: string,
  metadata: { readonly [key: string]: Json },
): RunSettings {
  return {
    ...judge,
    tasks: [name],
    taskFiles: [judgeTask(name, template, by, name === quizTaskName)],
    dataFiles: { [rowsPath(name)]: address },
    numFewshot: null,
    limit: null,
    samples: null,
    applyChatTemplate,
    fewshotAsMultiturn: null,
    systemInstruction: null,
    genKwargs: {},
    seeds: { random: 0, numpy: 1234, torch: 1234, fewshot: 1234 },
    bootstrapIters: 100_000,
    predictOnly: false,
    metadata: { ...metadata, judge_by: by, judge_template: template },
  }
}
