import { describe, expect, it } from 'vitest'
import { judgeDocs } from '../../../src/analysis/judge/docs.ts'
import { judgeOutcome } from '../../../src/analysis/judge/outcome.ts'
import { judgeQuiz, scoreQuiz } from '../../../src/analysis/judge/quiz.ts'
import { reportFiles, reportLines, type JudgeReport } from '../../../src/app/judge/judge-report.ts'
import { replyOf, sampleOf } from '../../analysis/judge/builders.ts'

const texts = { filter: null, prediction: 'boxed', gold: 'none' } as const
const docs = judgeDocs(
  [
    sampleOf(10, { generated: ['So \\boxed{42}.'], metrics: { exact_match: 0 } }),
    sampleOf(11, { generated: [' '], metrics: { exact_match: 0 } }),
    sampleOf(12, { generated: ['=1+1|'] }),
    sampleOf(13, { generated: ['41'] }),
  ],
  texts,
)
const report: JudgeReport = {
  task: 'made/one',
  candidate: { id: 'org/small', parameters: 1_000_000 },
  judge: { id: 'org/large', parameters: 9_000_000, dtype: 'q4', device: 'wasm', chatTemplate: true },
  by: 'text',
  texts,
  template: '{obj_gold}={prediction}',
  quiz: scoreQuiz(judgeQuiz.map(({ isRight }) => (isRight ? 'yes' : 'no'))),
  outcome: judgeOutcome(docs, [replyOf(0, '[Yes]'), replyOf(1, 'Yes.'), replyOf(2, '[No]')]),
}
const now = new Date('2026-11-22T01:15:02.250Z')

/** What each element of a list in a file has under a key. */
function idsIn(text: string | undefined, key: string | null): unknown[] {
  const value: unknown = JSON.parse(text ?? 'null')
  const list: unknown = key === null ? value : typeof value === 'object' && value !== null ? Reflect.get(value, key) : null
  return Array.isArray(list)
    ? list.map((item: unknown): unknown => (typeof item === 'object' && item !== null ? Reflect.get(item, 'id') : null))
    : []
}

it('D: csv/md summary: names the filter that was taken, also where it is the task’s first', () => {
  const [header = '', row = ''] = (reportFiles([report], now).find(({ path }) => path.endsWith('.csv'))?.text ?? '').split('\n')
  expect(row.split(',')[header.split(',').indexOf('filter')]).toBe(docs[0]?.filter)
  expect(docs[0]?.filter).not.toBe('')
})

describe('D: both predictions and judge replies saved', () => {
  const files = reportFiles([report], now)
  const at = (path: string) => files.find((file) => file.path === path)?.text

  it('in two files, linked by the docs’ ids', () => {
    expect(files.map(({ path }) => path)).toEqual([
      'predictions/org__small/made_one.json',
      'results/org__small/made_one.json',
      'summary_20261122T011502Z.csv',
      'summary_20261122T011502Z.md',
    ])
    expect(idsIn(at('predictions/org__small/made_one.json'), null)).toEqual([10, 11, 12, 13])
    expect(idsIn(at('results/org__small/made_one.json'), 'replies')).toEqual([10, 11, 12, 13])
  })

  it('with the prompt, the judge, and who decided what', () => {
    expect(at('results/org__small/made_one.json')).toMatchSnapshot()
  })
})

describe('D: csv/md summary, timestamps, work_dir', () => {
  const files = reportFiles([report], now)

  it('the summary is one CSV line a task, with a UTC stamp', () => {
    expect(files.at(-2)?.text).toMatchSnapshot()
  })

  it('and a Markdown table with what is to be known of it', () => {
    expect(files.at(-1)?.text).toMatchSnapshot()
  })

  it('says why there is no 2×2 table', () => {
    const none = { ...report.outcome, table: null, agreement: null }
    expect(reportLines({ ...report, outcome: { ...none, naive: null } }).at(-1)).toContain('doesn’t say right or wrong')
    expect(reportLines({ ...report, outcome: none }).at(-1)).toContain('No doc has a valid verdict')
  })
})
