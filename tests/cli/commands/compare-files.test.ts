import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { compareFiles } from '../../../src/cli/commands/compare-files.ts'
import { parseCommandLine } from '../../../src/cli/flags/args.ts'
import { UsageError } from '../../../src/cli/flags/flag-values.ts'
import { mmluSubjects } from '../../../src/ports/original-mmlu/mmlu-categories.ts'

const folder = mkdtempSync(join(tmpdir(), 'compare-'))
afterAll(() => rmSync(folder, { recursive: true }))

interface MadeRun {
  /** Right or wrong, doc by doc. */
  readonly acc: readonly number[]
  readonly text?: string
  readonly hash?: string
  readonly hasResults?: boolean
  readonly model?: string
  /** The form of its weights, as a run of this program says it, and the first choice's log-likelihood in every doc. */
  readonly form?: string
  readonly logprob?: number
}

/** Writes a run as the harness does: two scores of task `t`, of which `ppl` is no mean, and one of `u` without samples. */
function writeRun(name: string, { acc, text = '{{q}}', hash = 'a', hasResults = true, model = name, form, logprob }: MadeRun): void {
  const place = join(folder, name, 'org__model')
  mkdirSync(place, { recursive: true })
  const mean = acc.reduce((sum, one) => sum + one, 0) / acc.length
  const stderr = Math.sqrt((mean * (1 - mean)) / (acc.length - 1))
  const date = '2026-01-02T00-00-00.000000'
  const results = {
    results: {
      t: { alias: 't', 'acc,none': mean, 'acc_stderr,none': stderr, 'ppl,none': 20 + mean, 'ppl_stderr,none': 1 },
      u: { alias: 'u', 'acc,none': 0.5, 'acc_stderr,none': 'N/A' },
    },
    configs: { t: { output_type: 'multiple_choice', doc_to_text: text }, u: { output_type: 'multiple_choice' } },
    chat_template_sha: null,
    model_name: model,
    ...(form === undefined ? {} : { yardstick: { dtype: 'fp32', model_format: form } }),
  }
  const resps = logprob === undefined ? [['x']] : [[[String(logprob), 'False']], [['-2', 'False']]]
  const asked = logprob === undefined ? {} : { gen_args_0: { arg_0: 'Q', arg_1: ' yes' }, gen_args_1: { arg_0: 'Q', arg_1: ' no' } }
  if (hasResults) writeFileSync(join(place, `results_${date}.json`), JSON.stringify(results))
  const line = (value: number, docId: number): string =>
    `${JSON.stringify({ doc_id: docId, doc: { doc_hash: 'no hash' }, arguments: asked, resps, filter: 'none', metrics: ['acc', 'ppl'], acc: value, ppl: -3 * value, doc_hash: hash.repeat(64) })}\n`
  writeFileSync(join(place, `samples_t_${date}.jsonl`), acc.map(line).join(''))
}

/** The first run is right where the second isn't in ten docs, the other way round in two; both are right in eighteen more. */
const better = [...Array<number>(10).fill(1), 0, 0, ...Array<number>(18).fill(1)]
const worse = [...Array<number>(10).fill(0), 1, 1, ...Array<number>(18).fill(1)]
writeRun('better', { acc: better })
writeRun('worse', { acc: worse })
writeRun('far', { acc: better.map(() => 0) })
writeRun('other-prompt', { acc: better.map(() => 0), text: 'Q: {{q}}' })
writeRun('other-docs', { acc: worse, hash: 'b' })
writeRun('bare', { acc: worse, hasResults: false })
writeRun('hostile', { acc: worse, model: 'a\u001b[2Jb|\nc' })

writeRun('weights', { acc: worse, form: 'safetensors', logprob: -1 })
writeRun('converted', { acc: worse, form: 'onnx', logprob: -1.001 })
writeRun('broken', { acc: worse, form: 'onnx', logprob: -3 })

async function run(paths: readonly string[], json = false, hasDetails = false) {
  const said: string[] = []
  const printed: string[] = []
  await compareFiles(paths, { from: folder, json, say: (text) => said.push(text), print: (text) => printed.push(text) }, hasDetails)
  return { said: said.join('\n'), printed: printed.join('\n') }
}

async function scoresOf(paths: readonly string[]) {
  // The command's own JSON; what it holds is what the tests check.
  const parsed = JSON.parse((await run(paths, true)).printed) as {
    readonly runs: readonly { readonly label: string; readonly model: string }[]
    readonly comparisons: readonly { readonly scores: readonly { readonly [key: string]: unknown }[] }[]
  }
  return parsed
}

describe('compare', () => {
  test('takes its runs from the command line', () => {
    expect(parseCommandLine(['compare', 'a', 'b.json', '--json'])).toMatchObject({ command: 'compare', files: ['a', 'b.json'], json: true })
  })

  test('says in one sentence whether another form of the weights computes the same', async () => {
    const { printed } = await run(['weights', 'converted', 'broken', 'better'])
    expect(printed.split('\n').filter((line) => line.includes('faithful'))).toEqual([
      'Is this conversion faithful? Yes, if both are of the same weights: A (safetensors, fp32) and B (onnx, fp32) compute the same. Of 60 log-probabilities the largest difference is 1.0e-3 nats (t, doc 0; limit 0.005 nats, float32), the mean 5.0e-4; 0 of 30 picks differ.',
      'Is this conversion faithful? No, if both are of the same weights: A (safetensors, fp32) and C (onnx, fp32) do not compute the same. Of 60 log-probabilities the largest difference is 2.0e+0 nats (t, doc 0; limit 0.005 nats, float32), the mean 1.0e+0; 30 of 30 picks differ.',
    ])
    const { comparisons } = JSON.parse((await run(['weights', 'broken', 'better'], true)).printed) as { comparisons: unknown }
    expect(comparisons).toMatchObject([{ conversion: { verdict: 'unfaithful', maxAbsDiff: 2 } }, { conversion: null }])
  })

  test('pairs docs: McNemar’s p of ten against two, the docs that changed sides, and the correction over all scores', async () => {
    const { runs, comparisons } = await scoresOf(['better', 'worse'])
    expect(runs).toMatchObject([
      { label: 'A', model: 'better' },
      { label: 'B', model: 'worse' },
    ])
    expect(comparisons).toMatchObject([
      {
        left: 'A',
        right: 'B',
        tasks: [
          { task: 't', verdict: 'green', reasons: [] },
          { task: 'u', verdict: 'green' },
        ],
        scores: [
          {
            metric: 'acc',
            isSignificant: false,
            difference: {
              test: 'mcnemar',
              docs: 30,
              p: 0.03857421875,
              pAdjusted: 0.0771484375,
              flips: { leftOnly: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], rightOnly: [10, 11] },
            },
          },
          // The samples' mean isn't the score, so the docs say nothing of it.
          { metric: 'ppl', isSignificant: false, difference: { test: 'unpaired', docs: null, flips: null } },
          { task: 'u', difference: null, isSignificant: false },
        ],
      },
    ])
    const { printed } = await run(['better', 'worse'])
    expect(printed).toContain('green, the same setup')
    expect(printed).toContain('t, acc: only A is right in 10 docs (0, 1, 2, 3, 4, 5, 6, 7, 8, 9); only B in 2 docs (10, 11).')
    expect(printed).toContain('|+0.2667|')
    expect(printed).not.toContain('*')
  })

  test('marks a difference only when it is significant, and twenty docs of those that changed', async () => {
    const { printed } = await run(['better', 'far'])
    expect(printed).toMatch(/\|\+0\.9333 \* *\|/)
    expect(printed).toContain(
      'only A is right in 28 docs (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, and 8 more); only B in 0 docs.',
    )
  })

  test('marks nothing when the prompt was another, and says which', async () => {
    const { printed } = await run(['better', 'other-prompt'])
    expect(printed).toContain('red, not comparable')
    expect(printed).toContain('doc_to_text is “{{q}}” in one and “Q: {{q}}” in the other')
    expect(printed).toContain('|+0.9333|')
    expect(printed).not.toContain('*')
  })

  test('doesn’t pair docs whose content differs under the same id', async () => {
    const { comparisons } = await scoresOf(['better', 'other-docs'])
    expect(comparisons[0]?.scores[0]).toMatchObject({ difference: { test: 'unpaired' } })
  })

  test('compares samples without their results file with care', async () => {
    const { printed } = await run(['better', 'bare'])
    expect(printed).toContain('amber, comparable with care')
    expect(printed).toContain('B came without its results file')
    expect(printed).toContain('mcnemar')
  })

  test('compares several with the first, all in one family of tests', async () => {
    const { comparisons } = await scoresOf(['better', 'worse', 'far'])
    expect(comparisons).toMatchObject([{ right: 'B' }, { right: 'C' }])
    // Four tests in all: C's acc has the smallest p and is multiplied by four, B's comes next, by three.
    expect(comparisons[0]?.scores[0]).toMatchObject({ difference: { pAdjusted: 3 * 0.03857421875 } })
  })

  test('finds the samples of a results file by its date, and keeps a stranger’s text on its line', async () => {
    const file = (name: string): string => join(name, 'org__model', 'results_2026-01-02T00-00-00.000000.json')
    const { printed } = await run([file('better'), file('hostile')])
    expect(printed).toContain('B = a [2Jb| c (')
    expect(printed).toContain('mcnemar')
  })

  test('refuses one run, and what isn’t there', async () => {
    await expect(run(['better'])).rejects.toThrow(UsageError)
    await expect(run(['better', 'nothing'])).rejects.toThrow('there is no file nothing')
  })
})

describe('a comparison of many scores', () => {
  const list = (value: number) =>
    [
      ...mmluSubjects.map((subject, at) => `Average accuracy ${(value + (at % 7) / 100).toFixed(3)} - ${subject}`),
      `Average accuracy: ${value.toFixed(3)}`,
    ].join('\n')
  for (const [name, value] of [
    ['one', 0.6],
    ['two', 0.61],
    ['three', 0.5],
  ] as const)
    writeFileSync(join(folder, `${name}.txt`), list(value))

  test('says each thing once, prints the group and folds the subjects; --details prints them', async () => {
    const lists = ['one.txt', 'two.txt', 'three.txt']
    const { printed } = await run(lists)
    expect(printed.match(/Not both files say how the task was asked/g)).toHaveLength(2)
    expect(printed.match(/Setup of /g)).toHaveLength(2)
    expect(printed).toMatch(/^\|mmlu\|none/m)
    expect(printed).toContain('57 more scores, none of them significant; --details prints them.')
    expect(printed.split('\n').length).toBeLessThan(45)
    const all = await run(lists, false, true)
    expect(all.printed.match(/^\|mmlu_anatomy\s/gm)).toHaveLength(2)
    expect(parseCommandLine(['compare', 'a', 'b', '--details']).details).toBe(true)
  })
})
