import { existsSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { lessonSteps, viewOf } from '../../src/core/lab/lesson.ts'
import { accuracyOf, flipsBetween, norms, penalised, pickOf, pickRanges, scoreOf, sumOf } from '../../src/core/lab/norms.ts'
import { blindAccuracy, underUniformBytes } from '../../src/core/lab/null-models.ts'
import type { LabChoice, LabDoc, Recording } from '../../src/core/lab/recorded.ts'

function choice(text: string, logprobs: readonly number[], unconditional = 0): LabChoice {
  return { continuation: ` ${text}`, text, tokens: logprobs.map(String), logprobs, unconditional }
}
function doc(gold: number, choices: readonly LabChoice[]): LabDoc {
  return { docId: 0, prompt: '', gold, choices, letters: null }
}

// The document's own example: Dubai, one token of probability .5; Abu Dhabi, two of .6 and .7.
const emirates = doc(1, [choice('Dubai', [Math.log(0.5)]), choice('Abu Dhabi', [Math.log(0.6), Math.log(0.7)])])

describe('the worked example of two cities', () => {
  test('raw picks Dubai, by tokens, characters and bytes Abu Dhabi', () => {
    expect(norms.slice(0, 4).map((norm) => pickOf(emirates, norm))).toEqual([0, 1, 1, 1])
    expect(sumOf(emirates.choices[1] ?? choice('', []))).toBeCloseTo(Math.log(0.42), 12)
  })

  test('flips once, where the two scores are equal', () => {
    const [first, second, ...more] = pickRanges(emirates, 'tokens')
    expect([first?.pick, second?.pick, more]).toEqual([0, 1, []])
    const [dubai, abuDhabi] = emirates.choices.map((one) => penalised(one, 'tokens', second?.from ?? NaN))
    expect(dubai).toBeCloseTo(abuDhabi ?? NaN, 12)
  })
})

test('the ranges of the length penalty name the pick at every alpha', () => {
  const anyChoice = fc.record({
    text: fc.string({ minLength: 1, maxLength: 30, unit: 'grapheme' }),
    sum: fc.double({ min: -60, max: -0.01, noNaN: true }),
  })
  fc.assert(
    fc.property(fc.array(anyChoice, { minLength: 2, maxLength: 6 }), fc.double({ min: 0.001, max: 0.999, noNaN: true }), (list, alpha) => {
      const made = doc(
        0,
        list.map(({ text, sum }) => choice(text, [sum])),
      )
      for (const unit of ['characters', 'bytes', 'tokens'] as const) {
        const range = pickRanges(made, unit).findLast(({ from }) => from <= alpha)
        const scores = made.choices.map((one) => penalised(one, unit, alpha))
        expect(scores[range?.pick ?? -1]).toBeGreaterThanOrEqual(Math.max(...scores) * (1 + 1e-9))
      }
    }),
  )
})

test('mutual information takes what the choice is worth without the question away', () => {
  const made = doc(0, [choice('rare', [-5], -20), choice('common', [-4], -5)])
  expect([pickOf(made, 'acc'), pickOf(made, 'acc_mutual_info')]).toEqual([1, 0])
  expect(made.choices.map((one) => scoreOf(one, 'acc_mutual_info'))).toEqual([15, 1])
})

const dfirFile = '../shared/hub/datasets/DFIR-Metric/DFIR-Metric/validation.jsonl'
if (!existsSync(dfirFile)) console.log(`Skipped: there is no ${dfirFile}`)
describe.skipIf(!existsSync(dfirFile))('a model that finds every byte equally likely, on a benchmark of its own texts', () => {
  test('scores as a recomputation by hand does', () => {
    // The file is test data of a known shape; a missing key shows as a failing test.
    const questions = readFileSync(dfirFile, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { options: { readonly [letter: string]: string }; answer: string })
    const docs = questions.map(({ options, answer }) =>
      doc(
        Object.keys(options).indexOf(answer),
        Object.values(options).map((text) => choice(text, [])),
      ),
    )
    const uniform = docs.map(underUniformBytes)
    const counts = { acc: 0, acc_norm: 0, acc_bytes: 0 }
    for (const { options, answer } of questions) {
      const texts = Object.values(options)
      const sums = texts.map((text) => -(Buffer.byteLength(text) + 1) * Math.log(256))
      const best = (scores: readonly number[]) => Object.keys(options)[scores.indexOf(Math.max(...scores))]
      if (best(sums) === answer) counts.acc++
      if (best(sums.map((sum, at) => sum / [...(texts[at] ?? '')].length)) === answer) counts.acc_norm++
      if (best(sums.map((sum, at) => sum / Buffer.byteLength(texts[at] ?? ''))) === answer) counts.acc_bytes++
    }
    expect(docs.length).toBeGreaterThan(50)
    for (const norm of ['acc', 'acc_norm', 'acc_bytes'] as const)
      expect(accuracyOf(uniform, norm).value * docs.length).toBeCloseTo(counts[norm], 9)
    // Under the sum alone it is the rule of the shortest, where no two are equally short.
    expect(blindAccuracy(docs, 'shortest').n).toBe(docs.length)
  })
})

describe('the recorded run', () => {
  const recording = JSON.parse(readFileSync('public/lab/recorded.json', 'utf8')) as Recording

  test('holds docs that flip in every set, and its tokens make up its continuations', () => {
    for (const { docs } of recording.sets) {
      expect(flipsBetween(docs, 'acc', 'acc_norm').length).toBeGreaterThan(0)
      for (const { choices } of docs) for (const one of choices) expect(one.tokens.join('').trim()).toBe(one.continuation.trim())
    }
  })

  test('has a doc in another language whose characters and bytes differ', () => {
    const yoruba = recording.sets.find(({ language }) => language === 'yo')
    expect(yoruba?.docs.some(({ choices }) => choices.some(({ text }) => Buffer.byteLength(text) > [...text].length))).toBe(true)
  })

  test('gives every step of the lesson a question with one right answer', () => {
    for (const step of lessonSteps) {
      const view = viewOf(step, recording.sets)
      expect(view.options.length).toBeGreaterThan(1)
      expect(new Set(view.options).size).toBe(view.options.length)
      expect(view.options[view.answer]).toBeDefined()
    }
  })
})
