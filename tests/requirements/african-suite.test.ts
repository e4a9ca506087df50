/** Section C of docs/requirements.md, the African-language suite: each test carries its item. */
import { describe, expect, it } from 'vitest'
import { walkRequests } from '../../src/harness/requests/output-types.ts'
import { isList, toNumber } from '../../src/python/value.ts'
import { rowsOf } from '../support/tables.ts'
import { plainSettings, runTask, scoreBy, taskFrom } from './run-task.ts'

const rows = rowsOf([
  {
    subject: 'elementary_mathematics',
    question: 'Kínni iyì p nínú 24 = 2p?',
    choices: ['p = 4', 'p = 8', 'p = 12', 'p = 24'],
    answer: 'C',
  },
])
const yaml = `test_split: test
output_type: multiple_choice
doc_to_text: "Question: {{question}}\\nAnswer:"
doc_to_choice: choices
doc_to_target: "{{['A', 'B', 'C', 'D'].index(answer)}}"
metric_list: [{metric: acc}, {metric: acc_norm}, {metric: acc_bytes}, {metric: brier_score, aggregation: brier_score}]
`
const logprobs = [-16.883224487304688, -14.883224487304688, -12.008225440979004, -16.508224487304688]
const [first = new Map()] = rows
const scored = () =>
  runTask(
    taskFrom(yaml, rows),
    scoreBy((continuation) => logprobs[['p = 4', 'p = 8', 'p = 12', 'p = 24'].indexOf(continuation.trimStart())] ?? NaN),
  )

describe('a Yorùbá item', () => {
  it('C: AfriMMLU, AfriXNLI, Belebele (MC acc): a Yorùbá item is asked with all its marks', () => {
    const [doc] = walkRequests(taskFrom(yaml, rows), plainSettings)
    expect(doc?.requests.map((request) => (request.type === 'loglikelihood' ? request.context + request.continuation : ''))).toEqual(
      ['p = 4', 'p = 8', 'p = 12', 'p = 24'].map((choice) => `Question: ${String(first.get('question'))}\nAnswer: ${choice}`),
    )
  })

  it('C: Worked log-likelihoods: sums, normalised sums and probabilities of the worked examples', () => {
    const run = scored()
    expect(run.metric('acc').value).toBe(1)
    expect(run.metric('acc_norm').value).toBe(1)
    expect(run.metric('brier_score').value).toBeCloseTo(0.0078, 4)
    const responses = (run.samples.lines[0]?.filtered ?? []).map((pair) => (isList(pair) ? (toNumber(pair[0] ?? null) ?? NaN) : NaN))
    const lengths = ['p = 4', 'p = 8', 'p = 12', 'p = 24'].map((choice) => choice.length)
    expect(responses.map((value, at) => (value / (lengths[at] ?? 1)).toFixed(4))).toEqual(['-3.3766', '-2.9766', '-2.0014', '-2.7514'])
  })

  it('C: (logprob, is_greedy) tuple: both stand in the sample line', () => {
    const [line] = scored().samples.lines
    expect(line?.filtered.length).toBe(4)
    expect(JSON.stringify(line?.filtered[2], (_key, value: unknown) => (value instanceof Map ? [...value] : value))).toContain('false')
  })

  it('C: fixed few-shot seeds: the same seed draws the same examples, another one others', () => {
    const pool = rowsOf(Array.from({ length: 40 }, (_, at) => ({ question: `Q${at}`, choices: ['x', 'y'], answer: 'A', subject: 's' })))
    const contexts = (seed: number): string[] =>
      [
        ...walkRequests(taskFrom(`${yaml}fewshot_split: test\n`, pool), { ...plainSettings, numFewshot: 3, limit: 5, fewshotSeed: seed }),
      ].map(({ requests: [request] }) => (request?.type === 'loglikelihood' ? request.context : ''))
    expect(contexts(1234)).toEqual(contexts(1234))
    expect(contexts(1234)).not.toEqual(contexts(4321))
  })
})
