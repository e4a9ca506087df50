/** What a score can't be believed without: habits of the model, prompts that were cut, golds that no choice is. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { alarmLines, ownLines } from '../../../src/cli/output/own-lines.ts'
import { rowsOf, tableOf } from '../../support/tables.ts'
import { textRun, textTable } from '../text-run.ts'

const reply = `task: t
dataset_path: d
test_split: test
output_type: generate_until
doc_to_text: "{{question}}"
doc_to_target: answer
generation_kwargs: {until: ["\\n"], max_gen_toks: 16}
filter_list:
  - name: first-letter
    filter:
      - {function: regex, regex_pattern: '\\b([A-J])\\b'}
      - {function: take_first}
metric_list: [{metric: exact_match, aggregation: mean}]
`
const choice = `task: t
dataset_path: d
test_split: test
output_type: multiple_choice
doc_to_text: "{{question}}"
doc_to_choice: ["A", "B", "C", "D"]
doc_to_target: answer
`
const questions = textTable(
  ['question', 'answer'],
  Array.from({ length: 20 }, (_, at) => [`Question ${at}?`, 'ABCD'[at % 4] ?? '']),
)

describe('B: DeepEval pitfalls: all-D outputs', () => {
  it('twenty replies that come to one letter raise the alarm, though the letter is a word of theirs', async () => {
    const run = await textRun(reply, { tables: { test: questions } })
    const results = await run.finish(() => ' A good question, whose answer may be anything')
    expect(results.table.tasks[0]?.value).toBe(0.25)
    expect(results.own?.alarms).toEqual([{ task: 't', alarm: { kind: 'one-letter', letter: 'A', picked: 20, gold: 5, of: 20 } }])
    expect(alarmLines(results.own).join('\n')).toContain('the answer read from 100% of 20 replies is A; it is right in 25%')
    expect(results.resultsFile['yardstick']).toMatchObject({ alarms: [{ task: 't', kind: 'one-letter', letter: 'A', picked: 20, of: 20 }] })
  })

  it('twenty picks of D raise it too, and a model that reads raises none', async () => {
    const run = await textRun(choice, { tables: { test: questions } })
    const all = await run.finish((_doc, idx) => (idx === 3 ? -1 : -2))
    expect(all.own?.alarms).toEqual([{ task: 't', alarm: { kind: 'one-position', norm: 'acc', position: 3, picked: 20, gold: 5, of: 20 } }])
    expect(alarmLines(all.own).join('\n')).toContain('acc picks choice D in 100% of 20 docs; it is right in 25%')
    const fair = await (await textRun(choice, { tables: { test: questions } })).finish((doc, idx) => (idx === doc % 4 ? -1 : -2))
    expect(fair.own?.alarms).toEqual([])
    const right = await (await textRun(reply, { tables: { test: questions } })).finish((doc) => ` ${'ABCD'[(doc + 1) % 4] ?? ''}`)
    expect(right.own?.alarms).toEqual([])
  })
})

describe('what is lost on the way to a score', () => {
  it('prompts of log-likelihood tasks that lose their beginning are counted, and warned of before the model answers', async () => {
    const long = textTable(
      ['question', 'answer'],
      [
        ['short', 'A'],
        ['long '.repeat(40), 'B'],
        ['longer '.repeat(50), 'C'],
      ],
    )
    const run = await textRun(choice, { tables: { test: long }, modelArgs: { max_length: 30 } })
    const [request] = run.built.requests.filter(({ docId }) => docId === 2)
    expect(request?.pieces[0]?.input).toHaveLength(30)
    const results = await run.finish((doc, idx) => (idx === doc ? -1 : -2))
    const [cut] = results.own?.cuts ?? []
    expect(cut).toMatchObject({ task: 't', docs: [1, 2] })
    expect(cut?.mostTokens).toBeGreaterThan(100)
    const warning = `t: the prompts of 2 of 3 docs, first of doc 1, are longer than the model’s window of 30 tokens and were cut at their beginning, by up to ${cut?.mostTokens ?? 0} tokens; lm-evaluation-harness does the same.`
    expect(run.built.warnings).toEqual([warning])
    expect(results.warnings).toContain(warning)
    expect(ownLines(results.own).join('\n')).toContain('docs with a prompt cut at its beginning: 2')
    expect(results.resultsFile['yardstick']).toMatchObject({
      cut_prompts: [{ task: 't', doc_ids: [1, 2], most_tokens: cut?.mostTokens }],
    })
  })

  it('golds that no choice is are named, not scored as wrong in silence', async () => {
    const odd = textTable(
      ['question', 'answer'],
      [
        ['a', 'A'],
        ['b', 'Z'],
        ['c', 'b'],
      ],
    )
    const run = await textRun(choice, { tables: { test: odd } })
    const warning = `t: the right answer of 2 of 3 docs, first of doc 1 ('Z'), is none of their choices: they count as wrong whatever is picked, in lm-evaluation-harness too.`
    expect(run.built.warnings).toEqual([warning])
    const results = await run.finish((_doc, idx) => (idx === 0 ? -1 : -2))
    expect(results.table.tasks[0]?.value).toBeCloseTo(1 / 3, 12)
    expect(results.own?.goldsOutside).toEqual([{ task: 't', docs: [1, 2], example: "'Z'" }])
    expect(ownLines(results.own).join('\n')).toContain('golds that are no choice: 2')
    expect(results.resultsFile['yardstick']).toMatchObject({ golds_outside_choices: [{ task: 't', doc_ids: [1, 2] }] })
  })

  it('a fewshot_split that is the split asked is warned of, as the same split without that key', async () => {
    const tables = { test: questions, validation: questions }
    const warningsOf = async (keys: string) =>
      (await textRun(`${choice}num_fewshot: 2\n${keys}`, { tables })).built.warnings.map((one) => one.slice(0, 70))
    const [unnamed] = await warningsOf('')
    expect(unnamed).toMatch(/^t: the few-shot examples come from the split 'test', which is also/)
    expect(await warningsOf('fewshot_split: test\n')).toEqual([unnamed])
    expect(await warningsOf('fewshot_split: validation\n')).toEqual([])
  })

  it('tokens a second stand in the one line below the results, and not in the results file, which a resumed run writes alike', async () => {
    const run = await textRun(reply, {
      tables: { test: questions },
      request: { speed: { scored: { tokens: 900, seconds: 3 }, written: { tokens: 100, seconds: 2 } } },
    })
    const results = await run.finish(() => ' B')
    expect(ownLines(results.own).join('\n')).toContain('tokens scored a second: 300.0 · tokens written a second: 50.0')
    expect(results.resultsText).not.toContain('speed')
  })
})

describe('scores of ours for written answers', () => {
  const mathTask = (own: string) => `${reply.replace("'\\b([A-J])\\b'", "'answer is (.*)'")}${own}`
  const roots = textTable(
    ['question', 'answer'],
    [
      ['a', '15.9'],
      ['b', '[0,1)'],
      ['c', '3'],
    ],
  )
  const said = [' The answer is 6\\sqrt{7}', ' The answer is [0,1)', ' The answer is 4']

  it('A: MATH: numeric tolerance option: 6√7 counts as 15.9 within a stated tolerance alone, beside the harness’s score', async () => {
    const plain = await (await textRun(mathTask(''), { tables: { test: roots } })).finish((doc) => said[doc] ?? '')
    expect(plain.own?.scores).toEqual([])
    for (const [tolerance, value] of [
      [0.002, 2 / 3],
      [0.001, 1 / 3],
    ] as const) {
      const run = await textRun(mathTask(`yardstick: {numeric_tolerance: ${tolerance}}\n`), { tables: { test: roots } })
      const results = await run.finish((doc) => said[doc] ?? '')
      const metric = `exact_match_within_${tolerance}`
      expect(results.table.tasks.map((row) => [row.metric, row.value])).toEqual([['exact_match', 1 / 3]])
      expect(results.own?.scores).toMatchObject([{ task: 't', metric, filter: 'first-letter', value: expect.closeTo(value, 12) as number }])
      expect(ownLines(results.own).join('\n')).toContain(`t: ${metric} (first-letter) ${value.toFixed(4)}`)
      expect(results.resultsFile['yardstick']).toMatchObject({
        own_metrics: { t: { [`${metric},first-letter`]: expect.closeTo(value, 12) as number } },
      })
      expect(results.warnings.join('\n')).toContain(`differ by at most ${tolerance} of the gold one`)
    }
  })

  it('can be asked for with --metadata, for a task of the harness too, and refuses what is no share', async () => {
    const settings = { metadata: { numeric_tolerance: 0.002 } }
    const results = await (await textRun(mathTask(''), { tables: { test: roots }, settings })).finish((doc) => said[doc] ?? '')
    expect(results.own?.scores[0]?.value).toBeCloseTo(2 / 3, 12)
    const broken = textRun(mathTask(''), { tables: { test: roots }, settings: { metadata: { numeric_tolerance: 'much' } } })
    await expect(broken).rejects.toThrow(/yardstick\.numeric_tolerance: wanted a share .* found 'much'/)
  })

  it('reads boxed and final answers and GSM8K’s mark in replies and targets that no filter cut', async () => {
    const raw = reply.replace(/filter_list:[\s\S]*take_first\}\n/, 'yardstick: {numeric_tolerance: 0.01}\n')
    const targets = textTable(
      ['question', 'answer'],
      [
        ['a', 'Half of it is \\boxed{\\frac{1}{2}}.'],
        ['b', '3 + 4 = <<3+4=7>>7\\n#### 7'],
        ['c', '12'],
      ],
    )
    const replies = [' So \\boxed{0.5}', ' #### 7.0', ' Final Answer: The final answer is $12.05$. I hope it is correct.']
    const results = await (await textRun(raw, { tables: { test: targets } })).finish((doc) => replies[doc] ?? '')
    expect(results.table.tasks[0]?.value).toBe(0)
    expect(results.own?.scores).toMatchObject([{ metric: 'exact_match_within_0.01', value: 1, n: 3 }])
  })
})

it('A: IFEval: mean of inst-strict and prompt-strict: 2 of 3 prompts and 4 of 5 instructions are 0.7333, as a score of ours', async () => {
  const yaml = readFileSync(new URL('../../../public/tasks/ifeval/ifeval.yaml', import.meta.url), 'utf8').replace('task: ifeval', 'task: t')
  const both = ['punctuation:no_comma', 'change_case:english_lowercase']
  const none = new Map([['num_words', null]])
  const rows = rowsOf(
    [both, both.slice(0, 1), both].map((ids, key) => ({
      key,
      prompt: `Write ${key}`,
      instruction_id_list: ids,
      kwargs: ids.map(() => none),
    })),
  )
  const run = await textRun(yaml, {
    tables: { train: tableOf(rows) },
    modelArgs: { max_length: 2000 },
    path: 'ifeval/ifeval.yaml',
  })
  const results = await run.finish((doc) => ['this is all in small letters', 'No comma here', 'Nor here'][doc] ?? '')
  const value: unknown = expect.closeTo((2 / 3 + 4 / 5) / 2, 12)
  expect(results.own?.scores).toEqual([{ task: 't', metric: 'mean_strict', value, stderr: 'N/A', n: 3 }])
  expect(ownLines(results.own).join('\n')).toContain('t: mean_strict 0.7333')
  expect(results.resultsFile['yardstick']).toMatchObject({ own_metrics: { t: { mean_strict: value } } })
})

it('B: Drop shots until ≤2048 tokens: the n-shot column shows what the prompts show, the results file what was asked for', async () => {
  const rows = textTable(
    ['question', 'answer'],
    [
      ['a short question', 'A'],
      ['a question that is a good deal longer than the other one, and longer, and longer', 'B'],
      ['one', 'C'],
      ['two', 'D'],
    ],
  )
  const yaml = `${choice}fewshot_split: dev\nnum_fewshot: 3\nyardstick: {max_prompt_tokens: 44}\n`
  const run = await textRun(yaml, { tables: { test: rows, dev: rows } })
  const results = await run.finish(() => -1)
  const shots = Object.keys(results.own?.recipes[0]?.shots ?? {}).map(Number)
  expect(Math.min(...shots)).toBeLessThan(3)
  const shown = Math.min(...shots) === Math.max(...shots) ? `${shots[0] ?? ''}` : `${Math.min(...shots)}–${Math.max(...shots)}`
  expect(results.table.tasks[0]?.nShot).toBe(shown)
  expect(results.tableText).toContain(shown)
  expect(results.resultsFile['n-shot']).toEqual({ t: 3 })
  const roomy = await (await textRun(yaml.replace('44', '250'), { tables: { test: rows, dev: rows } })).finish(() => -1)
  expect(roomy.table.tasks[0]?.nShot).toBe('3')
})
