import fc from 'fast-check'
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { lessonSteps, viewOf } from '../../../src/analysis/lab/lesson.ts'
import { bytesOfSet, countCharacters } from '../../../src/analysis/lab/letters-and-bytes.ts'
import { accuracyOf, flipsBetween, norms, penalised, pickOf, pickRanges, scoreOf, sumOf } from '../../../src/analysis/lab/norms.ts'
import { blindAccuracy, blindPicks, blindRules, underUniformBytes } from '../../../src/analysis/lab/null-models.ts'
import type { LabChoice, LabDoc, Recording } from '../../../src/analysis/lab/recorded.ts'
import { compareStyles, inStyle } from '../../../src/analysis/lab/styles.ts'
import { formatIn } from '../../../src/analysis/lab/units.ts'
import { citiesExample, equationBrier, equationExample, equationRows } from '../../../src/analysis/lab/worked-examples.ts'

function choice(text: string, logprobs: readonly number[], unconditional = 0): LabChoice {
  return { continuation: ` ${text}`, text, tokens: logprobs.map(String), logprobs, unconditional }
}
function doc(gold: number, choices: readonly LabChoice[]): LabDoc {
  return { docId: 0, prompt: '', gold, choices, letters: null }
}

const emirates = citiesExample

describe('the worked example of two cities', () => {
  test('prints log10 where the harness works in nats, and divides by tokens where the harness divides by characters', () => {
    const [dubai = choice('', []), abuDhabi = choice('', [])] = emirates.choices
    expect([dubai, abuDhabi].map((one) => formatIn(sumOf(one), 'log10'))).toEqual(['−0.301', '−0.377'])
    expect([dubai, abuDhabi].map((one) => formatIn(sumOf(one), 'nats'))).toEqual(['−0.693', '−0.868'])
    expect([dubai, abuDhabi].map((one) => scoreOf(one, 'acc_tok'))).toEqual([Math.log(0.5), sumOf(abuDhabi) / 2])
    expect([dubai, abuDhabi].map((one) => scoreOf(one, 'acc_norm'))).toEqual([Math.log(0.5) / 5, sumOf(abuDhabi) / 9])
  })

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

describe('the worked example of an equation in Yorùbá', () => {
  test('has the sums, normalised sums, probabilities and Brier score of the worked example', () => {
    const rows = equationRows()
    expect(rows.map(({ perCharacter }) => perCharacter.toFixed(4))).toEqual(['-3.3766', '-2.9766', '-2.0014', '-2.7514'])
    expect(rows.map(({ share }) => share.toFixed(4))).toEqual(['0.0071', '0.0525', '0.9301', '0.0103'])
    expect(equationBrier().toFixed(4)).toBe('0.0078')
    expect((['acc', 'acc_norm', 'acc_bytes'] as const).map((norm) => pickOf(equationExample, norm))).toEqual([2, 2, 2])
  })

  test('has a snippet beside it that lies 16 to 17 nats below the harness, in the same order', () => {
    const rows = equationRows()
    expect(rows.map(({ gap }) => gap.toFixed(2))).toEqual(['-17.09', '-17.20', '-16.79', '-16.08'])
    const order = (key: 'sum' | 'snippet') => [...rows].sort((a, b) => a[key] - b[key]).map(({ text }) => text)
    expect(order('snippet')).toEqual(order('sum'))
  })
})

describe('letters against continuations', () => {
  const lettered = (gold: number, byText: readonly number[], byLetter: readonly number[]): LabDoc => ({
    ...doc(
      gold,
      byText.map((sum, at) => choice(['short', 'a longer text'][at] ?? '', [sum])),
    ),
    letters: { prompt: 'A. short\nB. a longer text', choices: byLetter.map((sum, at) => choice(['A', 'B'][at] ?? '', [sum])) },
  })
  // Right both ways, only as continuation, only as letter, neither.
  const docs = [
    lettered(0, [-1, -2], [-1, -2]),
    lettered(0, [-1, -2], [-2, -1]),
    lettered(1, [-1, -2], [-2, -1]),
    lettered(1, [-1, -2], [-1, -2]),
  ]

  test('are told apart doc by doc', () => {
    const compared = compareStyles(docs, 'acc')
    expect([compared?.both, compared?.agreement.lost, compared?.agreement.gained, compared?.neither]).toEqual([1, [1], [2], 1])
    expect([compared?.continuation.value, compared?.letters.value, compared?.agreement.p]).toEqual([0.5, 0.5, 1])
    expect(compareStyles([doc(0, [choice('x', [-1])])], 'acc')).toBeNull()
  })

  test('letters are one character, one byte and one token each, so no length norm changes their pick', () => {
    for (const one of docs) {
      const asked = inStyle(one, 'letters')
      for (const norm of ['acc_norm', 'acc_bytes', 'acc_tok'] as const) expect(pickOf(asked, norm)).toBe(pickOf(asked, 'acc'))
    }
  })
})

test('a letter with two marks is one letter, several code points and more bytes', () => {
  expect(countCharacters('ọ̀ṣẹ́ a', 'yo')).toEqual([
    { text: 'ọ̀', codePoints: 2, bytes: 5 },
    { text: 'ṣ', codePoints: 1, bytes: 3 },
    { text: 'ẹ́', codePoints: 2, bytes: 5 },
    { text: ' ', codePoints: 1, bytes: 1 },
    { text: 'a', codePoints: 1, bytes: 1 },
  ])
})

test('a model that finds every byte equally likely scores as counting bytes by hand does, in any script', () => {
  const anyText = fc.string({ minLength: 1, maxLength: 20, unit: fc.constantFrom('a', 'é', 'ọ', '\u0300', '中', '🦁', ' ') })
  fc.assert(
    fc.property(fc.array(anyText, { minLength: 2, maxLength: 5 }), (texts) => {
      const made = underUniformBytes(
        doc(
          0,
          texts.map((text) => choice(text, [])),
        ),
      )
      const first = (scores: readonly number[]) => scores.indexOf(Math.max(...scores))
      const cost = (text: string) => -(1 + Buffer.byteLength(text)) * Math.log(256)
      expect(pickOf(made, 'acc')).toBe(first(texts.map(cost)))
      expect(pickOf(made, 'acc_norm')).toBe(first(texts.map((text) => cost(text) / Array.from(text).length)))
      expect(pickOf(made, 'acc_bytes')).toBe(first(texts.map((text) => cost(text) / Buffer.byteLength(text))))
    }),
  )
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
      for (const { choices, letters } of docs)
        for (const one of [...choices, ...(letters?.choices ?? [])]) expect(one.tokens.join('').trim()).toBe(one.continuation.trim())
    }
  })

  test('has a doc in another language whose characters and bytes differ', () => {
    const yoruba = recording.sets.find(({ language }) => language === 'yo')
    expect(yoruba?.docs.some(({ choices }) => choices.some(({ text }) => Buffer.byteLength(text) > [...text].length))).toBe(true)
  })

  test('was asked both ways: letters name the choices that the continuations are', () => {
    for (const { docs } of recording.sets)
      for (const { choices, letters } of docs) {
        expect(letters?.choices.map(({ text }) => text)).toEqual(['A', 'B', 'C', 'D'])
        for (const [at, { text }] of choices.entries()) expect(letters?.prompt).toContain(`${'ABCD'[at] ?? ''}. ${text}\n`)
      }
  })

  test('has docs that flip between characters and bytes, and none where every character is one byte', () => {
    for (const { language, docs } of recording.sets) {
      const { characters, bytes, flips } = bytesOfSet(docs)
      if (language === 'yo') expect(flips.length).toBeGreaterThan(0)
      if (characters === bytes) expect(flips).toEqual([])
    }
  })

  test('has the uniform-byte model follow the rule that the lesson says it does', () => {
    const { docs = [] } = recording.sets[viewOf('nothing', recording.sets).set] ?? {}
    const picks = docs.map((one) => pickOf(underUniformBytes(one), 'acc'))
    const agree = blindRules.map((rule) => blindPicks(docs, rule).filter((pick, at) => pick === picks[at]).length)
    expect(viewOf('nothing', recording.sets).answer).toBe(agree.indexOf(Math.max(...agree)))
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
