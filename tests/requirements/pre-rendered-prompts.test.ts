/** Section A of docs/requirements.md, published evaluations whose prompts stand in columns: each test carries its item. */
import { describe, expect, it } from 'vitest'
import { aggregateGroup } from '../../src/harness/metrics/aggregation/groups.ts'
import { walkRequests } from '../../src/harness/requests/output-types.ts'
import { functionTable } from '../../src/ports/functions/functions.ts'
import { FunctionRef } from '../../src/python/yaml/yaml-value.ts'
import { rowsOf } from '../support/tables.ts'
import { generateBy, plainSettings, runTask, taskFrom } from './run-task.ts'

const recipe = `test_split: test
output_type: generate_until
doc_to_text: "{{input_final_prompts[0]}}"
doc_to_target: "{{input_correct_responses[0]}}"
num_fewshot: 0
generation_kwargs: {until: [], do_sample: false, temperature: 0, max_gen_toks: 1024}
filter_list:
  - name: strict-match
    filter:
      - {function: regex, group_select: -1, regex_pattern: 'best answer is ([A-Z])'}
      - {function: take_first}
metric_list: [{metric: exact_match, aggregation: mean, higher_is_better: true, ignore_case: true, ignore_punctuation: true}]
`
const prompt = '<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\nQ: 1+1?\n\nA. 2\nB. 3<|eot_id|>'
const rows = rowsOf([
  { input_final_prompts: [prompt], input_correct_responses: ['C'] },
  { input_final_prompts: ['other'], input_correct_responses: ['A'] },
])
const answers = ['… the best answer is A. No: the best answer is C.', 'I cannot say.']
const run = () =>
  runTask(
    taskFrom(recipe, rows),
    generateBy((doc) => answers[doc === rows[0] || hasPrompt(doc) ? 0 : 1] ?? ''),
  )
const hasPrompt = (doc: ReadonlyMap<string, unknown>): boolean => JSON.stringify(doc.get('input_final_prompts')).includes('begin_of_text')

describe('prompts that were rendered before', () => {
  it('A: Dataset = prompts in columns (input_final_prompts[0], input_correct_responses[0])', () => {
    const [doc] = walkRequests(taskFrom(recipe, rows), plainSettings)
    expect(doc?.requests[0]).toMatchObject({ context: prompt })
    expect(doc?.target).toBe('C')
  })

  it('A: num_fewshot: 0 with shots already in prompt: the prompt is the column, byte for byte', () => {
    for (const { doc, requests } of walkRequests(taskFrom(recipe, rows), plainSettings)) {
      const [request] = requests
      expect(doc.get('input_final_prompts')).toEqual([request?.type === 'generate_until' ? request.context : null])
    }
  })

  it('A: filter_list regex best answer is ([A-Z]), group_select −1, take_first: the last match, and [invalid] without one', () => {
    const scored = run()
    expect(scored.samples.lines.map(({ filtered }) => filtered)).toEqual([['C'], ['[invalid]']])
    expect(scored.metric('exact_match').value).toBe(0.5)
  })

  it('A: generation_kwargs until: [], temperature 0, max_gen_toks 1024: no stop of ours is added', () => {
    const [doc] = walkRequests(taskFrom(recipe, rows), plainSettings)
    expect(doc?.requests[0]).toMatchObject({ kwargs: { until: [], do_sample: false, temperature: 0, max_gen_toks: 1024 } })
  })

  it.each([
    [true, 1],
    [false, 0],
  ])('A: exact_match ignore_case, ignore_punctuation: " c." against "C" with both %s gives %i', (ignore, expected) => {
    const yaml = recipe
      .replace(/filter_list:[\s\S]*take_first\}\n/, '')
      .replace(/ignore_case: true, ignore_punctuation: true/, `ignore_case: ${ignore}, ignore_punctuation: ${ignore}`)
    // The harness strips nothing of its own: a leading blank would still differ.
    const scored = runTask(
      taskFrom(yaml, rows.slice(0, 1)),
      generateBy(() => 'c.'),
    )
    expect(scored.metric('exact_match').value).toBe(expected)
  })

  it('A: process_docs / !function: one that nobody has ported is refused by its name', () => {
    expect(() => functionTable().processDocs(new FunctionRef('utils.my_own_docs', 'mine/task.yaml'))).toThrow(/utils\.my_own_docs/)
  })

  it('A: micro vs macro average: sizes 10 and 30 with .5 and .9', () => {
    const leaves = [
      { sampleLen: 10, values: new Map([['acc,none', 0.5]]) },
      { sampleLen: 30, values: new Map([['acc,none', 0.9]]) },
    ]
    const by = (weightBySize: boolean) =>
      aggregateGroup([{ metric: 'acc', filterList: ['none'], weightBySize }], leaves).values.get('acc,none')
    expect(by(false)).toBeCloseTo(0.7, 12)
    expect(by(true)).toBeCloseTo(0.8, 12)
  })
})
