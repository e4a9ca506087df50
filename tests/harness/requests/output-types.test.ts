/** Which docs are asked and what is asked of each. */
import { describe, expect, it } from 'vitest'
import {
  buildRequests,
  countDocs,
  requestWarnings,
  walkRequests,
  type RequestSettings,
} from '../../../src/harness/requests/output-types.ts'
import { buildTask } from '../../../src/harness/requests/task.ts'
import { readTaskConfig } from '../../../src/harness/tasks/task-config.ts'
import { functionTable } from '../../../src/ports/functions/functions.ts'
import { readYamlMapping } from '../../../src/python/yaml/parse.ts'
import { rowsOf, tableOf } from '../../support/tables.ts'

const settings: RequestSettings = { numFewshot: 0, limit: null, samples: null, fewshotSeed: 1234, systemInstruction: null, chat: null }
const rows = rowsOf(Array.from({ length: 3 }, (_, index) => ({ q: `Q${index}`, a: index % 2, o: ['x', 'yy'] })))
const taskOf = (text: string, split = 'test_split') => {
  const yaml = `task: t\n${split}: test\ndoc_to_text: q\ndoc_to_target: a\n${text}`
  return buildTask(readTaskConfig(readYamlMapping(yaml, 't.yaml'), 't.yaml'), { test: tableOf(rows) }, { functions: functionTable() })
}
const choice = 'output_type: multiple_choice\ndoc_to_choice: o\n'

describe('which docs', () => {
  it.each([
    [null, 3],
    [0, 3],
    [1, 1],
    [0.5, 2],
    [0.01, 1],
    [2.9, 2],
    [99, 3],
  ])('a limit of %s leaves %i of 3', (limit, expected) => {
    expect(countDocs(3, limit)).toBe(expected)
  })

  it('walks samples in dataset order and labels them in the order given', () => {
    const { docs } = buildRequests(taskOf(choice), { ...settings, samples: [2, 0] })
    expect(docs.map(({ docId, doc }) => [docId, doc.get('q')])).toEqual([
      [2, 'Q0'],
      [0, 'Q2'],
    ])
  })

  it('refuses samples beyond the docs', () => {
    expect(() => buildRequests(taskOf(choice), { ...settings, samples: [3] })).toThrow(
      expect.objectContaining({ code: 'settings/invalid' }),
    )
  })

  it('makes requests doc by doc', () => {
    const walk = walkRequests(taskOf(choice), settings)
    expect(walk.next().value?.docId).toBe(0)
  })
})

describe('what is asked', () => {
  it('asks each choice, and with acc_mutual_info each again without a context', () => {
    const { docs } = buildRequests(taskOf(`${choice}metric_list: [{metric: acc}, {metric: acc_mutual_info}]\n`), { ...settings, limit: 1 })
    expect(docs[0]?.requests).toEqual([
      { type: 'loglikelihood', context: 'Q0', continuation: ' x' },
      { type: 'loglikelihood', context: 'Q0', continuation: ' yy' },
      { type: 'loglikelihood', context: '', continuation: ' x' },
      { type: 'loglikelihood', context: '', continuation: ' yy' },
    ])
  })

  it('drops the delimiter in a chat, unless a reply was begun without white space', () => {
    const chat = { render: () => 'C', fewshotAsMultiturn: true }
    const first = (extra: string) => buildRequests(taskOf(choice + extra), { ...settings, chat, limit: 1 }).docs[0]?.requests[0]
    expect(first('')).toMatchObject({ continuation: 'x' })
    expect(first('gen_prefix: "A:"\n')).toMatchObject({ continuation: ' x' })
    expect(first('gen_prefix: "A: "\n')).toMatchObject({ continuation: 'x' })
  })

  it('asks a loglikelihood without the delimiter, and a rolling one for the target alone', () => {
    const one = (type: string) =>
      buildRequests(taskOf(`output_type: ${type}\ndoc_to_target: "{{q}}!"\n`), { ...settings, limit: 1 }).docs[0]?.requests
    expect(one('loglikelihood')).toEqual([{ type: 'loglikelihood', context: 'Q0', continuation: 'Q0!' }])
    expect(one('loglikelihood_rolling')).toEqual([{ type: 'loglikelihood_rolling', text: 'Q0!' }])
  })

  it('generates with the settings of the file, or others in their place', () => {
    const task = taskOf('generation_kwargs: {until: ["."], temperature: 0}\n')
    expect(buildRequests(task, { ...settings, limit: 1 }).docs[0]?.requests[0]).toMatchObject({ kwargs: { until: ['.'], temperature: 0 } })
    const other = new Map([['max_gen_toks', 8]])
    expect(buildRequests(task, { ...settings, limit: 1, generationKwargs: other }).docs[0]?.requests[0]).toMatchObject({
      kwargs: { max_gen_toks: 8 },
    })
  })

  it('refuses a target that is no text where it is to be scored', () => {
    expect(() => buildRequests(taskOf('output_type: loglikelihood\n'), settings)).toThrow(
      /doc_to_target: wanted text for output_type loglikelihood, found 0/,
    )
  })
})

it('warns when examples come from the asked split and the asked doc is not kept out', () => {
  expect(requestWarnings(taskOf(choice), { numFewshot: 1 })[0]).toMatch(/prompts can show their own answer/)
  expect(requestWarnings(taskOf(choice), { numFewshot: 0 })).toEqual([])
  expect(requestWarnings(taskOf(`${choice}fewshot_split: test\n`), { numFewshot: 1 })[0]).toMatch(/No doc is among its own examples/)
})

it('warns more mildly when examples come from the asked split because the task has no other', () => {
  expect(requestWarnings(taskOf(choice, 'validation_split'), { numFewshot: 1 })[0]).toMatch(/No doc is among its own examples/)
  expect(requestWarnings(taskOf(choice, 'validation_split'), { numFewshot: 0 })).toEqual([])
})
