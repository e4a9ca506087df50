/** `--judge_model` after a run, and `npm run eval -- judge RUN|FOLDER`: quiz, verdicts, files, and what is printed of them. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { modelSizeOf, type ModelSize } from '../../analysis/judge/caution.ts'
import { defaultTemplate } from '../../analysis/judge/default-template.ts'
import { askedDocs, judgeDocs, rowsOfDocs } from '../../analysis/judge/docs.ts'
import { outcomeOfReplies } from '../../analysis/judge/outcome.ts'
import { judgeQuiz, scoreQuiz } from '../../analysis/judge/quiz.ts'
import { checkTemplate, fillTemplate } from '../../analysis/judge/template.ts'
import { readReply } from '../../analysis/judge/verdict.ts'
import type { QuizRun } from '../../app/judge/judge-flow.ts'
import { quizText, reportFiles, reportLines, utcStamp, type JudgeReport } from '../../app/judge/judge-report.ts'
import type { JudgedAnswers, JudgeModel, JudgeRequest } from '../../app/judge/judge-request.ts'
import { openFiles } from '../../app/open/open-files.ts'
import type { OpenedRun } from '../../app/open/opened-run.ts'
import { isEvalError } from '../../base/errors.ts'
import { isRecord } from '../../base/guards.ts'
import { sha256 } from '../../base/sha256.ts'
import type { RunRow } from '../../contracts/runs.ts'
import { createLocalHub } from '../browser/local-hub.ts'
import { commandLineOrigin } from '../browser/origin.ts'
import { localFilesPath } from '../browser/serve.ts'
import { openSession, type Session } from '../browser/session.ts'
import { callerFolder } from '../files/caller-folder.ts'
import type { CommandLine } from '../flags/args.ts'
import { UsageError } from '../flags/flag-values.ts'
import { askServer, keptRepliesName, type JudgeServer } from '../flags/judge-address.ts'
import { judgeFolder, type JudgeFlags } from '../flags/judge-flags.ts'
import type { Progress } from '../output/progress.ts'
import { filesOf } from './import-files.ts'
import { listenForInterrupt } from './interrupt.ts'
import { outputFolder, writeOwn } from './result-files.ts'
import { gpuWish, hubAccess, readLocalInputs } from './settings.ts'

/** A model's answers to one task. */
interface Candidate {
  readonly model: ModelSize
  readonly answers: JudgedAnswers
}

type Say = (text: string) => void

/** One use of a judge. */
interface Judging {
  readonly session: Session
  readonly line: CommandLine
  readonly flags: JudgeFlags
  readonly progress: Progress
  readonly print: Say
  /** Aborted when the user stops. */
  readonly signal: AbortSignal
}

/** The judge's prompt. Throws UsageError for a file that isn't there, and `judge/template`. */
export function readTemplate({ template }: JudgeFlags): string {
  if (template === null) return defaultTemplate
  const file = resolve(callerFolder(), template)
  if (!existsSync(file)) throw new UsageError(`--judge_template: there is no file ${file}`)
  const text = readFileSync(file, 'utf8')
  checkTemplate(text)
  return text
}

/** Judges the generated answers of a run that the profile keeps, and writes and prints what came out; gives the process's exit code. */
export async function judgeKeptRun(judging: Judging, runId: string): Promise<number> {
  const { session } = judging
  const row = (await session.call('listRuns')).find((one) => one.runId === runId)
  if (row === undefined) throw new UsageError(`judge ${runId}: no run has this id, and there is no such file or folder`)
  if (row.status !== 'complete') throw new UsageError(`judge ${runId}: that run is not complete; --resume ${runId} goes on with it`)
  return judgeAll(judging, candidatesOf(row))
}

function candidatesOf({ runId, manifest }: RunRow): readonly Candidate[] {
  return Object.entries(manifest.tasks)
    .filter(([, { config }]) => isRecord(config) && config['output_type'] === 'generate_until')
    .map(([task]) => ({ model: modelSizeOf(manifest), answers: { kind: 'run', runId, task } }))
}

/** `npm run eval -- judge RUN|FOLDER`; gives the process's exit code. */
export async function judgeCommand(line: CommandLine, progress: Progress, print: Say): Promise<number> {
  const [what, extra] = line.files
  if (what === undefined || extra !== undefined)
    throw new UsageError('judge wants one run: its id, or a folder or file with its results and samples')
  if (line.judge === null) throw new UsageError('judge wants --judge_model')
  const flags = line.judge
  readTemplate(flags)
  const inputs = readLocalInputs(line, callerFolder())
  const folder = mkdtempSync(join(tmpdir(), 'yardstick-judge-'))
  const interrupt = listenForInterrupt(() => progress.say('Stopping; a second Ctrl-C ends at once.'))
  let session: Session | null = null
  try {
    const isFile = existsSync(resolve(callerFolder(), what))
    const rows = isFile ? await rowsOfFiles(what, flags, folder) : null
    session = await openSession({
      gpu: gpuWish(line),
      access: hubAccess(line, inputs, process.env['HF_TOKEN']),
      localHub: createLocalHub(inputs, (text) => progress.say(text)),
      localFiles: rows?.served ?? new Map(),
      say: (text) => progress.say(text),
      signal: interrupt.signal,
    })
    const opened = session
    opened.onEvent((event) => progress.show(event))
    interrupt.signal.addEventListener('abort', () => {
      // Null would end the worker, which is for runs that are not stored yet.
      opened.call('stop', 'judge').catch(() => undefined)
    })
    const judging: Judging = { session: opened, line, flags, progress, print, signal: interrupt.signal }
    const ended = rows === null ? judgeKeptRun(judging, what) : judgeAll(judging, rows.candidates)
    return await Promise.race([ended, opened.died])
  } finally {
    progress.end()
    await session?.close()
    interrupt.release()
    rmSync(folder, { recursive: true, force: true })
  }
}

interface RowsOfFiles {
  readonly candidates: readonly Candidate[]
  readonly served: ReadonlyMap<string, string>
}

/** The answers in samples files, as rows in `folder`. */
async function rowsOfFiles(path: string, { texts }: JudgeFlags, folder: string): Promise<RowsOfFiles> {
  let next = 0
  const candidates: Candidate[] = []
  const served = new Map<string, string>()
  for (const files of filesOf(path, callerFolder()))
    for (const run of await openFiles(files, () => `judge-${(next += 1)}`))
      for (const [task, samples] of run.samples) {
        if (samples.every(({ generated }) => generated.length === 0)) continue
        const docs = judgeDocs(samples, texts)
        const text = rowsOfDocs(docs)
        const hash = sha256(text)
        const file = join(folder, `${hash}.jsonl`)
        writeFileSync(file, text)
        const address = `${localFilesPath}/judge/${hash}.jsonl`
        served.set(address, file)
        candidates.push({ model: modelOf(run), answers: { kind: 'rows', address: commandLineOrigin + address, sha256: hash, task, docs } })
      }
  return { candidates, served }
}

function modelOf({ summary, manifest }: OpenedRun): ModelSize {
  if (manifest !== null) return modelSizeOf(manifest)
  const { model_name: name, config } = summary.resultsFile
  const parameters = isRecord(config) ? config['model_num_parameters'] : null
  return {
    id: typeof name === 'string' && name !== '' ? name : 'unknown',
    parameters: typeof parameters === 'number' && parameters > 0 ? parameters : null,
  }
}

const stoppedByUser = 130

async function judgeAll(judging: Judging, candidates: readonly Candidate[]): Promise<number> {
  const { line, progress, print } = judging
  if (candidates.length === 0) throw new UsageError('there are no generated answers to judge: log-likelihood tasks have none')
  const startedAt = new Date()
  try {
    const reports = await judgeEach(judging, candidates)
    writeReports(line, reports, startedAt, progress)
    print(line.json ? JSON.stringify(reports, null, 2) : reports.map(reportText).join('\n\n'))
    return 0
  } catch (error) {
    if (!isEvalError(error) || error.code !== 'run/stopped') throw error
    progress.say('The judge was stopped; the same command goes on with what it has said.')
    return stoppedByUser
  }
}

/** The quiz first, once: it is the same judge for all. */
async function judgeEach(judging: Judging, candidates: readonly Candidate[]): Promise<readonly JudgeReport[]> {
  const { session, line, flags, progress } = judging
  const judge = flags.address === null ? judgeHere(session) : judgeElsewhere(judging, flags.address)
  const reports: JudgeReport[] = []
  let quiz: QuizOutcome | null = null
  for (const candidate of candidates) {
    const { answers } = candidate
    const { by, chatTemplate, texts } = flags
    const request: JudgeRequest = { judge: judgeModel(line, flags), template: readTemplate(flags), by, chatTemplate, answers, texts }
    if (quiz === null) {
      progress.say(`Trying the judge ${flags.model} on the quiz`)
      quiz = await judge.quiz(request)
      progress.say(quizText(quiz.score))
    }
    progress.say(`Judging the answers to ${answers.task}`)
    reports.push(reportOf(candidate, request, quiz, await judge.judge(request, quiz)))
  }
  return reports
}

type QuizOutcome = Pick<QuizRun, 'score' | 'applyChatTemplate'> & {
  readonly judge: ModelSize & { readonly dtype: string | null; readonly device: string | null }
}

interface Judge {
  quiz(request: JudgeRequest): Promise<QuizOutcome>
  judge(request: JudgeRequest, quiz: QuizOutcome): Promise<JudgeReport['outcome']>
}

function judgeHere(session: Session): Judge {
  return {
    quiz: (request) => session.call('judgeQuiz', request),
    judge: async (request, { applyChatTemplate }) => (await session.call('judge', request, { applyChatTemplate })).outcome,
  }
}

/** A judge behind an address, only when the user asks for it: what goes there is said before it does. */
function judgeElsewhere({ session, line, flags, progress, signal }: Judging, address: string): Judge {
  const { origin } = new URL(address)
  progress.say(`Questions as far as the prompt shows them, references and answers go to ${origin}.`)
  const key = process.env['YARDSTICK_JUDGE_KEY']
  const server: JudgeServer = {
    ...{ address, model: flags.model, fetch, signal },
    key: key === undefined || key === '' ? null : key,
    keptFile: line.useCache ? join(judgingFolder(line), keptRepliesName(address, flags.model)) : null,
  }
  const ask = (prompts: readonly string[]): Promise<readonly string[]> =>
    askServer(prompts, server, (done, total) => {
      if (done % 50 === 0 || done === total) progress.say(`  ${done}/${total} replies`)
    })
  return {
    quiz: async ({ template }) => {
      const replies = await ask(judgeQuiz.map((pair) => fillTemplate(template, { ...pair, question: '' })))
      const score = scoreQuiz(replies.map((reply) => readReply(reply).verdict))
      return { score, applyChatTemplate: true, judge: { id: flags.model, parameters: null, dtype: null, device: null } }
    },
    judge: async (request) => {
      const docs = await session.call('judgeDocs', request)
      return outcomeOfReplies(docs, await ask(askedDocs(docs).map((doc) => fillTemplate(request.template, doc))))
    },
  }
}

function judgeModel(line: CommandLine, { model, revision, dtype, ggufFile }: JudgeFlags): JudgeModel {
  const weights = ggufFile === null ? { dtype } : ({ dtype: ggufFile, modelFormat: 'gguf' } as const)
  return { model, revision, ...weights, modelArgs: {}, device: line.device, scoring: line.scoring, useCache: line.useCache }
}

function reportOf({ model, answers }: Candidate, request: JudgeRequest, quiz: QuizOutcome, outcome: JudgeReport['outcome']): JudgeReport {
  const { id, parameters, dtype, device } = quiz.judge
  return {
    task: answers.task,
    candidate: model,
    judge: { id, parameters, dtype, device, chatTemplate: quiz.applyChatTemplate },
    by: request.by,
    texts: request.texts,
    template: request.template,
    quiz: quiz.score,
    outcome,
  }
}

/** Below `judge/<UTC>` of the output path. */
function writeReports(line: CommandLine, reports: readonly JudgeReport[], now: Date, progress: Progress): void {
  const folder = join(judgingFolder(line), utcStamp(now))
  const files = reportFiles(reports, now)
  for (const { path, text } of files) writeOwn(join(folder, path), text)
  progress.say(`Wrote ${files.length} files below ${folder}`)
}

function judgingFolder(line: CommandLine): string {
  return join(outputFolder(line), judgeFolder)
}

/** What the terminal shows of one task. */
function reportText(report: JudgeReport): string {
  const { task, candidate, judge, outcome } = report
  const share = (value: number | undefined): string =>
    value === undefined || Number.isNaN(value) ? 'none' : `${(100 * value).toFixed(1)}%`
  return [
    `${task}: ${candidate.id} judged by ${judge.id}`,
    `  judge ${share(outcome.judge.value)}, naive ${share(outcome.naive?.value)}, of ${outcome.judge.n} answers`,
    ...reportLines(report).map((text) => `  ${text}`),
  ].join('\n')
}
