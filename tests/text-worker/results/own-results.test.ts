/** What is said beside the harness's results: our metrics and averages, in a key of ours, the harness's keys as they were. */
import { describe, expect, it } from 'vitest'
import type { RunResults } from '../../../src/contracts/results.ts'
import { goldenFolder, originalRun, readOriginalGolden } from '../../requirements/original-run.ts'

const golden = readOriginalGolden()
const tokenizer = golden.tokenizers['byte-level']
if (tokenizer === undefined) throw new Error('a golden is missing')

const yaml = (task: string, extra: string): string => `task: ${task}
dataset_path: csv
dataset_kwargs:
  column_names: [question, A, B, C, D, answer]
  data_files: {test: test/world_religions_test.csv}
test_split: test
output_type: multiple_choice
doc_to_text: "{{question}}"
doc_to_target: 0
${extra}`
/** Blank and letters are single tokens here, so a choice has a token a byte, its blank included. */
const choices = 'doc_to_choice: ["Z", "ZZZZ", "ZZ\u00e9"]\n'
const logprobs = [-2, -6, -3.9]

async function run(
  tasks: { readonly [name: string]: string },
  names: readonly string[] = Object.keys(tasks),
  split?: (logprob: number, tokens: number) => readonly number[],
): Promise<RunResults> {
  const made = await originalRun({
    folder: goldenFolder(),
    tokenizer: tokenizer ?? { tokenizerJson: '', tokenizerConfig: '', config: '' },
    tasks: names,
    taskFiles: Object.entries(tasks).map(([name, text]) => ({ path: `${name}.yaml`, text })),
  })
  return made.finish((_task, docId, idx) => (logprobs[idx] ?? 0) - (docId === 2 && idx === 0 ? 5 : 0), split)
}

describe('scores of ours', () => {
  it('are acc_bytes and acc_tok where a task reports acc and acc_norm, and stand in our key alone', async () => {
    const results = await run({ own: yaml('own', choices) })
    // By characters -2/1, -6/4, -3.9/3; by bytes the last has 4; by tokens they have 2, 5 and 5: -1, -1.2, -0.78.
    const [sample] = results.samples['own'] ?? []
    expect(sample?.picks).toEqual({ acc: 0, acc_norm: 2, acc_bytes: 2, acc_tok: 2 })
    expect(results.own?.scores.map(({ metric, value, n }) => [metric, value, n])).toEqual([
      ['acc_bytes', 0, 3],
      ['acc_tok', 0, 3],
    ])
    const file = results.resultsFile
    expect(Object.keys((file['results'] as { own: object }).own)).toEqual([
      'name',
      'alias',
      'sample_len',
      'acc,none',
      'acc_stderr,none',
      'acc_norm,none',
      'acc_norm_stderr,none',
    ])
    expect(file['yardstick']).toMatchObject({ own_metrics: { own: { acc_tok: 0, acc_bytes: 0 } }, averages: [] })
    expect(results.table.tasks.map(({ metric }) => metric)).toEqual(['acc', 'acc_norm'])
    // Without each token's own number there are none to show.
    expect(sample?.choices.map(({ tokens }) => tokens)).toEqual([undefined, undefined, undefined])
    // No `yardstick` key in the sample lines of a task that has none.
    expect(Object.keys(JSON.parse(sample?.line ?? '{}') as object)).not.toContain('yardstick')
  })

  it('have standard errors, and follow the docs', async () => {
    const results = await run({ own: yaml('own', 'doc_to_choice: ["Z", "ZZZZZZZZ"]\nmetric_list: [{metric: acc}, {metric: acc_bytes}]\n') })
    // Two tokens against nine: -1 against -6/9 everywhere, so never the first; by acc two of three docs are right.
    expect(results.own?.scores.map(({ metric, value }) => [metric, value])).toEqual([
      ['acc_norm', 0],
      ['acc_tok', 0],
    ])
    const always = await run({ own: yaml('own', 'doc_to_choice: ["ZZZZZZZZ", "Z"]\nmetric_list: [{metric: acc}]\n') })
    const tok = always.own?.scores.find(({ metric }) => metric === 'acc_tok')
    // -2/9 and, in doc 2, -7/9, against -6/2.
    expect([tok?.value, tok?.stderr]).toEqual([1, 0])
  })

  it('come for tasks that ask for the unconditional answers too, and not for other output types', async () => {
    const results = await run({
      mutual: yaml('mutual', `${choices}metric_list: [{metric: acc}, {metric: acc_mutual_info}]\n`),
      rolling: yaml('rolling', '')
        .replace('multiple_choice', 'loglikelihood_rolling')
        .replace('doc_to_target: 0', 'doc_to_target: "{{question}}"'),
    })
    expect(results.own?.scores.map(({ task, metric }) => `${task} ${metric}`)).toEqual([
      'mutual acc_norm',
      'mutual acc_bytes',
      'mutual acc_tok',
    ])
  })
})

describe('averages of groups', () => {
  it('are there for groups that weigh, groups that don’t and groups within groups; for means alone', async () => {
    const group = `group: g
task:
  - group: inner
    task: [a, b]
    aggregate_metric_list: [{metric: acc, weight_by_size: false}]
  - c
`
    const results = await run(
      {
        a: yaml('a', choices),
        b: yaml('b', choices),
        c: yaml('c', 'doc_to_choice: ["ZZ", "Y"]\nmetric_list: [{metric: acc}, {metric: f1}]\n'),
        g: group,
      },
      ['g'],
    )
    const twoThirds: unknown = expect.closeTo(2 / 3, 12)
    const acc = results.own?.averages.map(({ group: name, metric, macro, micro, tasks, docs }) => [name, metric, macro, micro, tasks, docs])
    expect(acc).toEqual([
      ['g', 'acc', twoThirds, twoThirds, 3, 9],
      ['g::inner', 'acc', twoThirds, twoThirds, 2, 6],
      ['g::inner', 'acc_norm', 0, 0, 2, 6],
    ])
  })
})

describe('the tokens of a choice', () => {
  const evenly = (logprob: number, tokens: number) => Array.from({ length: tokens }, () => logprob / tokens)

  it('are kept with a number each, as the text that they print', async () => {
    const results = await run({ own: yaml('own', choices) }, undefined, evenly)
    const [sample] = results.samples['own'] ?? []
    expect(sample?.choices.map(({ tokens }) => tokens?.texts)).toEqual([
      [' ', 'Z'],
      [' ', 'Z', 'Z', 'Z', 'Z'],
      [' ', 'Z', 'Z', '', 'é'],
    ])
    for (const [idx, { tokens }] of (sample?.choices ?? []).entries()) {
      expect(tokens?.ids).toHaveLength(tokens?.texts.length ?? -1)
      expect(tokens?.logprobs).toEqual(evenly(logprobs[idx] ?? 0, tokens?.texts.length ?? 0))
    }
  })

  it('are left out where their numbers don’t fit them', async () => {
    const results = await run({ own: yaml('own', choices) }, undefined, (logprob) => [logprob])
    expect(results.samples['own']?.[0]?.choices[1]?.tokens).toBeUndefined()
  })
})
