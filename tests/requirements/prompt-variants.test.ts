/** Section C of docs/requirements.md: prompts and their scores: each test carries its item. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { promptFans } from '../../src/analysis/compare/series/prompt-fan.ts'
import type { TokenizerFiles } from '../../src/contracts/models.ts'
import { macroF1, microF1, weightedF1 } from '../../src/harness/metrics/classification.ts'
import { codeLabels } from '../../src/harness/metrics/label-pairs.ts'
import { bestRougeScore, rougeScore, tokenizeUnicode } from '../../src/harness/metrics/rouge.ts'
import { textExactMatch, textF1 } from '../../src/harness/metrics/text-overlap.ts'
import { buildTask } from '../../src/harness/requests/task.ts'
import { buildRegistry } from '../../src/harness/tasks/registry.ts'
import { readTaskConfig } from '../../src/harness/tasks/task-config.ts'
import { spanF1 } from '../../src/ports/functions/answers/span-f1.ts'
import { functionTable } from '../../src/ports/functions/functions.ts'
import { toNumber, type PyDict } from '../../src/python/value.ts'
import { encodePair } from '../../src/tokenizing/encode.ts'
import { loadTokenizer } from '../../src/tokenizing/tokenizer.ts'
import { madeRun } from '../analysis/compare/made-runs.ts'
import { rowsOf, tableOf } from '../support/tables.ts'
import { runTask, scoreBy, taskFrom, type TaskRun } from './run-task.ts'

describe('C: naive PyTorch snippet', () => {
  // As the worked example prints them.
  const harness = [-16.883224487304688, -14.883224487304688, -12.008225440979004, -16.508224487304688]
  const snippet = [0.00000000000000176193, 0.00000000000001162337, 0.00000000000031213047, 0.00000000000000706066]

  it('its probabilities lie 16 to 17 nats below the harness’s log-likelihoods, by another amount for each choice', () => {
    const gaps = snippet.map((probability, i) => Math.log(probability) - (harness[i] ?? NaN))
    expect(gaps.map((gap) => gap.toFixed(2))).toEqual(['-17.09', '-17.20', '-16.79', '-16.08'])
    // No constant, so it is not only the factor of a token that all choices share: rankings may differ too.
    expect(Math.max(...gaps) - Math.min(...gaps)).toBeGreaterThan(1)
    const rank = (values: readonly number[]) => values.map((_, i) => i).sort((a, b) => (values[b] ?? 0) - (values[a] ?? 0))
    expect(rank(harness)).toEqual([2, 1, 3, 0])
    expect(rank(snippet)).toEqual([2, 1, 3, 0])
  })

  it('because it scores other tokens: each choice encoded by itself, with a BOS of its own, after a prompt that ends in blanks', () => {
    // Written by tests/make-goldens/make_encode_goldens.py.
    const golden = JSON.parse(readFileSync(new URL('../goldens/encode/gpt2.json', import.meta.url), 'utf8')) as {
      readonly files: Pick<TokenizerFiles, 'tokenizerJson' | 'tokenizerConfig' | 'config'>
    }
    const files: TokenizerFiles = { ...golden.files, specialTokensMap: null, chatTemplate: null, generationConfig: null }
    const tokenizer = loadTokenizer(files, { add_bos_token: true })
    const bos = tokenizer.bos?.[1] ?? NaN
    const withBos = (text: string) => [bos, ...tokenizer.encode(text, { addSpecialTokens: false })]
    const [prompt, choice] = ['Question: 24 = 2p?\n\nAnswer:  ', 'p = 12']
    const naive = { context: withBos(prompt), continuation: withBos(choice) }
    // The harness's target delimiter, and its rule that blanks at the end of a context belong to the continuation.
    const ours = encodePair(tokenizer, prompt.trimEnd(), ` ${choice}`)
    expect(naive.continuation[0]).toBe(bos)
    expect(ours.continuation).not.toContain(bos)
    expect(tokenizer.decode(ours.continuation)).toBe(' p = 12')
    expect(tokenizer.decode(naive.continuation.slice(1))).toBe('p = 12')
    expect(ours.continuation).not.toEqual(naive.continuation.slice(1))
    expect(tokenizer.decode(encodePair(tokenizer, prompt, choice).continuation)).toBe('  p = 12')
  })
})

/** AfriXNLI-like rows; what the made model says depends on the prompt's words alone. */
const claims = rowsOf(
  Array.from({ length: 12 }, (_, i) => ({
    premise: `Ọjọ́ ${i}`,
    hypothesis: `Òru ${i}`,
    label: i % 3,
    known: i < 9,
    knownYoruba: i < 5 || i === 10,
  })),
)
const choices = 'doc_to_choice: ["bẹ́ẹ̀ni", "bóyá", "rárá"]\ndoc_to_target: label\n'
const variants = {
  english: `test_split: test\noutput_type: multiple_choice\ndoc_to_text: "Is it true? {{premise}} / {{hypothesis}}"\n${choices}`,
  yoruba: `test_split: test\noutput_type: multiple_choice\ndoc_to_text: "Ṣé òótọ́ ni? {{premise}} / {{hypothesis}}"\n${choices}`,
}
const answerAs = (known: string) =>
  scoreBy((continuation, doc) => {
    const label = ['bẹ́ẹ̀ni', 'bóyá', 'rárá'].indexOf(continuation.trim())
    const isRight = label === toNumber(doc.get('label') ?? null)
    return isRight === (doc.get(known) === true) ? -1 : -2
  })
const valuesOf = (run: TaskRun) => run.samples.lines.map(({ metrics }) => toNumber(metrics.get('acc') ?? null) ?? NaN)

/** The prompts of one task as a comparison sees them, from each one's values by doc. */
const fanOf = (values: { readonly [prompt: string]: readonly number[] }) =>
  promptFans(Object.entries(values).map(([prompt, acc]) => madeRun(prompt, { [prompt]: { acc, prompt, docs: 'doc' } })))[0]

describe('C: prompts in the evaluated language vs English', () => {
  it('one family, two variants: each has a row of its own, and the group has both', () => {
    const file = (name: string, text: string) => ({ path: `${name}.yaml`, text: `task: ${name}\ndataset_path: d\n${text}` })
    const group = { path: 'family.yaml', text: 'group: claims_yor\ntask: [claims_yor_en, claims_yor_yor]\n' }
    const registry = buildRegistry([
      { name: 'given', files: [file('claims_yor_en', variants.english), file('claims_yor_yor', variants.yoruba), group] },
    ])
    const { tasks } = registry.resolve(['claims_yor'], new Map())
    expect(tasks.map(({ name }) => name)).toEqual(['claims_yor_en', 'claims_yor_yor'])
    const texts = tasks.map(({ config, file: path }) => {
      const task = buildTask(readTaskConfig(config, path), { test: tableOf(claims) }, { functions: functionTable() })
      return task.docToText(task.evalDocs[0] ?? new Map())
    })
    expect(texts).toEqual(['Is it true? Ọjọ́ 0 / Òru 0', 'Ṣé òótọ́ ni? Ọjọ́ 0 / Òru 0'])
  })

  it('the difference is taken doc by doc, with its own standard error', () => {
    const run = (yaml: string, known: string) => runTask(taskFrom(yaml, claims), answerAs(known))
    const [english, yoruba] = [run(variants.english, 'known'), run(variants.yoruba, 'knownYoruba')]
    expect([english.metric('acc').value, yoruba.metric('acc').value]).toEqual([9 / 12, 6 / 12])
    const fan = fanOf({ english: valuesOf(english), yoruba: valuesOf(yoruba) })
    // Docs 5 to 8 only in English, doc 10 only in Yorùbá: five differences of ±1 whose sum is 3.
    expect(fan).toMatchObject({ docs: 12, pairs: [{ better: 0, worse: 1, difference: 0.25 }] })
    expect(fan?.pairs[0]?.stderr).toBeCloseTo(Math.sqrt((5 - 12 * 0.25 ** 2) / 11 / 12), 12)
    // McNemar's exact test: one of five.
    expect(fan?.pairs[0]?.p).toBeCloseTo((2 * (1 + 5)) / 2 ** 5, 12)
    expect(promptFans([madeRun('one', { one: { acc: [1], prompt: 'one', docs: 'doc' } })])).toEqual([])
  })
})

describe('C: Math EM, text-class F1, token-class F1, QA & summarisation ROUGE', () => {
  it('math: exact match after a filter takes the number out', () => {
    const yaml = `test_split: test
output_type: generate_until
doc_to_text: q
doc_to_target: a
filter_list: [{name: number, filter: [{function: regex, regex_pattern: '(-?[0-9.]+)', group_select: -1}, {function: take_first}]}]
metric_list: [{metric: exact_match, aggregation: mean}]
`
    const rows = rowsOf([
      { q: 'Mélòó ni?', a: '12' },
      { q: 'Mélòó?', a: '7' },
    ])
    const run = runTask(taskFrom(yaml, rows), (_request, doc: PyDict) => ({
      type: 'generate_until',
      text: doc.get('a') === '12' ? 'Ìdáhùn: 24 / 2 = 12' : 'mo rò pé 8',
    }))
    expect(run.metric('exact_match').value).toBe(0.5)
  })

  it('text classes: macro, micro and weighted F1 of six docs, by hand', () => {
    // Gold a a a b b c, predicted a a b b c c: F1 a = 4/5, b = 2/4, c = 2/3.
    const pairs = codeLabels([...'aaabbc'].map((gold, i) => [gold, 'aabbcc'[i] ?? '']))
    expect(macroF1(pairs)).toBeCloseTo((4 / 5 + 1 / 2 + 2 / 3) / 3, 12)
    expect(microF1(pairs)).toBeCloseTo(4 / 6, 12)
    expect(weightedF1(pairs)).toBeCloseTo((3 * 0.8 + 2 * 0.5 + 2 / 3) / 6, 12)
  })

  it('token classes: span F1 over all docs, entities with their marks', () => {
    // Two of three predicted spans are among the four gold ones: P 2/3, R 2/4.
    const items = [
      ['PER: Ọlábísí $$ LOC: Ìbàdàn', 'PER: Ọlábísí $$ LOC: Èkó'],
      ['ORG: Bánkì $$ DATE: Ọjọ́rú', 'ORG: Bánkì'],
    ]
    expect(toNumber(spanF1(items))).toBeCloseTo((2 * (2 / 3) * 0.5) / (2 / 3 + 0.5), 9)
  })

  it('answers: the best of several references; marks count, and composed equals decomposed only when asked', () => {
    const options = { nfc: true }
    const [composed, decomposed] = ['ọjọ́ kan', 'ọjọ́ kan'.normalize('NFD')]
    expect(composed).not.toBe(decomposed)
    expect([textF1([composed], decomposed, { nfc: false }), textF1([composed], decomposed, options)]).toEqual([0.5, 1])
    expect([textExactMatch([composed], decomposed, { nfc: false }), textExactMatch(['èkó', composed], `${decomposed}!`, options)]).toEqual([
      0, 1,
    ])
    // ojo is another word than ọjọ́.
    expect(textF1([composed], 'ojo kan', options)).toBe(0.5)
    // Three tokens of which two are shared with a reference of four: 4/7; with the other reference one of two: 2/5.
    expect(textF1(['ilé ìwé gíga Ìbàdàn', 'ilé kékeré'], 'ilé ìwé tuntun', options)).toBeCloseTo(4 / 7, 12)
    expect([textF1([''], '', options), textF1(['x'], '', options), textF1([], 'x', options)]).toEqual([1, 0, 0])
  })

  it('summaries: ROUGE-1, 2 and L of a Yorùbá pair by hand; the package’s own tokens know no such letters', () => {
    const [target, prediction] = ['Ọba dé sí ìlú wa lánàá', 'Ọba wa dé sí ìlú']
    const f = (type: 'rouge1' | 'rouge2' | 'rougeL') => rougeScore(type, target, prediction, tokenizeUnicode).fmeasure
    // Five of six and five words; bigrams “dé sí”, “sí ìlú” of five and four; in order Ọba dé sí ìlú.
    expect(f('rouge1')).toBeCloseTo((2 * 5) / 11, 12)
    expect(f('rouge2')).toBeCloseTo((2 * 2) / 9, 12)
    expect(f('rougeL')).toBeCloseTo((2 * 4) / 11, 12)
    expect(rougeScore('rouge1', 'ọ̀rọ̀', 'ẹ̀rẹ̀').fmeasure).not.toBe(rougeScore('rouge1', 'ọ̀rọ̀', 'ẹ̀rẹ̀', tokenizeUnicode).fmeasure)
    expect(bestRougeScore('rouge1', ['òmíràn', target], target, tokenizeUnicode).fmeasure).toBe(1)
  })
})

describe('C: prompt-sensitivity claim (Sclar)', () => {
  const rows = rowsOf(Array.from({ length: 20 }, (_, i) => ({ question: `q${i}`, options: ['x', 'y'], answer: i % 2, ease: i })))
  const asked = ['{{question}}', 'A. {{options[0]}}', 'B. {{options[1]}}', 'Answer:']
  const formats: { readonly [name: string]: string } = {
    usual: asked.join('\n'),
    'blank lines': asked.join('\n\n'),
    bars: asked.join(' || '),
    'upper case, bars': ['QUESTION {{question}}', ...asked.slice(1)].join(' || '),
  }

  it('the spread of a model that knows less of odd formats is one number, with the formats that make it', () => {
    const values = Object.entries(formats).map(([name, docToText]) => {
      const yaml = `test_split: test\noutput_type: multiple_choice\ndoc_to_text: ${JSON.stringify(docToText)}\ndoc_to_choice: ["A", "B"]\ndoc_to_target: answer\n`
      const run = runTask(taskFrom(yaml, rows), (request, doc) => {
        if (request.type !== 'loglikelihood') throw new Error(request.type)
        const oddities = ['\n\n', ' || ', 'QUESTION'].filter((mark) => request.context.includes(mark)).length
        const isRight = request.continuation.trim() === 'AB'[Number(doc.get('answer'))]
        const knows = (toNumber(doc.get('ease') ?? null) ?? 0) >= 3 * oddities
        return { type: 'loglikelihood', logprob: isRight === knows ? -1 : -2, isGreedy: false }
      })
      return [name, valuesOf(run)] as const
    })
    const fan = fanOf(Object.fromEntries(values))
    expect(fan?.arms.map(({ task, value }) => [task, value])).toEqual([
      ['usual', 1],
      ['blank lines', 17 / 20],
      ['bars', 17 / 20],
      ['upper case, bars', 14 / 20],
    ])
    expect(fan?.spread).toBeCloseTo(0.3, 12)
    expect(fan?.pairs).toHaveLength(6)
  })
})
