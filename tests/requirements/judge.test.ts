/** Section D of docs/requirements.md: each test carries its item. The two stages in a browser: tests/e2e/judge.spec.ts. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cautionText, judgeCautions, modelSizeOf } from '../../src/analysis/judge/caution.ts'
import { defaultTemplate } from '../../src/analysis/judge/default-template.ts'
import { askedDocs, judgeDocs, rowsOfDocs, type JudgeDoc } from '../../src/analysis/judge/docs.ts'
import { judgeTask } from '../../src/analysis/judge/judge-task.ts'
import { foldJudged, judgeOutcome, type JudgedDoc } from '../../src/analysis/judge/outcome.ts'
import { postprocess } from '../../src/analysis/judge/postprocess.ts'
import { judgeQuiz, scoreQuiz } from '../../src/analysis/judge/quiz.ts'
import { checkTemplate, fillTemplate } from '../../src/analysis/judge/template.ts'
import { readReply, verdictOfLogprobs } from '../../src/analysis/judge/verdict.ts'
import { walkRequests } from '../../src/harness/requests/output-types.ts'
import { builtTask, replyOf, sampleOf } from '../analysis/judge/builders.ts'
import { runManifest } from '../app/builders.ts'
import { findShared } from '../data/shared.ts'
import { generateBy, plainSettings, runTask, scoreBy } from './run-task.ts'

const asIs = { filter: null, prediction: 'none', gold: 'none' } as const
const problem = (template: string): unknown => {
  try {
    checkTemplate(template)
  } catch (error) {
    return error
  }
  return null
}

/** The published template (OpenCompass), where the text that quotes it is at hand; null elsewhere. */
function publishedTemplate(): string | null {
  const folder = findShared('seeds')
  const file = folder === null ? undefined : readdirSync(folder).find((name) => name.startsWith('003'))
  const text = folder === null || file === undefined ? null : readFileSync(join(folder, file), 'utf8')
  return text === null ? null : (/eng_obj_prompt = """([^]*?)"""/.exec(text)?.[1] ?? null)
}

describe('D: judge prompt with {obj_gold} {prediction} and 8 few-shots', () => {
  const fields = { obj_gold: '\\frac{1}{2}', prediction: 'It is {obj_gold} {{ 7 * 7 }} {% raw %} “½”', question: 'What is half?' }

  it('shows nine examples, six of them right, and both places once at the end', () => {
    expect(defaultTemplate.match(/^\[(?:Yes|No)\]$/gm)).toEqual([
      '[Yes]',
      '[Yes]',
      '[No]',
      '[Yes]',
      '[No]',
      '[Yes]',
      '[Yes]',
      '[Yes]',
      '[No]',
    ])
    expect(defaultTemplate.trimEnd().split('\n').slice(-2)).toEqual(['Expression 1: {obj_gold}', 'Expression 2: {prediction}'])
  })

  it('is filled in once: what stands in an answer is never a place', () => {
    expect(fillTemplate(defaultTemplate, fields)).toMatchSnapshot()
    expect(fillTemplate('{prediction}|{obj_gold}|{question}', fields)).toBe(
      'It is {obj_gold} {{ 7 * 7 }} {% raw %} “½”|\\frac{1}{2}|What is half?',
    )
  })

  it.each([
    ['no place at all', ['obj_gold', 'prediction'], []],
    ['{obj_gold}', ['prediction'], []],
    ['{prediction} {Obj_Gold}', ['obj_gold'], ['Obj_Gold']],
    ['{obj_gold} {prediction} {reference}', [], ['reference']],
    ['{obj_gold}{prediction} \\text{cm} ({answer})', [], ['answer']],
  ])('%j is refused, with what is missing and what is unknown', (template, missing, unknown) => {
    expect(problem(template)).toMatchObject({ code: 'judge/template', details: { missing, unknown } })
  })

  it.each(['$x_{max}$ \\text{cm} \\frac{a}{b} {obj_gold}={prediction} e^{n}', '{ obj_gold } {prediction}'])('%j is taken', (template) => {
    expect(problem(template)).toBeNull()
  })

  it.each([
    defaultTemplate,
    '{{obj_gold}} {prediction}\n',
    'line\r\nend {% if x %} {# no #} {{ 1 }} {obj_gold}{prediction}{',
    '"quoted" \\n \u2028 𝔘 {prediction}\n\n{obj_gold}{question}\n\n',
    '{% endraw %}{{{obj_gold}}}{prediction}',
  ])('%j is the same in the task’s Jinja as in the filled template', (template) => {
    const docs: JudgeDoc[] = [{ docId: 0, ...fields, naive: null }]
    for (const by of ['text', 'loglikelihood'] as const) {
      const task = builtTask(judgeTask('judge_made', template, by, false), docs)
      const [doc] = [...walkRequests(task, plainSettings)]
      const context = doc?.requests[0] !== undefined && 'context' in doc.requests[0] ? doc.requests[0].context : null
      expect(context).toBe(fillTemplate(template, fields))
    }
  })

  it('takes the published prompt, too', () => {
    const template = publishedTemplate()
    if (template === null) return
    expect(problem(template)).toBeNull()
    expect(fillTemplate(template, { ...fields, prediction: '0.5' })).toContain('Expression 1: \\frac{1}{2}\nExpression 2: 0.5\n')
  })
})

describe('D: "[Yes]/[No]" only', () => {
  it.each([
    ['[Yes]', 'yes', null],
    ['  [No]\n', 'no', null],
    ['Yes.', 'invalid', 'yes'],
    ['**[yes]**', 'invalid', 'yes'],
    ['[Yes] because both are 5', 'invalid', 'yes'],
    ['No, they differ', 'invalid', 'no'],
    ['maybe', 'invalid', null],
    ['[Yes] or [No]', 'invalid', null],
    ['Nothing to say', 'invalid', null],
    ['', 'invalid', null],
  ] as const)('%j is %s, leniently %s', (reply, verdict, lenient) => {
    expect(readReply(reply)).toEqual({ verdict, lenient })
  })

  it('by log-probability the likelier continuation decides; what is no number is invalid', () => {
    expect([verdictOfLogprobs(-1, -2), verdictOfLogprobs(-2, -1), verdictOfLogprobs(-1, -1), verdictOfLogprobs(NaN, -1)]).toEqual([
      'yes',
      'no',
      'no',
      'invalid',
    ])
  })

  it('the judge’s task asks for “[Yes]” and “[No]” after the same prompt, and scores the share that it calls right', () => {
    const docs = judgeDocs([sampleOf(0), sampleOf(1, { generated: ['41'] })], asIs)
    const asked: string[] = []
    const choices = runTask(builtTask(judgeTask('judge_made', defaultTemplate, 'loglikelihood', false), docs), (request, doc) => {
      if (request.type === 'loglikelihood') asked.push(request.continuation)
      return scoreBy((text) => ((text === '[Yes]') === (doc.get('prediction') === '42') ? -1 : -2))(request, doc)
    })
    expect(asked).toEqual(['[Yes]', '[No]', '[Yes]', '[No]'])
    expect(choices.metric('acc').value).toBe(0.5)
    const written = runTask(
      builtTask(judgeTask('judge_made', defaultTemplate, 'text', false), docs),
      generateBy((doc) => (doc.get('prediction') === '42' ? '[Yes]' : 'Yes.')),
    )
    expect(written.metric('exact_match').value).toBe(0.5)
  })

  it('invalid replies are counted and are no yes', () => {
    const docs = judgeDocs(
      [0, 1, 2, 3].map((id) => sampleOf(id)),
      asIs,
    )
    const outcome = judgeOutcome(docs, [replyOf(0, '[Yes]'), replyOf(1, 'Yes.'), replyOf(2, 'maybe'), replyOf(3, '[No]')])
    expect(outcome).toMatchObject({ invalid: 2, invalidRate: 0.5, lenient: 1, judge: { right: 1, n: 4 }, judgeOfValid: { right: 1, n: 2 } })
    expect(outcome.table).toEqual({ bothRight: 1, judgeOnly: 0, naiveOnly: 1, bothWrong: 0 })
  })
})

describe('D: pred_postprocessor before judging', () => {
  it.each([
    ['none', ' So \\boxed{7} it is. ', 'So \\boxed{7} it is.'],
    ['boxed', 'First \\boxed{6}, then \\boxed{\\frac{1}{2}}.', '\\frac{1}{2}'],
    ['boxed', 'no box', 'no box'],
    ['number', 'He has 3 and 1,250.50 left: $1,250.', '1250'],
    ['number', 'He has -7', '-7'],
    ['number', 'none here', ''],
    ['letter', 'The answer is (C).', 'C'],
    ['letter', 'who knows', ''],
    ['last-line', 'work\n\n  x = 3 \n\n', 'x = 3'],
  ] as const)('%s of %j is %j', (by, text, left) => {
    expect(postprocess(text, by)).toBe(left)
  })

  it('boxed answers are judged by what they box, references too, and the reply stays what it was', () => {
    const [doc] = judgeDocs([sampleOf(5, { target: 'Thus \\boxed{8}.', generated: ['I get \\boxed{2^3}.'] })], {
      filter: null,
      prediction: 'boxed',
      gold: 'boxed',
    })
    expect(doc).toMatchObject({ docId: 5, obj_gold: '8', prediction: '2^3' })
  })

  it('the run’s own filters can stand before the judge: what one left is judged, and its mark for nothing is an empty answer', () => {
    const strict = { filter: 'strict', filterSteps: [{ name: 'regex', outputs: ['[invalid]'] }], metrics: { exact_match: 0 } }
    const loose = {
      filter: 'loose',
      filterSteps: [
        { name: 'regex', outputs: ['42'] },
        { name: 'take_first', outputs: ['forty-two'] },
      ],
    }
    const samples = [sampleOf(0, strict), sampleOf(0, loose)]
    const texts = { prediction: 'filtered', gold: 'none' } as const
    expect(judgeDocs(samples, { filter: null, ...texts })).toMatchObject([{ prediction: '', naive: false }])
    expect(judgeDocs(samples, { filter: 'loose', ...texts })).toMatchObject([{ prediction: 'forty-two', naive: true }])
    // A samples file of the harness has the line alone.
    const line = '{"doc_id": 0, "doc": {"x": NaN}, "filtered_resps": ["from the line"], "filter": "none"}'
    expect(judgeDocs([sampleOf(0, { line })], { filter: null, ...texts })).toMatchObject([{ prediction: 'from the line' }])
    expect(() => judgeDocs(samples, { filter: 'other', ...texts })).toThrow("no filter 'other'; they have strict, loose")
  })

  it('refuses docs that were scored by log-likelihood', () => {
    expect(() => judgeDocs([sampleOf(0, { generated: [] })], asIs)).toThrow('no generated answers')
  })
})

describe('D: JudgeLLM vs naive table (27.7 vs 27.8)', () => {
  const verdicts = (count: number, judge: boolean, naive: boolean): JudgedDoc[] =>
    Array.from({ length: count }, (_, docId) => ({
      docId,
      question: '',
      obj_gold: '',
      prediction: 'x',
      naive,
      verdict: judge ? 'yes' : 'no',
      byRule: false,
      reply: '',
      logprobs: null,
      lenient: null,
    }))

  it('200 docs with b = 10 and c = 2: the 2×2 counts and the exact p = 0.0386', () => {
    const outcome = foldJudged([
      ...verdicts(60, true, true),
      ...verdicts(10, true, false),
      ...verdicts(2, false, true),
      ...verdicts(128, false, false),
    ])
    expect(outcome.table).toEqual({ bothRight: 60, judgeOnly: 10, naiveOnly: 2, bothWrong: 128 })
    expect(outcome.agreement?.p).toBeCloseTo(0.03857421875, 12)
    expect(outcome.isDistinguishable).toBe(true)
    expect([outcome.judge.value, outcome.naive?.value]).toEqual([0.35, 0.31])
  })

  it('27.7 and 27.8 of 5,000 are not distinguishable', () => {
    const outcome = foldJudged([
      ...verdicts(1335, true, true),
      ...verdicts(50, true, false),
      ...verdicts(55, false, true),
      ...verdicts(3560, false, false),
    ])
    expect([outcome.judge.value, outcome.naive?.value]).toEqual([0.277, 0.278])
    expect(outcome.isDistinguishable).toBe(false)
  })

  it('docs of which the metric says neither right nor wrong are in no cell', () => {
    const docs = judgeDocs([sampleOf(0, { metrics: { bleu: 0.4 } }), sampleOf(1)], asIs)
    expect(judgeOutcome(docs, [replyOf(0, '[Yes]'), replyOf(1, '[Yes]')])).toMatchObject({
      naive: { n: 1 },
      table: { bothRight: 1, judgeOnly: 0, naiveOnly: 0, bothWrong: 0 },
    })
    expect(judgeOutcome(docs.slice(0, 1), [replyOf(0, '[Yes]')])).toMatchObject({ naive: null, table: null, isDistinguishable: null })
  })
})

describe('D: empty prediction → [No]; units → [Yes]', () => {
  it('an empty answer is not asked about and is wrong; the rows after it keep their docs', () => {
    const docs = judgeDocs([sampleOf(3, { generated: ['  \n'] }), sampleOf(7, { generated: ['64 square feet'] })], asIs)
    expect(askedDocs(docs).map(({ docId }) => docId)).toEqual([7])
    expect(rowsOfDocs(docs)).toBe('{"id":7,"question":"Question 7","obj_gold":"42","prediction":"64 square feet"}\n')
    const outcome = judgeOutcome(docs, [replyOf(0, '[Yes]')])
    expect(outcome.docs.map(({ docId, verdict, byRule }) => [docId, verdict, byRule])).toEqual([
      [3, 'no', true],
      [7, 'yes', false],
    ])
    expect(() => judgeOutcome(docs, [])).toThrow('have changed')
  })

  it('the prompt teaches both: a unit on either side is [Yes], an empty second expression is [No]', () => {
    expect(defaultTemplate).toContain('Expression 1: 40 minutes\nExpression 2: 40\n\n[Yes]')
    expect(defaultTemplate).toContain('Expression 1: 81\nExpression 2: 81 cubic metres\n\n[Yes]')
    expect(defaultTemplate).toContain('Expression 1: 81\nExpression 2:\n\n[No]')
  })

  it('a judge is tried on a quiz before it is used: units among it, no pair of the prompt, none empty', () => {
    expect(judgeQuiz.length).toBeGreaterThanOrEqual(40)
    expect(judgeQuiz.filter(({ kind }) => kind === 'units').every(({ isRight }) => isRight)).toBe(true)
    const shown = [...defaultTemplate.matchAll(/Expression 1: (.+)\nExpression 2: (.+)/g)].map(([, gold, given]) => `${gold}|${given}`)
    expect(judgeQuiz.filter(({ obj_gold, prediction }) => shown.includes(`${obj_gold}|${prediction}`))).toEqual([])
    expect(judgeQuiz.every(({ obj_gold, prediction }) => obj_gold.trim() !== '' && prediction.trim() !== '')).toBe(true)
    expect(new Set(judgeQuiz.map(({ obj_gold, prediction }) => `${obj_gold}|${prediction}`)).size).toBe(judgeQuiz.length)
  })

  it('its score tells a judge that reads from one that says the same of everything', () => {
    const perfect = scoreQuiz(judgeQuiz.map(({ isRight }) => (isRight ? 'yes' : 'no')))
    expect(perfect).toMatchObject({ right: judgeQuiz.length, invalid: 0, falseYes: 0, falseNo: 0, isUsable: true })
    const yesman = scoreQuiz(judgeQuiz.map(() => 'yes'))
    expect(yesman).toMatchObject({ falseYes: judgeQuiz.filter(({ isRight }) => !isRight).length, falseNo: 0, isUsable: false })
    expect(scoreQuiz(judgeQuiz.map(() => 'invalid'))).toMatchObject({ right: 0, invalid: judgeQuiz.length, isUsable: false })
  })
})

describe('D: judge bigger than model', () => {
  it('the same id is a warning, whatever the sizes', () => {
    expect(judgeCautions({ id: 'a/b', parameters: 10 }, { id: 'a/b', parameters: 10 })).toEqual(['same-model'])
  })

  it.each([
    [100, 50, ['smaller']],
    [100, 100, ['smaller']],
    [100, 800, []],
    [null, 800, ['size-unknown']],
    [100, null, ['size-unknown']],
  ] as const)('a candidate of %s weights and a judge of %s: %j', (candidate, judge, cautions) => {
    expect(judgeCautions({ id: 'c', parameters: candidate }, { id: 'j', parameters: judge })).toEqual(cautions)
  })

  it('weights are told from the graph’s files and their dtype', () => {
    const manifest = runManifest('r')
    const file = (path: string, bytes: number) => ({ path, bytes, sha256: '0'.repeat(64) })
    const files = [file('onnx/model_fp16.onnx', 1000), file('onnx/model_fp16.onnx_data', 3000), file('tokenizer.json', 9999)]
    expect(modelSizeOf({ model: { ...manifest.model, files }, engine: { ...manifest.engine, dtype: 'fp16' } }).parameters).toBe(2000)
    expect(modelSizeOf({ model: { ...manifest.model, files }, engine: { ...manifest.engine, dtype: 'odd' } }).parameters).toBeNull()
    // A small model's q4 file is mostly its embedding in 32 bits: no number of weights follows from it.
    expect(modelSizeOf({ model: { ...manifest.model, files }, engine: { ...manifest.engine, dtype: 'q4' } }).parameters).toBeNull()
  })

  it('files of one dtype are compared by their sizes, of two dtypes not at all', () => {
    const size = (id: string, dtype: string, bytes: number) => ({ id, parameters: null, file: { dtype, bytes } })
    expect(judgeCautions(size('c', 'q4', 1000), size('j', 'q4', 900))).toEqual(['smaller'])
    expect(judgeCautions(size('c', 'q4', 1000), size('j', 'q4', 3000))).toEqual([])
    expect(judgeCautions(size('c', 'q8', 1000), size('j', 'q4', 3000))).toEqual(['size-unknown'])
    expect(cautionText('smaller', size('c', 'q4', 2e6), size('j', 'q4', 1e6))).toContain('(files of 1.00 against 2.00 MB)')
  })
})
