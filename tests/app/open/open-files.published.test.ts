/** Files of other programs: predictions of OpenCompass, and the lines that the original MMLU program prints. */
import { describe, expect, test } from 'vitest'
import { compareRuns } from '../../../src/analysis/compare/compare-runs.ts'
import { comparedSample } from '../../../src/analysis/compare/compared-run.ts'
import { comparedRun } from '../../../src/app/compare/compared-run.ts'
import { openFiles } from '../../../src/app/open/open-files.ts'

const open = (...files: readonly (readonly [name: string, content: string])[]) => {
  let next = 0
  return openFiles(
    files.map(([name, content]) => ({ name, file: new Blob([content]) })),
    () => `opened-${(next += 1)}`,
  )
}
const invalid: unknown = expect.objectContaining({ code: 'results/invalid' })

describe('predictions of OpenCompass', () => {
  const predictions = (answers: readonly string[]) =>
    JSON.stringify(
      Object.fromEntries(
        answers.map((prediction, at) => [
          String(at),
          {
            origin_prompt: [
              { role: 'HUMAN', prompt: `Question ${at}` },
              { role: 'BOT', prompt: '' },
            ],
            prediction,
            gold: ['A', 'B', 'C'][at],
          },
        ]),
      ),
      null,
      4,
    )

  test('open as one run, a dataset each, with the score that is told here and said to be', async () => {
    const [run, ...more] = await open(
      ['predictions/m/one.json', predictions(['A', ' B\n', 'D'])],
      ['predictions/m/two.json', predictions(['C'])],
    )
    expect(more).toEqual([])
    expect(run?.notes).toEqual([{ kind: 'opencompass' }])
    expect([...(run?.samples.keys() ?? [])]).toEqual(['one', 'two'])
    expect(run?.samples.get('one')?.[1]).toMatchObject({
      docId: 1,
      prompt: 'Question 1\n',
      target: 'B',
      generated: [' B\n'],
      metrics: { exact_match: 1 },
    })
    expect(run?.summary.table.tasks).toMatchObject([
      { task: 'one', metric: 'exact_match', value: 2 / 3, n: 3 },
      { task: 'two', metric: 'exact_match', value: 0, n: 1 },
    ])
  })

  test('are compared doc by doc with others of the dataset', async () => {
    const [left] = await open(['a/set.json', predictions(['A', 'B', 'C'])])
    const [right] = await open(['b/set.json', predictions(['A', 'A', 'A'])])
    const compared = [left, right].map((run, at) => {
      if (run === undefined) throw new Error('nothing was opened')
      return comparedRun(run.summary, new Map([...run.samples].map(([task, views]) => [task, views.map(comparedSample)])), String(at))
    })
    const [a, b] = compared
    if (a === undefined || b === undefined) throw new Error('two were opened')
    expect(compareRuns(a, [b])).toMatchObject([
      { scores: [{ task: 'set', difference: { test: 'mcnemar', p: 0.5, flips: { leftOnly: [1, 2] } } }] },
    ])
  })

  test('of another form are refused by the entry', async () => {
    await expect(open(['p.json', '{"0": {"prediction": 3, "gold": "A"}}'])).rejects.toEqual(invalid)
    await expect(open(['a/p.json', predictions(['A'])], ['b/p.json', predictions(['A'])])).rejects.toEqual(invalid)
  })
})

describe('lists of average accuracies', () => {
  const printed = 'Average accuracy 0.310 - abstract algebra\nAverage accuracy 0.667 - anatomy\nAverage accuracy: 0.500\n'

  test('open as scores of the harness’s tasks, with the stated overall number and the mean of the subjects', async () => {
    const list = printed.replace('abstract algebra', 'abstract_algebra')
    const [run] = await open(['log.txt', `loading\n${list}`])
    expect(run?.summary.resultsFile['results']).toMatchObject({
      mmlu: { 'acc,none': 0.5, 'acc_macro,none': (0.31 + 0.667) / 2 },
      mmlu_abstract_algebra: { 'acc,none': 0.31 },
      mmlu_anatomy: { 'acc,none': 0.667 },
    })
  })

  test('without a subject of MMLU are refused', async () => {
    await expect(open(['log.txt', 'Average accuracy 0.5 - nothing known\n'])).rejects.toEqual(invalid)
  })
})
