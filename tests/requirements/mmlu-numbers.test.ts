/** Section B of docs/requirements.md: MMLU's numbers: each test carries its item. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { averageLines, groupAverages } from '../../src/analysis/averages/group-averages.ts'
import { compareRuns } from '../../src/analysis/compare/compare-runs.ts'
import type { ComparedRun } from '../../src/analysis/compare/compared-run.ts'
import { readResultFile } from '../../src/analysis/compare/result-file.ts'
import type { Json } from '../../src/base/errors.ts'
import type { TaskNode } from '../../src/harness/tasks/registry-expand.ts'
import { readAverageAccuracies } from '../../src/ports/original-mmlu/average-accuracies.ts'
import {
  categoryMapOf,
  categoryMaps,
  hendrycksCategories,
  hendrycksSubcategories,
  mmluSubjects,
  subjectOfTask,
} from '../../src/ports/original-mmlu/mmlu-categories.ts'
import { accuraciesOf, averageAccuracyLines } from '../../src/ports/original-mmlu/original-mmlu.ts'
import { toNumber } from '../../src/python/value.ts'
import { madeRun } from '../analysis/compare/made-runs.ts'
import { findShared } from '../data/shared.ts'
import { rowsOf } from '../support/tables.ts'
import { bundledRegistry } from '../tasks/bundled-goldens.ts'
import { runTask, scoreBy, taskFrom } from './run-task.ts'

describe('MMLU’s subjects and areas', () => {
  const registry = bundledRegistry()
  const leaves = (node: TaskNode): readonly string[] => (node.kind === 'task' ? [node.name] : node.children.flatMap(leaves))
  const groupsOf = (node: TaskNode | undefined) =>
    node?.kind === 'group' ? node.children.map((child) => leaves(child).map((name) => subjectOfTask(name) ?? name)) : []

  it('B: subcategories (17) and 4 categories: both maps have their counts and differ in anatomy alone', () => {
    const counts = (map: keyof typeof categoryMaps) => [...categoryMaps[map].values()].map((subjects) => subjects.length)
    expect(counts('hendrycks')).toEqual([18, 13, 12, 14])
    expect(counts('lm-evaluation-harness')).toEqual([19, 13, 12, 13])
    expect([hendrycksSubcategories.size, hendrycksCategories.size, mmluSubjects.length, new Set(mmluSubjects).size]).toEqual([
      17, 4, 57, 57,
    ])
    const where = (map: keyof typeof categoryMaps) =>
      new Map([...categoryMaps[map].values()].flatMap((subjects, at) => subjects.map((subject) => [subject, at] as const)))
    const [ours, theirs] = [where('hendrycks'), where('lm-evaluation-harness')]
    expect(mmluSubjects.filter((subject) => ours.get(subject) !== theirs.get(subject))).toEqual(['anatomy'])
  })

  it.each([
    ['mmlu', 'lm-evaluation-harness'],
    ['mmlu_continuation', 'lm-evaluation-harness'],
    ['mmlu_hendrycks', 'hendrycks'],
    ['mmlu_hendrycks_continuation', 'hendrycks'],
    ['mmlu_original', 'hendrycks'],
    ['mmlu_original_fixed', 'hendrycks'],
  ])('B: subcategories (17) and 4 categories: the group %s holds 57 tasks and follows the map of %s, which is said', (name, map) => {
    const [tree] = registry.resolve([name]).tree
    const groups = groupsOf(tree)
    expect(groups.flat().sort()).toEqual(mmluSubjects)
    expect(categoryMapOf(groups)).toBe(map)
    const averages = groupAverages(
      [
        {
          name,
          alias: name,
          leaves: tree === undefined ? [] : leaves(tree),
          subgroups: tree?.kind === 'group' ? tree.children.map(leaves) : [],
        },
      ],
      new Map((tree === undefined ? [] : leaves(tree)).map((task) => [task, { sampleLen: 10, values: new Map([['acc,none', 0.5]]) }])),
      () => true,
    )
    expect(averageLines(averages).join()).toContain(`categories as in ${map}`)
    if (map !== 'hendrycks') return
    const inner = tree?.kind === 'group' ? tree.children.flatMap((child) => (child.kind === 'group' ? child.children : [])) : []
    expect(inner.map((node) => (node.kind === 'group' ? node.config.groupAlias : node.name)).sort()).toEqual(
      [...hendrycksSubcategories.keys()].sort(),
    )
  })

  it('leaves open which map it is where anatomy is missing', () => {
    expect(categoryMapOf([['astronomy'], ['virology']])).toBeNull()
    expect(categoryMapOf([['anatomy', 'virology'], ['astronomy']])).toBe('hendrycks')
    expect(categoryMapOf([['virology'], ['anatomy', 'astronomy']])).toBe('lm-evaluation-harness')
    expect(categoryMapOf([['virology', 'astronomy', 'anatomy']])).toBeNull()
  })
})

describe('averages', () => {
  const leaf = (value: number, n: number) => ({
    sampleLen: n,
    values: new Map([
      ['acc,none', value],
      ['acc_stderr,none', Math.sqrt((value * (1 - value)) / (n - 1))],
    ]),
  })

  it('B: averages: macro and micro of a group, with what they are over', () => {
    const group = { name: 'g', alias: 'g', leaves: ['a', 'b'], subgroups: [] }
    const leaves = new Map([
      ['a', leaf(0.5, 10)],
      ['b', leaf(0.9, 30)],
    ])
    const [found] = groupAverages([group], leaves, () => true)
    expect(found).toMatchObject({ tasks: 2, docs: 40, categoryMap: null })
    expect(found?.macro).toBeCloseTo(0.7, 12)
    expect(found?.micro).toBeCloseTo(0.8, 12)
    // Macro: root of the summed squares over the number of tasks.
    expect(found?.macroStderr).toBeCloseTo(Math.sqrt(0.25 / 9 + 0.09 / 29) / 2, 12)
    expect(averageLines([found].flatMap((one) => one ?? []))[0]).toMatch(
      /^g, acc: macro 0\.7000 ± 0\.\d{4} over 2 tasks, micro 0\.8000 ± 0\.\d{4} over 40 docs$/,
    )
    expect(groupAverages([group], leaves, (task) => task === 'a')).toEqual([])
  })

  it('B: averages: printed lines are read back, areas told from subjects of the same name', () => {
    const counts = [
      { subject: 'anatomy', correct: 3, docs: 4 },
      { subject: 'philosophy', correct: 1, docs: 8 },
      { subject: 'world_religions', correct: 5, docs: 8 },
    ]
    const made = accuraciesOf(counts)
    const read = readAverageAccuracies(`Loading…\n${averageAccuracyLines(made).join('\n')}\nDone`)
    expect(read.subjects).toEqual(new Map([...made.subjects]))
    expect(read.subcategories).toEqual(
      new Map([
        ['health', 0.75],
        ['philosophy', 0.375],
      ]),
    )
    expect([...read.categories.keys()]).toEqual(['humanities', 'other (business, health, misc.)'])
    expect(read.overall).toBe(0.45)
    expect(read.macro).toBeCloseTo(0.5, 12)
    expect(read.verdict).toBe('differs')
    expect(() => readAverageAccuracies('Average accuracy 0.5 - math')).toThrow(/found none with a subject/)
    expect(() => readAverageAccuracies('Average accuracy 0.5 - anatomy\nAverage accuracy 0.6 - anatomy')).toThrow(/twice/)
    expect(() => readAverageAccuracies('Average accuracy 1.5 - anatomy')).toThrow(/from 0 to 1/)
  })

  const seeds = findShared('seeds')
  const seed = seeds === null ? null : readdirSync(seeds).find((name) => name.startsWith('001_'))
  it.skipIf(seeds === null || seed === undefined)(
    'B: averages: the published lists give macro averages of their own, of which two differ from the stated ones',
    () => {
      const text = readFileSync(`${seeds ?? ''}/${seed ?? ''}`, 'utf8')
      // Each model's lists stand below a heading of its own.
      const lists = text.split(/^#### /m).filter((part) => part.includes('Average accuracy:'))
      const read = lists.map((part) => readAverageAccuracies(part))
      expect(
        read.map(({ subjects, subcategories, categories, unknown }) => [subjects.size, subcategories.size, categories.size, unknown.size]),
      ).toEqual([
        [57, 17, 4, 0],
        [57, 17, 4, 0],
        [57, 17, 4, 0],
      ])
      expect(read.map(({ macro }) => macro.toFixed(4))).toEqual(['0.6921', '0.6638', '0.6404'])
      expect(read.map(({ overall }) => overall)).toEqual([0.692, 0.65, 0.626])
      expect(read.map(({ verdict }) => verdict)).toEqual(['agrees', 'differs', 'differs'])
      // Areas of one subject are that subject, and areas of two lie between them: the map is the authors'.
      for (const { subjects, subcategories } of read) {
        for (const [name, members] of hendrycksSubcategories) {
          const values = members.map((subject) => subjects.get(subject) ?? NaN)
          const value = subcategories.get(name) ?? NaN
          expect(value).toBeGreaterThanOrEqual(Math.min(...values) - 0.001)
          expect(value).toBeLessThanOrEqual(Math.max(...values) + 0.001)
        }
      }
    },
  )
})

describe('several models', () => {
  const file = (scores: { readonly [task: string]: readonly [value: number, n: number] }): { readonly [key: string]: Json } => ({
    results: Object.fromEntries(
      Object.entries(scores).map(([task, [value, n]]) => [
        task,
        { alias: task, 'acc,none': value, 'acc_stderr,none': Math.sqrt((value * (1 - value)) / (n - 1)), sample_len: n },
      ]),
    ),
    higher_is_better: Object.fromEntries(Object.keys(scores).map((task) => [task, { acc: true }])),
    'n-samples': Object.fromEntries(Object.entries(scores).map(([task, [, n]]) => [task, { original: n, effective: n }])),
  })
  const models = [
    { name: 'Llama-3', results: file({ stem: [0.558, 3153], law: [0.6, 100] }) },
    { name: 'Llama-2', results: file({ stem: [0.37, 3153], law: [0.55, 100] }) },
    { name: 'Mistral', results: file({ stem: [0.526, 3153], law: [0.61, 100] }) },
    { name: 'Phi-3', results: file({ stem: [0.598, 3153] }) },
  ]
  const runOf = ({ name, results }: (typeof models)[number]): ComparedRun => ({
    file: readResultFile(results, name),
    hasSettings: true,
    samples: new Map(),
  })
  const runs = models.map(runOf)

  it('B: multi-model table (Llama-3/2, Mistral, Phi-3): intervals, and a difference only where it is more than luck', () => {
    const [llama3, llama2, mistral, phi3] = runs
    if (llama3 === undefined || llama2 === undefined || mistral === undefined || phi3 === undefined) throw new Error('four runs')
    const compared = compareRuns(phi3, [llama3, llama2, mistral])
    expect(compared.map(({ scores, rightOnly }) => [scores.map(({ task }) => task), rightOnly])).toEqual(
      Array.from({ length: 3 }, () => [['stem'], ['law']]),
    )
    // (0.598 - 0.558) / 0.0125 = 3.2 standard errors, over three comparisons.
    expect(compared.map(({ scores: [stem] }) => [stem?.difference?.test, stem?.isSignificant])).toEqual(
      Array.from({ length: 3 }, () => ['unpaired', true]),
    )
    const se = Math.sqrt((0.598 * 0.402) / 3152)
    expect(compared[0]?.scores[0]?.left.low).toBeCloseTo(0.598 - 1.959963984540054 * se, 12)
    // 0.01 of 0.07.
    const [best] = compareRuns(mistral, [llama3])
    expect(best?.scores.find(({ task }) => task === 'law')?.isSignificant).toBe(false)
  })

  it('B: multi-model table (Llama-3/2, Mistral, Phi-3): docs in common are compared one by one', () => {
    // 100 docs; the second model fails on nine that the first solves, and never the other way round.
    const made = (name: string, wrong: number) => madeRun(name, { t: { acc: Array.from({ length: 100 }, (_, id) => Number(id >= wrong)) } })
    const [a, b] = [made('a', 30), made('b', 39)]
    const [paired] = compareRuns(a, [b])
    expect(paired?.scores[0]).toMatchObject({
      isSignificant: true,
      difference: { test: 'mcnemar', docs: 100, changed: { leftOnly: 9, rightOnly: 0 } },
    })
    const [unpaired] = compareRuns({ ...a, samples: new Map() }, [{ ...b, samples: new Map() }])
    expect(unpaired?.scores[0]).toMatchObject({ isSignificant: false, difference: { test: 'unpaired' } })
  })

  const goldens = findShared('goldens/smollm2-135m-instruct')
  it.skipIf(goldens === null)('B: multi-model table (Llama-3/2, Mistral, Phi-3): a results file of the harness is read as it is', () => {
    const folder = goldens ?? ''
    const path = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((name) =>
      /hellaswag.*results.*\.json$|results.*hellaswag.*\.json$/.test(name),
    )
    expect(path !== undefined && existsSync(`${folder}/${path}`)).toBe(true)
    const results = JSON.parse(readFileSync(`${folder}/${path ?? ''}`, 'utf8')) as { readonly [key: string]: Json }
    const [first, ...others] = [1, 2, 3, 4].map((at) => runOf({ name: `m${at}`, results }))
    const compared = first === undefined ? [] : compareRuns(first, others)
    expect(compared.flatMap(({ scores }) => scores).length).toBeGreaterThan(0)
    expect(compared.every(({ scores }) => scores.every(({ isSignificant }) => !isSignificant))).toBe(true)
  })
})

describe('one right answer, or several', () => {
  const rows = rowsOf([
    { q: 'Prime?', options: ['2', '4', '3'], gold: [0, 2] },
    { q: 'Even?', options: ['2', '4', '3'], gold: [0, 1] },
  ])
  const yaml = `test_split: test
output_type: multiple_choice
doc_to_text: "{{q}}"
doc_to_choice: "{{options}}"
doc_to_target: gold
metric_list: [{metric: acc}]
`

  it.each([
    ['the first', ' 2', [1, 1]],
    ['the last', ' 3', [1, 0]],
    ['the middle', ' 4', [0, 1]],
  ])('B: single- vs multiple-answer question: gold [0,2] either counts: %s', (_, pick, wanted) => {
    const run = runTask(
      taskFrom(yaml, rows),
      scoreBy((continuation) => (continuation === pick ? -1 : -5)),
    )
    const items = run.samples.values.find(({ metric }) => metric === 'acc')?.items ?? []
    expect(items.map(toNumber)).toEqual(wanted)
  })

  it('B: single- vs multiple-answer question: one index counts alone', () => {
    const single = taskFrom(yaml.replace('doc_to_target: gold', 'doc_to_target: "{{gold[1]}}"'), rows)
    const run = runTask(
      single,
      scoreBy((continuation) => (continuation === ' 3' ? -1 : -5)),
    )
    expect(run.metric('acc').value).toBe(0.5)
  })
})
