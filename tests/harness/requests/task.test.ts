/** Task files over rows: forms of fields, splits, and what is said when something is missing. */
import { describe, expect, it } from 'vitest'
import { buildTask } from '../../../src/harness/requests/task.ts'
import { datasetReference, requiredSplits, resolveNumFewshot } from '../../../src/harness/tasks/dataset-reference.ts'
import { readTaskConfig } from '../../../src/harness/tasks/task-config.ts'
import { functionTable } from '../../../src/ports/functions/functions.ts'
import { keepWhere } from '../../../src/ports/functions/keep-where.ts'
import { repr, type PyValue } from '../../../src/python/value.ts'
import { readYamlMapping } from '../../../src/python/yaml/parse.ts'
import { rowsOf, tableOf } from '../../support/tables.ts'

const config = (text: string, file = 'x/t.yaml') => readTaskConfig(readYamlMapping(`task: t\ndataset_path: d\n${text}`, file), file)
const rows = rowsOf([
  { q: 'Q0', a: 1, options: ['x', 'y'], s: '2', kind: 'k' },
  { q: 'Q1', a: 0, options: ['v', 'w'], s: '3', kind: 'l' },
])
const build = (text: string) => buildTask(config(text), { test: tableOf(rows) }, { functions: functionTable() })

describe('fields of a task', () => {
  it.each<[string, string, 'docToText' | 'docToTarget', string]>([
    ['a column as it is', 'doc_to_text: q\ndoc_to_target: a', 'docToTarget', '1'],
    ['a template', 'doc_to_text: "{{q}}!"\ndoc_to_target: a', 'docToText', "'Q0!'"],
    ['digits as text without choices', 'doc_to_text: q\ndoc_to_target: "{{s}}"', 'docToTarget', "'2'"],
    ['digits as an index with choices', 'doc_to_text: q\ndoc_to_target: "{{a}}"\ndoc_to_choice: options', 'docToTarget', '1'],
    ['a list in brackets', 'doc_to_text: q\ndoc_to_target: "{{options}}"', 'docToTarget', "['x', 'y']"],
    ['brackets that hold no list as text', 'doc_to_text: q\ndoc_to_target: "[2,5)]"', 'docToTarget', "'[2,5)]'"],
    ['a written list', 'doc_to_text: q\ndoc_to_target: [u, v]', 'docToTarget', "['u', 'v']"],
    ['a written number', 'doc_to_text: q\ndoc_to_target: 0', 'docToTarget', '0'],
    ['a built-in prompt', 'doc_to_text: q\ndoc_to_target: a\nuse_prompt: "qa-basic:q-newline-a"', 'docToText', "'Q: Q0\\nA:'"],
  ])('take %s', (_what, text, field, expected) => {
    const data = { test: tableOf(rows.map((row) => new Map<string, PyValue>([...row, ['question', row.get('q') ?? null]]))) }
    const task = buildTask(config(`test_split: test\n${text}`), data, { functions: functionTable() })
    expect(repr(task[field](task.evalDocs[0] ?? new Map()))).toBe(expected)
  })

  it.each<[string, string, readonly PyValue[]]>([
    ['a column', 'doc_to_choice: options', ['x', 'y']],
    ['a printed list', 'doc_to_choice: "{{options}}"', ['x', 'y']],
    ['a written list', 'doc_to_choice: [p, r]', ['p', 'r']],
    ['a mapping', 'doc_to_choice: {a: p, b: r}', ['p', 'r']],
  ])('take choices from %s', (_what, text, expected) => {
    const task = build(`test_split: test\ndoc_to_text: q\ndoc_to_target: a\n${text}`)
    expect(task.docToChoice(task.evalDocs[0] ?? new Map())).toEqual(expected)
  })

  it('count several inputs and several targets by the first doc', () => {
    expect(build('test_split: test\ndoc_to_text: a\ndoc_to_target: q\ndoc_to_choice: options').multipleInput).toBe(2)
    expect(build('test_split: test\ndoc_to_text: q\ndoc_to_target: options').multipleTarget).toBe(2)
  })
})

describe('what a task refuses', () => {
  it.each([
    [
      'a template that names a column the data lack',
      'test_split: test\ndoc_to_text: "{{ nope }}"\ndoc_to_target: a',
      'template/undefined',
      /task 't', doc_to_text, line 1: 'nope' is undefined; the columns are 'q', 'a'/,
    ],
    ['an unknown key', 'test_split: test\ndoc_to_txt: q', 'task/invalid', /x\/t.yaml: task 't', doc_to_txt: unknown key/],
    [
      'an unknown key of fewshot_config',
      'test_split: test\nfewshot_config: {sampel: first_n}',
      'task/invalid',
      /fewshot_config, sampel: unknown key/,
    ],
    ['an unknown sampler', 'test_split: test\nfewshot_config: {sampler: balanced}', 'task/invalid', /wanted 'default' or 'first_n'/],
    ['an unknown output type', 'test_split: test\noutput_type: magic', 'task/invalid', /wanted one of loglikelihood/],
    [
      'a missing split',
      'test_split: nope\ndoc_to_text: q\ndoc_to_target: a',
      'dataset/schema',
      /wanted the split 'nope', but the dataset has test/,
    ],
    [
      'no split to ask',
      'training_split: test\ndoc_to_text: q\ndoc_to_target: a',
      'task/invalid',
      /neither test_split nor validation_split/,
    ],
    [
      'a target beyond the choices',
      'test_split: test\ndoc_to_text: q\ndoc_to_target: 7\ndoc_to_choice: options',
      'task/invalid',
      /index of one of 2 choices/,
    ],
    [
      'a function that is not ported',
      'test_split: test\ndoc_to_text: !function utils.magic\ndoc_to_target: a',
      'task/unknown-function',
      /'!function utils.magic' \(doc_to_\*\) is Python code that is not ported/,
    ],
    ['pictures', 'test_split: test\ndoc_to_text: q\ndoc_to_target: a\ndoc_to_image: [image]', 'task/unsupported', /shows images/],
    ['a Python class', 'class: !function task.Task', 'task/unsupported', /written in Python/],
  ])('%s', (_what, text, code, message) => {
    expect(() => build(text)).toThrow(message)
    expect(() => build(text)).toThrow(expect.objectContaining({ code }))
  })

  it('an empty split', () => {
    const empty = { test: { columns: [{ name: 'q', type: 'string' as const }], rows: [] } }
    expect(() => buildTask(config('test_split: test\ndoc_to_text: q\ndoc_to_target: q'), empty, { functions: functionTable() })).toThrow(
      expect.objectContaining({ code: 'dataset/empty' }),
    )
  })

  it('a few-shot column that only the asked split has', () => {
    const data = { test: tableOf(rows), train: tableOf(rowsOf([{ other: 'x' }])) }
    const task = buildTask(config('test_split: test\ntraining_split: train\ndoc_to_text: q\ndoc_to_target: a'), data, {
      functions: functionTable(),
    })
    expect(() => task.example.text(task.fewshotPool[0] ?? new Map())).toThrow(
      /few-shot doc_to_text: wanted the column 'q', but the row has only 'other'/,
    )
  })
})

describe('ported functions', () => {
  it('are found by the folder of the file that names them', () => {
    const families = [{ folder: 'fam', processDocs: { 'utils.only_k': keepWhere('kind', 'k') } }]
    const text = 'test_split: test\nprocess_docs: !function utils.only_k\ndoc_to_text: q\ndoc_to_target: a'
    const task = (file: string) => buildTask(config(text, file), { test: tableOf(rows) }, { functions: functionTable(families) })
    expect(task('my/fam/t.yaml').evalDocs).toHaveLength(1)
    expect(task('fam.yaml').evalDocs).toHaveLength(1)
    expect(() => task('other/t.yaml')).toThrow(expect.objectContaining({ code: 'task/unknown-function' }))
  })
})

describe('splits and datasets', () => {
  const splits = 'training_split: train\nvalidation_split: val\ntest_split: test\n'

  it('needs the examples only when some are asked for', () => {
    expect(requiredSplits(config(splits), 0)).toEqual(['test'])
    expect(requiredSplits(config(splits), 2)).toEqual(['test', 'train'])
    expect(requiredSplits(config(`${splits}fewshot_split: val\n`), 2)).toEqual(['test', 'val'])
    expect(requiredSplits(config(`${splits}fewshot_config: {samples: [{q: x}]}\n`), 2)).toEqual(['test'])
  })

  it('lets a 0 in the file beat the command line, and nothing else', () => {
    expect(resolveNumFewshot(config('num_fewshot: 0'), 5)).toBe(0)
    expect(resolveNumFewshot(config('num_fewshot: 3'), 5)).toBe(5)
    expect(resolveNumFewshot(config('num_fewshot: 3'), null)).toBe(3)
    expect(resolveNumFewshot(config(''), null)).toBe(0)
  })

  it('reads data files by split', () => {
    const reference = datasetReference(
      config('dataset_name: 2024\ndataset_kwargs: {data_files: {test: a.jsonl}, trust_remote_code: true, revision: r}'),
    )
    expect(reference).toEqual({ path: 'd', name: '2024', kwargs: { revision: 'r' }, dataFiles: { test: ['a.jsonl'] } })
    expect(datasetReference(config('dataset_kwargs: {data_files: a.jsonl}')).dataFiles).toEqual({ train: ['a.jsonl'] })
  })

  it("fills in the harness's defaults for generation", () => {
    expect(repr(config('').generationKwargs)).toBe("{'temperature': 0.0, 'do_sample': False, 'max_gen_toks': 256, 'until': ['\\n\\n']}")
    expect(repr(config('generation_kwargs: {temperature: "1"}').generationKwargs)).toBe("{'temperature': 1.0, 'until': ['\\n\\n']}")
    expect(repr(config('generation_kwargs: {until: []}').generationKwargs)).toBe("{'until': []}")
  })
})
