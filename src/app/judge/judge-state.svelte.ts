/** Judging on a run's page: what is asked for, how far it is, and what came of it. */
import { judgeCautions, modelSizeOf, type JudgeCaution } from '../../analysis/judge/caution.ts'
import { defaultTemplate } from '../../analysis/judge/default-template.ts'
import type { Postprocessor } from '../../analysis/judge/postprocess.ts'
import { checkTemplate } from '../../analysis/judge/template.ts'
import type { JudgeBy } from '../../analysis/judge/verdict.ts'
import { EvalError, toEvalError } from '../../base/errors.ts'
import type { RunSettings } from '../../contracts/run-settings.ts'
import type { RunManifest, RunRow } from '../../contracts/runs.ts'
import type { AppState } from '../app-state.svelte.ts'
import { LiveRun } from '../runs/live-run.svelte.ts'
import { runJudge, runQuiz, type JudgeClient, type JudgedRun, type QuizRun } from './judge-flow.ts'
import { reportFiles, type ReportFile } from './judge-report.ts'
import { judgedRunOf, judgeRequestOf, type JudgeRequest } from './judge-request.ts'

/** The tasks of a run whose docs have generated answers; none for a judge's own runs. */
function judgeableTasks({ tasks, settings }: Pick<RunManifest, 'tasks' | 'settings'>): readonly string[] {
  if (settings.metadata['judge_stage'] !== undefined) return []
  return Object.entries(tasks).flatMap(([task, { config }]) => {
    const type = typeof config === 'object' && config !== null && 'output_type' in config ? config.output_type : null
    return type === 'generate_until' ? [task] : []
  })
}

/** The filter of a task that stands first: its metric is held against the judge. lm_eval calls the one that does nothing `none`. */
export function firstFilter({ tasks }: Pick<RunManifest, 'tasks'>, task: string): string {
  const config = tasks[task]?.config
  const filters = typeof config === 'object' && config !== null && 'filter_list' in config ? config.filter_list : null
  const first: unknown = Array.isArray(filters) ? filters[0] : null
  return typeof first === 'object' && first !== null && 'name' in first && typeof first.name === 'string' ? first.name : 'none'
}

export class JudgeState {
  readonly tasks: readonly string[]
  task: string = $state('')
  model: string = $state('')
  dtype: string = $state('')
  by: JudgeBy = $state('text')
  prediction: Postprocessor = $state('none')
  gold: Exclude<Postprocessor, 'filtered'> = $state('none')
  template: string = $state(defaultTemplate)
  step: 'idle' | 'quiz' | 'judging' | 'done' | 'failed' = $state.raw('idle')
  /** The judge's run that goes on. */
  live: LiveRun | null = $state.raw(null)
  quiz: QuizRun | null = $state.raw(null)
  judged: JudgedRun | null = $state.raw(null)
  error: EvalError | null = $state.raw(null)
  readonly #app: AppState
  readonly #manifest: RunManifest
  /** What the shown verdicts were asked for. */
  #asked: JudgeRequest | null = null

  constructor(app: AppState, manifest: RunManifest) {
    this.#app = app
    this.#manifest = manifest
    this.tasks = judgeableTasks(manifest)
    this.task = this.tasks[0] ?? ''
  }

  get isBusy(): boolean {
    return this.step === 'quiz' || this.step === 'judging'
  }

  /** Why the template can't be used; null when it can. */
  readonly templateProblem: string | null = $derived.by(() => {
    try {
      checkTemplate(this.template)
      return null
    } catch (error) {
      return toEvalError(error).message
    }
  })

  /** As far as they are known: the size is, once the judge was tried. */
  readonly cautions: readonly JudgeCaution[] = $derived.by(() => {
    const candidate = modelSizeOf(this.#manifest)
    if (this.quiz !== null) return judgeCautions(candidate, this.quiz.judge)
    return this.model.trim() === candidate.id ? ['same-model'] : []
  })

  /** The judge's runs over this run's answers that this browser keeps, the newest first. */
  get earlier(): readonly RunRow[] {
    return this.#app.runs.rows.filter((row) => judgedRunOf(row.manifest.settings)?.runId === this.#manifest.runId)
  }

  /** Judges, or reads what the same judge has said before. */
  async start(): Promise<void> {
    const { device, scoring } = this.#manifest.settings
    await this.#judge({
      judge: {
        ...{ model: this.model.trim(), revision: 'main', dtype: this.dtype.trim() === '' ? null : this.dtype.trim() },
        ...{ modelArgs: {}, device, scoring, useCache: true },
      },
      template: this.template,
      by: this.by,
      chatTemplate: 'auto',
      answers: { kind: 'run', runId: this.#manifest.runId, task: this.task },
      texts: { filter: null, prediction: this.prediction, gold: this.gold },
    })
  }

  /** Shows, or goes on with, an earlier judging: its fields are filled in again. */
  async again({ manifest }: RunRow): Promise<void> {
    const request = judgeRequestOf(manifest.settings)
    if (request === null) return
    this.task = request.answers.task
    this.model = request.judge.model
    this.dtype = request.judge.dtype ?? ''
    this.by = request.by
    this.template = request.template
    this.prediction = request.texts.prediction
    this.gold = request.texts.gold
    await this.#judge(request)
  }

  async stop(): Promise<void> {
    await this.#app.stop()
  }

  /** The verdicts as files; none before there are any. */
  files(now: Date): readonly ReportFile[] {
    if (this.judged === null || this.quiz === null || this.#asked === null) return []
    const { answers, by, texts, template } = this.#asked
    const { id, parameters, dtype, device } = this.quiz.judge
    const judge = { id, parameters, dtype, device, chatTemplate: this.quiz.applyChatTemplate }
    const { score } = this.quiz
    const candidate = modelSizeOf(this.#manifest)
    return reportFiles([{ task: answers.task, candidate, judge, by, texts, template, quiz: score, outcome: this.judged.outcome }], now)
  }

  async #judge(request: JudgeRequest): Promise<void> {
    if (this.isBusy || this.#app.isBusy) return
    this.#asked = request
    this.quiz = null
    this.judged = null
    this.error = null
    this.step = 'quiz'
    try {
      // The page shows the judged run by its stored row while another run is this tab's.
      await this.#app.runs.load()
      const client = this.#watched()
      this.quiz = await runQuiz(request, client, () => undefined)
      this.step = 'judging'
      this.judged = await runJudge(request, this.quiz, client, () => undefined)
      this.step = 'done'
    } catch (error) {
      const known = await this.#app.explain(error)
      this.error = known.code === 'run/stopped' ? null : known
      this.step = this.error === null ? 'idle' : 'failed'
    } finally {
      this.live = null
      await this.#app.runs.load()
    }
  }

  /** The client, with each run that it begins shown as this tab's. */
  #watched(): JudgeClient {
    const { client } = this.#app
    const follow = (settings: RunSettings): LiveRun => {
      const live = new LiveRun(settings, () => performance.now())
      this.live = live
      this.#app.live = live
      return live
    }
    return {
      listRuns: () => client.listRuns(),
      samplesOf: (runId, task, page) => client.samplesOf(runId, task, page),
      start: async (settings, onEvent) => {
        const live = follow(settings)
        return client
          .start(settings, (event) => {
            live.receive(event)
            onEvent(event)
          })
          .catch((error: unknown) => {
            live.fail(toEvalError(error))
            throw error
          })
      },
      resume: async (runId, onEvent) => {
        const row = this.#app.runs.find(runId)
        if (row === null) throw new EvalError('run/not-found', `There is no run ${runId} in this browser.`)
        const live = follow(row.manifest.settings)
        live.runId = runId
        await client
          .resume(runId, (event) => {
            live.receive(event)
            onEvent(event)
          })
          .catch((error: unknown) => {
            live.fail(toEvalError(error))
            throw error
          })
      },
    }
  }
}
