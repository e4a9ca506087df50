import { expect, test } from 'vitest'
import type { PassLayout } from '../../../../src/contracts/engine.ts'
import { makePlan } from '../../../../src/planning/plan.ts'
import { leastTokensOf, makeMmlu, mmluSubjects, type MmluSize } from '../../../../tools/bench/gpu/mmlu-docs.ts'

const size: MmluSize = { docsPerSubject: 12, vocabularySize: 49_152, seed: 1, scale: 1 }
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

test('MMLU has 57 subjects and 14,042 docs', () => {
  expect(mmluSubjects).toHaveLength(57)
  expect(new Set(mmluSubjects.map(([subject]) => subject)).size).toBe(57)
  expect(mmluSubjects.reduce((sum, [, docs]) => sum + docs, 0)).toBe(14_042)
})

test('docs of a subject share its prefix and four answers of a token, and questions vary about its mean', () => {
  const tasks = makeMmlu(size)
  expect(tasks.map(({ name, docs }) => [name, docs])).toEqual(mmluSubjects.map(([subject]) => [`mmlu_${subject}`, 12]))
  const errors = tasks.map(({ requests }, place) => {
    const [, , prefix = 0, question = 0] = mmluSubjects[place] ?? []
    expect(requests).toHaveLength(48)
    const inputs = requests.map(({ pieces }) => pieces[0]?.input ?? new Int32Array(0))
    expect(new Set(inputs.map((input) => input.slice(0, prefix).join())).size).toBe(1)
    // The four requests of a doc have one input.
    expect(new Set(inputs.map((input) => input.join())).size).toBe(12)
    expect(new Set(requests.map(({ pieces }) => pieces.map(({ target }) => target.join()).join())).size).toBe(4)
    expect(new Set(inputs.map(({ length }) => length)).size).toBeGreaterThan(4)
    return mean(inputs.map(({ length }) => length - prefix)) / question
  })
  expect(mean(errors)).toBeGreaterThan(0.95)
  expect(mean(errors)).toBeLessThan(1.05)
})

test('the same seed makes the same docs, another one others', () => {
  const first = (seed: number) => makeMmlu({ ...size, docsPerSubject: 1, seed })[0]?.requests[0]?.pieces[0]?.input
  expect(first(1)).toEqual(first(1))
  expect(first(1)).not.toEqual(first(2))
})

test('a plan of them computes hardly more than the least', () => {
  const tasks = makeMmlu({ ...size, docsPerSubject: 6 })
  const layout: PassLayout = { tokens: 512, rows: 64, packs: true, shares: true }
  const plan = makePlan(tasks, layout)
  expect(plan.items).toHaveLength(57 * 6)
  const prefixes = mmluSubjects.reduce((sum, [, , prefix]) => sum + prefix, 0)
  const least = leastTokensOf(tasks)
  // Nothing is shared beside prefixes, but for questions that happen to begin with the same token.
  const questions = tasks.flatMap(({ requests }, place) =>
    requests.filter(({ idx }) => idx === 0).map(({ pieces }) => (pieces[0]?.input.length ?? 0) - (mmluSubjects[place]?.[2] ?? 0)),
  )
  const tokens = prefixes + questions.reduce((sum, one) => sum + one, 0)
  expect(least).toBeLessThanOrEqual(tokens)
  expect(least).toBeGreaterThan(tokens - 10)
})

test('short ones for a slow adapter have a token of each at least', () => {
  const tasks = makeMmlu({ ...size, docsPerSubject: 1, vocabularySize: 512, scale: 1 / 400 })
  const lengths = tasks.flatMap(({ requests }) => requests.map(({ pieces }) => pieces[0]?.input.length ?? 0))
  expect(Math.min(...lengths)).toBeGreaterThan(1)
  expect(Math.max(...lengths)).toBeLessThan(32)
})
