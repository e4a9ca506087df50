/** A task in other styles: its docs, its right answers, and what is shown and scored of them. */
import { describe, expect, test } from 'vitest'
import { readAsking } from '../../../src/analysis/prompt-variants/asking.ts'
import { requireSameChoices } from '../../../src/analysis/prompt-variants/same-choices.ts'
import { siblingWordings, styleVariants, wordingVariants, type FanVariant } from '../../../src/analysis/prompt-variants/variants.ts'
import { walkRequests } from '../../../src/harness/requests/output-types.ts'
import { buildTask } from '../../../src/harness/requests/task.ts'
import { buildRegistry } from '../../../src/harness/tasks/registry.ts'
import { readTaskConfig } from '../../../src/harness/tasks/task-config.ts'
import { functionTable } from '../../../src/ports/functions/functions.ts'
import type { PyValue } from '../../../src/python/value.ts'
import { plainSettings } from '../../requirements/run-task.ts'
import { rowsOf, tableOf } from '../../support/tables.ts'

type Rows = readonly { readonly [column: string]: PyValue }[]
const all = ['continuation', 'letters', 'hybrid'] as const
const file = (name: string, text: string) => ({
  path: `folder/${name}.yaml`,
  text: `task: ${name}\ndataset_path: d\ntest_split: test\noutput_type: multiple_choice\n${text}`,
})

function sourceOf(text: string) {
  const [source] = buildRegistry([{ name: 'given', files: [file('t', text)] }]).resolve(['t']).tasks
  if (source === undefined) throw new Error('no task')
  return source
}

/** Of each variant the first doc's prompt, its continuations, and the right one of every doc. */
function asked(text: string, rows: Rows, variants: readonly FanVariant[]) {
  const files = [file('t', text), ...variants.flatMap((variant) => variant.file ?? [])]
  const { tasks } = buildRegistry([{ name: 'given', files }]).resolve(variants.map(({ task }) => task))
  return Object.fromEntries(
    tasks.map(({ name, config, file: path }) => {
      const task = buildTask(readTaskConfig(config, path), { test: tableOf(rowsOf(rows)) }, { functions: functionTable() })
      const docs = [...walkRequests(task, plainSettings)]
      const continuations = (docs[0]?.requests ?? []).map((request) =>
        request.type === 'loglikelihood' ? request.continuation : request.type,
      )
      const [first] = docs[0]?.requests ?? []
      const right = docs.map(({ doc, target }) => (typeof target === 'string' ? task.docToChoice(doc).indexOf(target) : target))
      return [name, { prompt: first?.type === 'loglikelihood' ? first.context : '', continuations, right }]
    }),
  )
}

describe('a task that scores continuations', () => {
  const rows: Rows = [
    { stem: 'Which is hot?', options: ['ice', 'fire', 'snow'], key: 'fire' },
    { stem: 'Which is "cold"?', options: ['ice', 'steam'], key: 'ice' },
  ]

  test('shows its options under letters, before the line that asks for the answer; each doc has its own number of them', () => {
    const text = 'doc_to_text: "Question: {{stem}}\\nAnswer:"\ndoc_to_choice: options\ndoc_to_target: "{{options.index(key)}}"\n'
    const listed = 'Question: Which is hot?\nA. ice\nB. fire\nC. snow\nAnswer:'
    expect(asked(text, rows, styleVariants(sourceOf(text), all))).toEqual({
      t: { prompt: 'Question: Which is hot?\nAnswer:', continuations: [' ice', ' fire', ' snow'], right: [1, 0] },
      t_letters: { prompt: listed, continuations: [' A', ' B', ' C'], right: [1, 0] },
      t_hybrid: { prompt: listed, continuations: [' ice', ' fire', ' snow'], right: [1, 0] },
    })
  })

  test.each([
    ['a column with the text of the right choice', 'key', [1, 0]],
    ['a template of that text', '"{{key}}"', [1, 0]],
    ['a number', '1', [1, 1]],
    ['a template of digits', '"{{ options|length - 1 }}"', [2, 1]],
  ])('finds the right letter by %s', (_name, target, right) => {
    const text = `doc_to_text: stem\ndoc_to_choice: "{{options}}"\ndoc_to_target: ${target}\n`
    const variants = asked(text, rows, styleVariants(sourceOf(text), all))
    expect([variants['t']?.right, variants['t_letters']?.right, variants['t_hybrid']?.right]).toEqual([right, right, right])
  })

  test('takes digits among the choices as a column’s text, and as a number out of a template, as the harness does', () => {
    const sums: Rows = [{ sum: '1+1', options: ['2', '0', '1'], key: '2' }]
    const right = (target: string) => {
      const text = `doc_to_text: sum\ndoc_to_choice: options\ndoc_to_target: ${target}\n`
      const variants = asked(text, sums, styleVariants(sourceOf(text), all))
      return [variants['t']?.right, variants['t_letters']?.right]
    }
    expect(right('key')).toEqual([[0], [0]])
    expect(right('"{{key}}"')).toEqual([[2], [2]])
  })

  test('gets a cue of its own where the prompt ends with the question, with a blank before the letter', () => {
    const text = 'doc_to_text: stem\ndoc_to_choice: options\ndoc_to_target: 0\ntarget_delimiter: ""\n'
    const { t_letters: letters, t_hybrid: hybrid } = asked(text, rows, styleVariants(sourceOf(text), all))
    expect(letters).toMatchObject({ prompt: 'Which is hot?\nA. ice\nB. fire\nC. snow\nAnswer:', continuations: [' A', ' B', ' C'] })
    expect(hybrid?.continuations).toEqual([' ice', ' fire', ' snow'])
  })

  test.each([
    ['{{stem}} Jibu:', '{{stem}}', ' Jibu:'],
    ['Swali: {{stem}}\n\n### 応答：', '### ', '応答：'],
  ])('keeps the cue %j behind the options', (prompt, _before, cue) => {
    const text = `doc_to_text: ${JSON.stringify(prompt)}\ndoc_to_choice: ["yes {{ no", "no"]\ndoc_to_target: 1\n`
    const { t_letters: letters } = asked(text, rows, styleVariants(sourceOf(text), all))
    expect(letters?.prompt).toMatch(/Which is hot\?\nA\. yes \{\{ no\nB\. no\n/)
    expect(letters?.prompt.endsWith(cue.trimStart())).toBe(true)
    expect(letters?.right).toEqual([1, 1])
  })
})

describe('a task that scores letters', () => {
  const rows: Rows = [
    { question: 'Hot?', choices: ['ice', 'fire'], answer: 1 },
    { question: 'Cold?', choices: ['ice', 'fire'], answer: 0 },
  ]
  const prompt = 'doc_to_text: "{{question.strip()}}\\nA. {{choices[0]}}\\nB. {{choices[1]}}\\nAnswer:"\n'

  test('is asked for the texts behind them, with its options shown and without', () => {
    const text = `${prompt}doc_to_choice: ["A", "B"]\ndoc_to_target: answer\n`
    expect(asked(text, rows, styleVariants(sourceOf(text), all))).toEqual({
      t: { prompt: 'Hot?\nA. ice\nB. fire\nAnswer:', continuations: [' A', ' B'], right: [1, 0] },
      t_continuation: { prompt: 'Hot?\nAnswer:', continuations: [' ice', ' fire'], right: [1, 0] },
      t_hybrid: { prompt: 'Hot?\nA. ice\nB. fire\nAnswer:', continuations: [' ice', ' fire'], right: [1, 0] },
    })
  })

  test('finds the right text where the target is a letter, and takes other values than texts', () => {
    const text =
      'doc_to_text: "{{q}}\\n(A) {{a}} km\\n\\n(B) {{b}} km\\nAnswer:"\ndoc_to_choice: ["(A)", "(B)"]\ndoc_to_target: "({{key}})"\n'
    const numbers: Rows = [{ q: 'How far?', a: 3, b: 40, key: 'B' }]
    const { t_continuation: bare, t } = asked(text, numbers, styleVariants(sourceOf(text), all))
    expect(t?.right).toEqual([1])
    expect(bare).toEqual({ prompt: 'How far?\nAnswer:', continuations: [' 3 km', ' 40 km'], right: [1] })
  })

  test('counts as hybrid where it shows letters and scores texts', () => {
    const text = `${prompt}doc_to_choice: choices\ndoc_to_target: answer\n`
    expect(readAsking(sourceOf(text)).style).toBe('hybrid')
    const variants = asked(text, rows, styleVariants(sourceOf(text), all))
    expect(variants['t_letters']).toMatchObject({ continuations: [' A', ' B'], right: [1, 0] })
    expect(variants['t_continuation']).toMatchObject({ prompt: 'Hot?\nAnswer:', continuations: [' ice', ' fire'] })
  })
})

describe('what can’t be asked otherwise', () => {
  test.each([
    ['output_type: generate_until\ndoc_to_text: q\ndoc_to_target: a\n', /output_type is 'generate_until', which has no choices/],
    ['doc_to_text: !function utils.text\ndoc_to_choice: ["x", "y"]\n', /doc_to_text is the Python function utils\.text/],
    ['doc_to_text: q\ndoc_to_choice: !function utils.choices\n', /doc_to_choice is the Python function utils\.choices/],
    ['doc_to_text: "{{q}}"\ndoc_to_choice: ["A", "B"]\n', /the texts behind the letters/],
    ['doc_to_text: "{{q}} A. {{a}} B. {{b}}"\ndoc_to_choice: ["A", "B"]\n', /the texts behind the letters/],
    ["doc_to_text: q\ndoc_to_choice: \"{% if q %}['x', 'y']{% endif %}\"\n", /neither a list, nor a column, nor one expression/],
    ['doc_to_text: q\ndoc_to_choice: o\nyardstick: {choice_tokens: bare}\n', /yardstick belongs to a procedure/],
    ['doc_to_text: q\ndoc_to_choice: o\nfewshot_config: {doc_to_text: "{{q}}!"}\n', /fewshot_config words the examples otherwise/],
  ])('is refused with the reason: %j', (text, reason) => {
    expect(() => styleVariants(sourceOf(text), all)).toThrow(
      expect.objectContaining({ code: 'task/unsupported', message: expect.stringMatching(reason) as string }),
    )
  })

  test('shows in the samples where no template could tell', () => {
    const sample = (task: string, choices: number, gold: number) => ({
      ...{ task, docId: 3, filter: 'none', prompt: '', target: '', generated: [], metrics: {}, line: '', picks: null },
      choices: Array.from({ length: choices }, () => ({ text: '', logprob: 0, isGreedy: false, unconditional: null })),
      gold: [gold],
    })
    const of = (choices: number, gold: number) =>
      new Map([
        ['t', [sample('t', 4, 1)]],
        ['t_letters', [sample('t_letters', choices, gold)]],
      ])
    expect(() => requireSameChoices(of(4, 1), ['t', 't_letters'])).not.toThrow()
    expect(() => requireSameChoices(of(20, 1), ['t', 't_letters'])).toThrow(/doc 3: there are 20 choices, wanted 4/)
    expect(() => requireSameChoices(of(4, 2), ['t', 't_letters'])).toThrow(/the right choice is at 3, wanted 2/)
  })
})

describe('the words of other tasks', () => {
  const words = (name: string, subset: string, text: string, more = '') =>
    file(name, `dataset_name: ${subset}\ndoc_to_text: "${text}"\ndoc_to_choice: choices\ndoc_to_target: answer\n${more}`)
  const files = [
    words('sw', 'swahili', 'Swali: {{question}}\\nJibu:'),
    words('en', 'facts', 'Question: {{question}}\\nAnswer:', 'description: "About {{topic}}."\n'),
    words('en_too', 'words', 'Question: {{question}}\\nAnswer:'),
    words('same', 'more', 'Swali: {{question}}\\nJibu:'),
    words('letters', 'facts', '{{question}}\\nA. {{choices[0]}}\\nB. {{choices[1]}}\\nAnswer:', ''),
  ]
  const registry = buildRegistry([{ name: 'given', files }])
  const [sw, ...others] = registry.resolve(['sw', 'en', 'en_too', 'same', 'letters']).tasks

  test('ask the same docs; each wording once, none that is the task’s own, none of another style', () => {
    if (sw === undefined) throw new Error('no task')
    const siblings = siblingWordings(sw, others)
    expect(siblings.map(({ name }) => name)).toEqual(['en', 'en_too', 'same'])
    const variants = wordingVariants(sw, siblings)
    expect(variants.map(({ task, wording }) => [task, wording])).toEqual([['sw_worded_as_en', 'en']])
    const made = buildRegistry([{ name: 'given', files: [...files, ...variants.flatMap((one) => one.file ?? [])] }])
    const [task] = made.resolve(['sw_worded_as_en']).tasks
    expect(Object.fromEntries(task?.config ?? [])).toMatchObject({
      dataset_name: 'swahili',
      doc_to_text: 'Question: {{question}}\nAnswer:',
      description: 'About {{topic}}.',
    })
  })
})
