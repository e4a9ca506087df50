import { describe, expect, it } from 'vitest'
import { judgedSource } from '../../../src/analysis/judge/address.ts'
import { defaultTemplate } from '../../../src/analysis/judge/default-template.ts'
import { judgeQuiz } from '../../../src/analysis/judge/quiz.ts'
import { docsOf, runJudge, runQuiz, type JudgeClient } from '../../../src/app/judge/judge-flow.ts'
import { judgedRunOf, judgeSettings, type JudgeRequest } from '../../../src/app/judge/judge-request.ts'
import { EvalError } from '../../../src/base/errors.ts'
import type { RunSettings } from '../../../src/contracts/run-settings.ts'
import type { RunRow, RunStatus } from '../../../src/contracts/runs.ts'
import type { SampleView } from '../../../src/contracts/samples.ts'
import { replyOf, sampleOf } from '../../analysis/judge/builders.ts'
import { runManifest, runRow } from '../builders.ts'

const request: JudgeRequest = {
  judge: { model: 'judge/large', revision: 'main', dtype: null, modelArgs: {}, device: 'auto', scoring: 'fast', useCache: true },
  template: defaultTemplate,
  by: 'text',
  chatTemplate: 'auto',
  answers: { kind: 'run', runId: 'candidate', task: 'made' },
  texts: { filter: null, prediction: 'none', gold: 'none' },
}

/** Runs end as `ends` says, in turn; samples come by task. */
function fakeClient(samples: { readonly [task: string]: readonly SampleView[] }, ends: readonly RunStatus[] = [], hasTemplate = true) {
  const rows: RunRow[] = []
  const calls: string[] = []
  const queue = [...ends]
  const end = (row: RunRow, status: RunStatus): void => {
    rows.splice(rows.indexOf(row), 1, { ...row, status })
  }
  const client: JudgeClient = {
    start: (settings, onEvent) => {
      if (settings.applyChatTemplate !== false && !hasTemplate)
        return Promise.reject(new EvalError('tokenizer/chat-template', 'The model has no chat template.'))
      const runId = `run-${rows.length + 1}`
      calls.push(`start ${settings.tasks.join()} ${settings.applyChatTemplate === true ? 'in its template' : 'plain'}`)
      const row = runRow(runId, 'running', { manifest: runManifest(runId, { settings }) })
      rows.push(row)
      const status = queue.shift() ?? 'complete'
      end(row, status)
      onEvent({ type: 'done', runId, status, error: null })
      return Promise.resolve(runId)
    },
    resume: (runId, onEvent) => {
      calls.push(`resume ${runId}`)
      const row = rows.find((one) => one.runId === runId)
      if (row !== undefined) end(row, 'complete')
      onEvent({ type: 'done', runId, status: 'complete', error: null })
      return Promise.resolve()
    },
    listRuns: () => Promise.resolve([...rows].reverse()),
    samplesOf: (_runId, task, { offset, count }) => {
      const all = samples[task] ?? []
      return Promise.resolve({ task, offset, total: all.length, samples: all.slice(offset, offset + count) })
    },
  }
  return { client, calls }
}

const quizSamples = judgeQuiz.map(({ isRight }, row) => replyOf(row, isRight ? '[Yes]' : 'No!'))
const answers = [sampleOf(4), sampleOf(5, { generated: [''] }), sampleOf(6, { generated: ['41'], metrics: { exact_match: 0 } })]
const samples = { judge_quiz: quizSamples, made: answers, judge_made: [replyOf(0, '[Yes]'), replyOf(1, '[No]')] }
const quiet = () => undefined

describe('D: two rounds: infer then judge', () => {
  it('the quiz is run before the answers are judged, and both replies come back', async () => {
    const { client, calls } = fakeClient(samples)
    const quiz = await runQuiz(request, client, quiet)
    expect(quiz.score).toMatchObject({ right: judgeQuiz.filter(({ isRight }) => isRight).length, n: judgeQuiz.length })
    const { outcome, runId } = await runJudge(request, quiz, client, quiet)
    expect(calls).toEqual(['start judge_quiz in its template', 'start judge_made in its template'])
    expect(runId).toBe('run-2')
    expect(outcome.docs.map(({ docId, prediction, reply, verdict }) => [docId, prediction, reply, verdict])).toEqual([
      [4, '42', '[Yes]', 'yes'],
      [5, '', null, 'no'],
      [6, '41', '[No]', 'no'],
    ])
  })

  it('a stage that was cut off goes on, and one that is complete is not run again', async () => {
    const { client, calls } = fakeClient(samples, ['complete', 'interrupted'])
    const quiz = await runQuiz(request, client, quiet)
    await expect(runJudge(request, quiz, client, quiet)).rejects.toMatchObject({ code: 'run/stopped' })
    calls.length = 0
    await runQuiz(request, client, quiet)
    expect(calls).toEqual([])
    const { outcome } = await runJudge(request, quiz, client, quiet)
    expect(calls).toEqual(['resume run-2'])
    expect(outcome.judge).toMatchObject({ right: 1, n: 3 })
    calls.length = 0
    await runJudge(request, quiz, client, quiet)
    await runJudge({ ...request, by: 'loglikelihood' }, quiz, client, quiet)
    await runJudge({ ...request, judge: { ...request.judge, useCache: false } }, quiz, client, quiet)
    expect(calls).toEqual(['start judge_made in its template', 'start judge_made in its template'])
  })

  it('a judge without a chat template is asked plainly where the choice is left to us, and refused where it isn’t', async () => {
    const { client, calls } = fakeClient(samples, [], false)
    expect(await runQuiz(request, client, quiet)).toMatchObject({ applyChatTemplate: false })
    expect(calls).toEqual(['start judge_quiz plain'])
    await expect(runQuiz({ ...request, chatTemplate: true }, client, quiet)).rejects.toMatchObject({ code: 'tokenizer/chat-template' })
  })

  it('where every answer is empty no judge is asked', async () => {
    const { client, calls } = fakeClient({ made: [sampleOf(1, { generated: ['\n'] })] })
    expect(await runJudge(request, { applyChatTemplate: false }, client, quiet)).toMatchObject({
      runId: null,
      outcome: { empty: 1, judge: { right: 0 } },
    })
    expect(calls).toEqual([])
  })

  it('the judge’s run says whose answers it judges, and where its rows come from', async () => {
    const settings: RunSettings = judgeSettings(request, true)
    expect(judgedRunOf(settings)).toEqual({ runId: 'candidate', task: 'made' })
    expect(judgedSource(Object.values(settings.dataFiles)[0] ?? '')).toEqual({
      kind: 'run',
      runId: 'candidate',
      task: 'made',
      ...request.texts,
    })
    const docs = await docsOf(request, fakeClient(samples).client)
    const rows = { kind: 'rows', address: 'https://here/rows.jsonl', sha256: 'f'.repeat(64), task: 'made', docs } as const
    const fromFile = judgeSettings({ ...request, answers: rows }, true)
    expect(Object.values(fromFile.dataFiles)).toEqual(['https://here/rows.jsonl'])
    // Two files at one address are two runs.
    expect(judgeSettings({ ...request, answers: { ...rows, sha256: 'e'.repeat(64) } }, true)).not.toEqual(fromFile)
  })

  it.each(['judged:', 'judged:{}', 'judged:{"runId":"a","task":"t","filter":3,"prediction":"none","gold":"none"}'])(
    '%j is no rows’ address',
    (address) => {
      expect(() => judgedSource(address)).toThrow('can’t be read'.replace('’', "'"))
    },
  )
})
