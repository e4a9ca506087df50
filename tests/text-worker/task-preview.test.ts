import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { TokenizerFiles } from '../../src/contracts/models.ts'
import type { Table } from '../../src/contracts/rows.ts'
import type { TaskFile } from '../../src/contracts/run-settings.ts'
import { walkRequests } from '../../src/harness/requests/output-types.ts'
import { buildTask } from '../../src/harness/requests/task.ts'
import { readTaskConfig } from '../../src/harness/tasks/task-config.ts'
import { functionTable } from '../../src/ports/functions/functions.ts'
import { readYamlMapping } from '../../src/python/yaml/parse.ts'
import type { DocSettings } from '../../src/rpc/task-preview-api.ts'
import { TaskPreview } from '../../src/text-worker/task-preview.ts'

// Written by tests/make-goldens/make_encode_goldens.py.
const golden = JSON.parse(readFileSync(new URL('../goldens/encode/gpt2.json', import.meta.url), 'utf8')) as {
  readonly files: Pick<TokenizerFiles, 'tokenizerJson' | 'tokenizerConfig' | 'config'>
}
const files: TokenizerFiles = { ...golden.files, specialTokensMap: null, chatTemplate: null, generationConfig: null }

const settings: DocSettings = {
  numFewshot: null,
  applyChatTemplate: false,
  fewshotAsMultiturn: null,
  systemInstruction: null,
  genKwargs: {},
  seeds: { random: 0, numpy: 1234, torch: 1234, fewshot: 1234 },
}

const task = `task: mine
dataset_path: json
test_split: test
output_type: multiple_choice
doc_to_text: "{{q}} \\nAnswer:"
doc_to_choice: ["yes", "no", "perhaps 東"]
doc_to_target: gold
`
const table: Table = {
  columns: [
    { name: 'q', type: 'string' },
    { name: 'gold', type: 'int64' },
  ],
  rows: Array.from({ length: 12 }, (_, n) => [`Is ${n} even?`, n % 2]),
}

async function studyOf(given: readonly TaskFile[], name: string, numFewshot: number | null = null) {
  const study = new TaskPreview()
  const index = await study.giveFiles(given)
  return { study, index, story: await study.explain(name, null, numFewshot) }
}

describe('a doc', () => {
  test('shows the requests of a run, their tokens in order and the right answer', async () => {
    const { study } = await studyOf([{ path: 'mine.yaml', text: task }], 'mine')
    await study.openTokenizer(files, {})
    await study.giveRows({ test: table })
    const view = await study.viewDoc(3, settings)
    expect(view.requests.map(({ continuation, isGold }) => [continuation, isGold])).toEqual([
      [' yes', false],
      [' no', true],
      [' perhaps 東', false],
    ])
    const [first, second, third] = view.requests
    expect(first?.context).toBe('Is 3 even? \nAnswer:')
    expect(second?.context).toBeNull()
    for (const request of view.requests) {
      expect(request.tokens?.continuation.map(({ text }) => text).join('')).toBe(request.continuation)
      expect(request.tokens?.continuation.reduce((sum, { ids }) => sum + ids.length, 0)).toBe(request.tokens?.continuationCount)
      expect(request.tokens?.contextCount).toBe(first?.tokens?.contextCount)
    }
    expect(first?.tokens?.context.map(({ text }) => text).join('')).toBe('Is 3 even? \nAnswer:')
    // A character of several tokens is one piece with all of them.
    expect(third?.tokens?.continuation.at(-1)?.ids.length).toBeGreaterThan(1)
    expect(view).toMatchObject({
      docs: 12,
      target: '1',
      fields: [
        ['q', 'Is 3 even?'],
        ['gold', '1'],
      ],
    })
    expect(view.findings.map(({ code, key, docs }) => [code, key, docs])).toEqual([['space-before-newline', 'doc_to_text', 12]])
  })

  test('has the few-shot examples that it has in a whole run', async () => {
    const { study } = await studyOf([{ path: 'mine.yaml', text: task }], 'mine', 4)
    await study.giveRows({ test: table })
    const whole = [
      ...walkRequests(
        buildTask(readTaskConfig(readYamlMapping(task, 'mine.yaml'), 'mine.yaml'), { test: table }, { functions: functionTable() }),
        {
          numFewshot: 4,
          limit: null,
          samples: null,
          fewshotSeed: 1234,
          systemInstruction: null,
          chat: null,
        },
      ),
    ]
    for (const docId of [0, 5, 11]) {
      const view = await study.viewDoc(docId, { ...settings, numFewshot: 4 })
      const [request] = whole[docId]?.requests ?? []
      expect(view.requests[0]?.context).toBe(request?.type === 'loglikelihood' ? request.context : null)
      expect(view.requests[0]?.tokens).toBeNull()
    }
  })

  test('beyond the last is refused with the number of docs', async () => {
    const { study } = await studyOf([{ path: 'mine.yaml', text: task }], 'mine')
    await study.giveRows({ test: table })
    await expect(study.viewDoc(12, settings)).rejects.toThrow('12 docs here; wanted doc 12')
  })
})

describe('a task resolved', () => {
  const given: readonly TaskFile[] = [
    { path: 'base/_defaults', text: 'dataset_path: json\ntest_split: test\n# a comment\ndoc_to_text: q\ndoc_to_target: gold\n' },
    { path: 'base/one.yaml', text: 'include: _defaults\ntask: one\ntag: both\noutput_type: multiple_choice\ndoc_to_choice: ["a", "b"]\n' },
    { path: 'base/two.yaml', text: 'include: _defaults\ntask: two\ntag: both\nprocess_docs: !function utils.nobody_has_this\n' },
    { path: 'base/all.yaml', text: 'group: all_of_them\ntask:\n  - one\n  - group: inner\n    task: [two]\nnum_fewshot: 2\n' },
    { path: 'base/other.yaml', text: 'task: unrelated\ndataset_path: json\n' },
  ]

  test('says of every key where it was set', async () => {
    const { story } = await studyOf(given, 'all_of_them')
    expect(story.nodes.map(({ name, depth }) => `${depth} ${name}`)).toEqual(['0 all_of_them', '1 one', '1 all_of_them::inner', '2 two'])
    expect(story.leaves).toEqual(['one', 'two'])
    const origins = Object.fromEntries(story.leaf.entries.map(({ key, file, line, from }) => [key, `${from} ${file}:${line ?? ''}`]))
    expect(origins).toMatchObject({
      dataset_path: 'include base/_defaults:1',
      doc_to_text: 'include base/_defaults:4',
      doc_to_choice: 'own base/one.yaml:5',
      num_fewshot: 'group :',
    })
    expect(story.leaf).toMatchObject({ numFewshot: 2, needsAllRows: true, splits: ['test'] })
  })

  test('names each `!function` that nothing here stands in for', async () => {
    const study = new TaskPreview()
    await study.giveFiles(given)
    const story = await study.explain('all_of_them', 'two', null)
    expect(story.leaf.functions).toMatchObject([
      { name: 'utils.nobody_has_this', key: 'process_docs', problem: expect.stringContaining('utils.nobody_has_this') as unknown },
    ])
  })

  test('needs the files of its group, its members and what they include, and no others', async () => {
    const { study } = await studyOf(given, 'one')
    const paths = async (...names: string[]) => (await study.filesBehind(names)).map(({ path }) => path)
    expect(await paths('all_of_them')).toEqual(['base/_defaults', 'base/all.yaml', 'base/one.yaml', 'base/two.yaml'])
    expect(await paths('one')).toEqual(['base/_defaults', 'base/one.yaml'])
    expect(await paths('both')).toEqual(['base/_defaults', 'base/one.yaml', 'base/two.yaml'])
    expect(await paths('o*,unrelated')).toEqual(['base/_defaults', 'base/one.yaml', 'base/other.yaml'])
    const alone = new TaskPreview()
    await alone.giveFiles(await study.filesBehind(['all_of_them']))
    expect(await alone.explain('all_of_them', null, null)).toEqual(await study.explain('all_of_them', null, null))
  })

  test('needs the Python file of its helpers, as the folder has it', async () => {
    const source = 'import nobody\n\ndef process_docs(dataset):\n    return nobody.has(dataset)\n'
    const helped: readonly TaskFile[] = [
      { path: 'f/utils.py', text: source },
      { path: 'f/other.py', text: 'x = 1\n' },
      { path: 'f/helped.yaml', text: 'task: helped\ndataset_path: json\ntest_split: test\nprocess_docs: !function utils.process_docs\n' },
    ]
    const { study, story } = await studyOf(helped, 'helped')
    // Not ported, and looked up by its source: the tables of sources are there as soon as files are given.
    expect(story.leaf.functions).toEqual([expect.objectContaining({ problem: expect.stringContaining('not ported') as unknown })])
    expect((await study.filesBehind(['helped'])).map(({ path }) => path)).toEqual(['f/helped.yaml', 'f/utils.py'])
  })

  test('a folder is read once, and files of the user’s own win over it', async () => {
    const study = new TaskPreview()
    const index = await study.openRoot({ name: 'folder', files: given })
    expect(index.tasks.map(({ name }) => name)).toEqual(['all_of_them', 'both', 'one', 'two', 'unrelated'])
    const own = await study.giveFiles([
      { path: 'own.yaml', text: 'include: base/_defaults\ntask: one\noutput_type: multiple_choice\ndoc_to_choice: [x]\n' },
    ])
    expect(own.tasks.map(({ name }) => name)).toEqual(['one'])
    const { leaf } = await study.explain('one', null, null)
    expect(leaf.entries.find(({ key }) => key === 'doc_to_choice')).toMatchObject({ value: '["x"]', file: 'own.yaml', line: 4 })
    expect((await study.filesBehind(['one'])).map(({ path }) => path)).toEqual(['base/_defaults', 'own.yaml'])
  })
})

describe('an error has its place', () => {
  test.each([
    ['broken YAML', `${task}  bad: [\n`, { line: 7 }],
    ['a key that is unknown', `${task}doc_to_txt: a\n`, { line: 8 }],
    ['a value of a wrong kind', task.replace('task: mine', 'task: mine\nnum_fewshot: some'), { line: 2 }],
  ])('%s', async (_name, text, place) => {
    const study = new TaskPreview()
    const index = await study.giveFiles([{ path: 'mine.yaml', text }])
    if (index.problems.length > 0) expect(index.problems[0]).toMatchObject({ file: 'mine.yaml', line: expect.any(Number) as unknown })
    else await expect(study.explain('mine', null, null)).rejects.toMatchObject({ details: { file: 'mine.yaml', ...place } })
  })

  test.each([
    ['in a quoted template', task.replace('{{q}}', '{{nothing}}'), 5],
    ['in a block, at the line within it', task.replace(/doc_to_text:.*/, 'doc_to_text: |\n  {{q}}\n  {{nothing}}'), 7],
  ])('an undefined column %s', async (_name, text, line) => {
    const { study } = await studyOf([{ path: 'mine.yaml', text }], 'mine')
    await study.giveRows({ test: table })
    await expect(study.viewDoc(0, settings)).rejects.toMatchObject({ code: 'template/undefined', details: { file: 'mine.yaml', line } })
  })
})

test('a function that can’t be run is a problem of the file that names it, at its line, as soon as the file is given', async () => {
  const text = `${task}process_docs: !function utils.my_docs\n`
  const study = new TaskPreview()
  const { tasks, problems } = await study.giveFiles([{ path: 'mine/mine.yaml', text }])
  expect(tasks.map(({ name }) => name)).toEqual(['mine'])
  expect(problems).toEqual([
    {
      file: 'mine/mine.yaml',
      message: expect.stringMatching(
        /'!function utils\.my_docs' \(process_docs\) is Python code that is not ported: .*run this one with lm_eval\.$/,
      ) as string,
      line: 8,
      column: null,
    },
  ])
  expect((await study.giveFiles([{ path: 'mine/mine.yaml', text: task }])).problems).toEqual([])
})
