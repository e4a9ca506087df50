/** Section E of docs/requirements.md, a custom multiple-choice benchmark: each test carries its item. */
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { walkRequests, requestWarnings } from '../../src/harness/requests/output-types.ts'
import type { PyDict } from '../../src/python/value.ts'
import { parsePythonJson } from '../conformance/python-json.ts'
import { asDict } from '../support/make-task.ts'
import { rowsOf } from '../support/tables.ts'
import { plainSettings, runTask, scoreBy, taskFrom } from './run-task.ts'

const text = (doc: PyDict, column: string): string => {
  const value = doc.get(column)
  return typeof value === 'string' ? value : ''
}

const letters = `test_split: test
output_type: multiple_choice
doc_to_text: "{{question.strip()}} \\nA. {{options['A']}}\\nB. {{options['B']}}\\nAnswer:"
doc_to_choice: ["A", "B"]
doc_to_target: "{{ ['A', 'B'].index(answer)}}"
metric_list: [{metric: acc}, {metric: acc_norm}]
`
const whole = letters
  .replace('doc_to_choice: ["A", "B"]', 'doc_to_choice: "{{options.values()|list}}"')
  .replace(/doc_to_text: .*/, 'doc_to_text: "{{question.strip()}}\\nAnswer:"')
const rows = rowsOf([
  {
    question: ' Capital of the UAE?\n',
    options: new Map([
      ['A', 'Dubai'],
      ['B', 'Abu Dhabi'],
    ]),
    answer: 'B',
  },
])

describe('a benchmark of one’s own', () => {
  it("E: doc_to_text Jinja with .strip(), options['A']", () => {
    const [doc] = walkRequests(taskFrom(letters, rows), plainSettings)
    expect(doc?.requests[0]).toEqual({
      type: 'loglikelihood',
      context: 'Capital of the UAE? \nA. Dubai\nB. Abu Dhabi\nAnswer:',
      continuation: ' A',
    })
  })

  it('E: doc_to_choice list and {{options.values()|list}}: both keep the order', () => {
    const continuations = (yaml: string) =>
      [...walkRequests(taskFrom(yaml, rows), plainSettings)].flatMap(({ requests }) =>
        requests.map((request) => (request.type === 'loglikelihood' ? request.continuation : '')),
      )
    expect(continuations(letters)).toEqual([' A', ' B'])
    expect(continuations(whole)).toEqual([' Dubai', ' Abu Dhabi'])
  })

  it('E: doc_to_target = .index(answer): a letter becomes a position', () => {
    expect([...walkRequests(taskFrom(letters, rows), plainSettings)][0]?.target).toBe(1)
  })

  it('E: Explained formula (token norm) vs LME (char norm): the worked example in nats and in log10', () => {
    // One token of probability .5 against two whose product is .42; by characters, bytes and tokens the longer one wins.
    const logs = new Map([
      [' Dubai', Math.log(0.5)],
      [' Abu Dhabi', Math.log(0.42)],
    ])
    const yaml = whole.replace(
      /metric_list: .*/,
      'metric_list: [{metric: acc}, {metric: acc_norm}, {metric: acc_bytes}, {metric: acc_tok}]',
    )
    for (const unit of [1, 1 / Math.LN10]) {
      const run = runTask(
        taskFrom(yaml, rows),
        scoreBy((continuation) => (logs.get(continuation) ?? NaN) * unit),
        {},
        (request) => (request.type === 'loglikelihood' ? request.continuation.trim().split(' ').length : null),
      )
      const values = ['acc', 'acc_norm', 'acc_bytes', 'acc_tok'].map((name) => run.metric(name).value)
      // The right answer is the second, so 1 means that it was picked.
      expect(values).toEqual([0, 1, 1, 1])
    }
  })
})

const place = new URL('../../../shared/hub/datasets/DFIR-Metric/DFIR-Metric/validation.jsonl', import.meta.url)
const isHere = existsSync(place)
if (!isHere) console.log('skipped: the DFIR rows are not beside this repository')
const dfirRows: readonly PyDict[] = isHere
  ? readFileSync(place, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => asDict(parsePythonJson(line)))
  : []
const fourLetters = `validation_split: test
output_type: multiple_choice
num_fewshot: 5
doc_to_text: "{{question.strip()}} \\nA. {{options['A']}}\\nB. {{options['B']}}\\nC. {{options['C']}}\\nD. {{options['D']}}\\nAnswer:"
doc_to_choice: ["A", "B", "C", "D"]
doc_to_target: "{{ ['A', 'B', 'C', 'D'].index(answer)}}"
metric_list: [{metric: acc}, {metric: acc_norm}]
`
const fourTexts = fourLetters
  .replace('["A", "B", "C", "D"]\ndoc', '"{{options.values() | list}}"\ndoc')
  .replace(/doc_to_text: .*/, 'doc_to_text: "{{question.strip()}}\\nAnswer:"')
  .replace('[{metric: acc}, {metric: acc_norm}]', '[{metric: acc}, {metric: acc_norm}, {metric: acc_bytes}]')

describe.skipIf(!isHere)('the DFIR rows', () => {
  it('E: num_fewshot: 5 with no fewshot_split: no doc stands in its own prompt', () => {
    const task = taskFrom(fourLetters, dfirRows)
    for (const { doc, requests } of walkRequests(task, { ...plainSettings, numFewshot: 5 })) {
      const [first] = requests
      const context = first?.type === 'loglikelihood' ? first.context : ''
      const question = text(doc, 'question').trim()
      // A question that stands twice in the data may be an example of its twin.
      const twins = dfirRows.filter((other) => text(other, 'question').trim() === question).length
      expect(context.split(question).length - 1).toBeLessThanOrEqual(twins)
      expect(context.endsWith('\nAnswer:')).toBe(true)
    }
  })

  it('E: num_fewshot: 5 with no fewshot_split: the file as published warns that examples are docs that are asked', () => {
    const warnings = requestWarnings(taskFrom(fourLetters, dfirRows), { numFewshot: 5 })
    expect(warnings).toEqual([expect.stringMatching(/come from the split 'test', which is also the one asked. No doc is among its own/)])
  })

  it('E: num_fewshot: 5 with no fewshot_split: a task that asks its few-shot split warns of the leak', () => {
    const task = taskFrom(`${fourLetters.replace('validation_split', 'test_split')}training_split: test\n`, dfirRows)
    expect(requestWarnings(task, { numFewshot: 5 }).join(' ')).toMatch(/few-shot examples come from the split 'test'/)
  })

  it('E: metrics acc + acc_norm mean, stderr: letters agree on every doc, texts do not', () => {
    const uniform = scoreBy((continuation) => -Math.log(256) * new TextEncoder().encode(continuation).length)
    const byLetter = runTask(taskFrom(fourLetters, dfirRows), uniform)
    const values = (name: string) => byLetter.samples.values.find(({ metric }) => metric === name)?.items
    expect(values('acc')).toEqual(values('acc_norm'))

    const run = runTask(taskFrom(fourTexts, dfirRows), uniform)
    const rights = (lengthOf: (text: string) => number): number =>
      dfirRows.filter((doc) => {
        const texts = [...asDict(doc.get('options') ?? null).values()].map(String)
        const scores = texts.map((text) => (-Math.log(256) * new TextEncoder().encode(` ${text}`).length) / lengthOf(text))
        return scores.indexOf(Math.max(...scores)) === 'ABCD'.indexOf(text(doc, 'answer'))
      }).length
    const n = dfirRows.length
    expect(run.metric('acc').value).toBeCloseTo(rights(() => 1) / n, 12)
    expect(run.metric('acc_norm').value).toBeCloseTo(rights((text) => Array.from(text).length) / n, 12)
    expect(run.metric('acc_bytes').value).toBeCloseTo(rights((text) => new TextEncoder().encode(text).length) / n, 12)
    const p = run.metric('acc').value
    expect(run.metric('acc').stderr).toBeCloseTo(Math.sqrt((p * (1 - p)) / (n - 1)), 12)
  })

  it('E: MCQ vs VAR comparison: the same docs in two ways', () => {
    const ids = (yaml: string) => [...walkRequests(taskFrom(yaml, dfirRows), plainSettings)].map(({ docId, target }) => [docId, target])
    expect(ids(fourTexts)).toEqual(ids(fourLetters))
  })
})
