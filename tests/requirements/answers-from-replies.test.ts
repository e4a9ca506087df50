/** Sections A and B of docs/requirements.md: reading free replies: each test carries its item. */
import { describe, expect, it } from 'vitest'
import { extractLetter } from '../../src/analysis/answers/answer-letter.ts'
import { failureRate, guessFailures } from '../../src/analysis/answers/failures.ts'
import { evaluateLatex } from '../../src/analysis/answers/latex-number.ts'
import { boxedOf, matchMath } from '../../src/analysis/answers/math-equality.ts'
import { ifevalAverages } from '../../src/analysis/averages/ifeval-averages.ts'
import { walkRequests } from '../../src/harness/requests/output-types.ts'
import { dumpTaskConfig } from '../../src/harness/results/config-entry.ts'
import { str, toJson } from '../../src/python/value.ts'
import { rowsOf } from '../support/tables.ts'
import { generateBy, plainSettings, runTask, taskFrom } from './run-task.ts'

describe('A: MATH: boxed{} parse, string equality before equivalence, [0,1) intervals, 6sqrt{7} vs 1.59e+1', () => {
  it.each([
    ['Therefore, the final answer is: $\\boxed{\\frac{1}{2}}$. I hope it is correct.', '\\frac{1}{2}'],
    ['First \\boxed{1}, then \\boxed{\\{x : x \\in \\{1,2\\}\\}}.', '\\{x : x \\in \\{1,2\\}\\}'],
    ['no box at all', null],
    ['\\boxed{never closed', null],
  ])('what %j boxes', (reply, answer) => {
    expect(boxedOf(reply)).toBe(answer)
  })

  it('an interval equals itself, by its text, before anything tries to parse it', () => {
    expect(matchMath('[0,1)', '[0,1)')).toBe('text')
    expect(matchMath('[0, 1)', '[0,1)')).not.toBeNull()
    expect(matchMath('$[0,1)$', '[0,1)')).toBe('text')
  })

  it.each([['[0,1]'], ['(0,1)'], ['[0,2)'], ['0,1']])('but not %j', (other) => {
    expect(matchMath(other, '[0,1)')).toBeNull()
  })

  it('6√7 is near 1.59e+1 only within a tolerance that is stated', () => {
    expect(evaluateLatex('6\\sqrt{7}')).toBeCloseTo(15.8745, 4)
    expect(matchMath('6\\sqrt{7}', '1.59e+1')).toBeNull()
    // 15.8745 lies 0.16% from 15.9.
    expect(matchMath('6\\sqrt{7}', '1.59e+1', { relativeTolerance: 0.001 })).toBeNull()
    expect(matchMath('6\\sqrt{7}', '1.59e+1', { relativeTolerance: 0.002 })).toBe('number')
    expect(matchMath('6\\sqrt{6}', '1.59e+1', { relativeTolerance: 0.002 })).toBeNull()
  })

  it('parts of intervals and lists are held against each other under the same tolerance and the same brackets', () => {
    const near = { relativeTolerance: 0.002 }
    expect(matchMath('[\\frac{1}{3}, 2)', '[0.3333,2)', near)).toBe('parts')
    expect(matchMath('(\\frac{1}{3}, 2)', '[0.3333,2)', near)).toBeNull()
    expect(matchMath('[\\frac{1}{3}, 2)', '[0.3333,2)')).toBeNull()
    // Brackets that do not enclose the whole make no interval.
    expect(matchMath('(1+2)(3+4)', '21', near)).toBe('number')
  })

  it.each([
    ['\\frac{3}{4}', 0.75],
    ['\\dfrac34', 0.75],
    ['2^{10}', 1024],
    ['-2^2', -4],
    ['\\sqrt[3]{27}', 3],
    ['2\\pi', 2 * Math.PI],
    ['1{,}000', null],
    ['1,234,567', 1234567],
    ['3 4', null],
    ['x+1', null],
    ['1/0', null],
    ['', null],
    ['('.repeat(5000), null],
  ])('%j has the value %s', (text, value) => {
    const found = evaluateLatex(text)
    if (value === null || found === null) expect(found).toBe(value)
    else expect(found).toBeCloseTo(value, 12)
  })
})

it('A: IFEval: mean of inst-strict and prompt-strict: 2 of 3 prompts and 5 of 6 instructions are 0.75', () => {
  const scores = ifevalAverages([
    { strict: [true, true], loose: [true, true] },
    { strict: [true], loose: [true] },
    { strict: [true, false, true], loose: [true, true, true] },
  ])
  expect(scores.prompt_level_strict_acc).toBeCloseTo(2 / 3, 12)
  expect(scores.inst_level_strict_acc).toBeCloseTo(5 / 6, 12)
  expect(scores).toMatchObject({ prompt_level_loose_acc: 1, inst_level_loose_acc: 1, mean_strict: 0.75 })
  expect(() => ifevalAverages([])).toThrow(expect.objectContaining({ code: 'metric/failed' }))
})

const mmluPro = `test_split: test
output_type: generate_until
doc_to_text: "Question:\\n{{question}}\\nOptions:\\n{% for option in options %}{{ 'ABCDEFGHIJ'[loop.index0] }}. {{ option }}\\n{% endfor %}Answer: Let's think step by step."
doc_to_target: answer
generation_kwargs: {until: ["Question:"], temperature: 0.7, top_p: 0.9, do_sample: true, max_gen_toks: 64}
filter_list:
  - name: custom-extract
    filter:
      - {function: regex, regex_pattern: 'answer is \\(?([A-J])\\)?'}
      - {function: take_first}
metric_list: [{metric: exact_match, aggregation: mean, ignore_case: true}]
`
const tenOptions = rowsOf([
  { question: 'q0', options: Array.from({ length: 10 }, (_, i) => `o${i}`), answer: 'J' },
  { question: 'q1', options: ['x', 'y', 'z'], answer: 'B' },
  { question: 'q2', options: ['x', 'y', 'z', 'w'], answer: 'D' },
])
const replies = ['… so the answer is (J).', 'It may be B, or not.', 'The answer is D']

describe('B: MMLU-Pro: up to 10 options, CoT, regex answer is (?([A-J]))?', () => {
  const run = () =>
    runTask(
      taskFrom(mmluPro, tenOptions),
      generateBy((doc) => replies[Number(str(doc.get('question') ?? null).slice(1))] ?? ''),
    )

  it('each row shows as many options as it has', () => {
    const prompts = [...walkRequests(taskFrom(mmluPro, tenOptions), plainSettings)].map(({ requests: [request] }) =>
      request?.type === 'generate_until' ? request.context.match(/^[A-J]\. /gm)?.length : null,
    )
    expect(prompts).toEqual([10, 3, 4])
  })

  it('a reply that the pattern does not match is wrong and counted, not guessed', () => {
    const scored = run()
    const filtered = scored.samples.lines.map(({ filtered: [reply] }) => str(reply ?? null))
    expect(filtered).toEqual(['J', '[invalid]', 'D'])
    expect(scored.metric('exact_match').value).toBeCloseTo(2 / 3, 12)
    expect(failureRate(filtered)).toEqual({ n: 3, failed: 1, rate: 1 / 3 })
  })

  it('guessing is a choice: seeded, among the options of the row, and every guess is named', () => {
    const failed = Array.from({ length: 300 }, () => '[invalid]')
    const options = failed.map((_, i) => 3 + (i % 8))
    const guess = guessFailures(['J', ...failed], [10, ...options], 7)
    expect(guess).toEqual(guessFailures(['J', ...failed], [10, ...options], 7))
    expect(guess.answers).not.toEqual(guessFailures(['J', ...failed], [10, ...options], 8).answers)
    expect(guess.answers[0]).toBe('J')
    expect(guess.guessed).toEqual(failed.map((_, i) => i + 1))
    guess.answers.slice(1).forEach((letter, i) => expect(letter.charCodeAt(0) - 64).toBeLessThanOrEqual(options[i] ?? 0))
    expect(new Set(guess.answers)).toEqual(new Set('ABCDEFGHIJ'))
  })
})

describe('B: DeepEval pitfalls: "**A**nswer: B" read as A; all-D outputs', () => {
  it.each([
    ['**A**nswer: B', 'B', 'stated'],
    ['Answer: B', 'B', 'stated'],
    ['The best answer is (C). Wait: the answer is D.', 'D', 'stated'],
    ['… hence \\boxed{A}', 'A', 'stated'],
    ['**C**', 'C', 'alone'],
    ['(B).', 'B', 'alone'],
    ['B. via hexokinase', 'B', 'leading'],
    ['It must be C, whatever one says', 'C', 'mentioned'],
    ['It must be C because D is not a carrier', null, null],
    ['A cell needs glucose; so B', 'B', 'mentioned'],
    ['A glucose molecule', null, null],
    ['The answer is a matter of taste.', null, null],
    ['Answer: Both', null, null],
    ['Answer: H', null, null],
    ['', null, null],
  ])('%j names %s (%s)', (reply, letter, tier) => {
    expect(extractLetter(reply, 4)).toEqual(letter === null ? null : { letter, tier })
  })

  it('reads as many letters as there are options', () => {
    expect(extractLetter('Answer: H', 10)).toEqual({ letter: 'H', tier: 'stated' })
  })
})

describe('B: GPT API generation params (T, top_p…)', () => {
  it('stand in every request and in the recorded config, with the command line’s merged over the file’s', () => {
    const task = taskFrom(mmluPro, tenOptions)
    const kwargs = new Map([...(task.config.generationKwargs ?? []), ['temperature', 0], ['presence_penalty', 1]] as const)
    for (const { requests } of walkRequests(task, { ...plainSettings, generationKwargs: kwargs }))
      expect(requests[0]).toMatchObject({ kwargs: { temperature: 0, top_p: 0.9, presence_penalty: 1, max_gen_toks: 64 } })
    const config = toJson(dumpTaskConfig(task.config, { numFewshot: 0, generationKwargs: kwargs, predictOnly: false }))
    expect(config).toMatchObject({ generation_kwargs: { temperature: 0, top_p: 0.9, presence_penalty: 1 } })
  })
})
