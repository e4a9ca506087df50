import { describe, expect, it } from 'vitest'
import { EvalError } from '../../src/base/errors.ts'
import type { BuiltTask } from '../../src/contracts/built-task.ts'
import { isGeneration } from '../../src/contracts/items.ts'
import type { GenerationItem } from '../../src/contracts/items.ts'
import { evaluate } from '../../src/evaluation/evaluate.ts'
import { tokenRate } from '../../src/evaluation/model/token-rate.ts'
import { partLimit, writeTexts } from '../../src/evaluation/model/write-text.ts'
import { makePlan, planHash } from '../../src/planning/plan.ts'
import { madeEvaluation, madeTask, madeText, madeTextTask, madeTokens, memoryRunStore, settings } from './fakes.ts'

/** A text as it should be: cut after the first 7. */
function wanted(item: GenerationItem): number[] {
  const tokens = madeTokens(item)
  const at = tokens.indexOf(7)
  return at < 0 ? tokens : tokens.slice(0, at + 1)
}

const itemsOf = (task: BuiltTask) => task.requests.flatMap((request) => request.generations ?? [])

describe('a run that writes texts', () => {
  it('writes each once, cuts it at its stop string and hands it over', async () => {
    const task = madeTextTask(12)
    const evaluation = madeEvaluation(task, memoryRunStore())
    await evaluate(settings, evaluation)
    expect(evaluation.asked).toHaveLength(12)
    const given = evaluation.given.map((answer) => ('generated' in answer ? answer.generated.map((tokens) => [...tokens]) : []))
    expect(given).toEqual(itemsOf(task).map((item) => [wanted(item)]))
    // Both kinds of end are among them.
    expect(new Set(given.map(([tokens]) => tokens?.at(-1) === 7)).size).toBe(2)
  })

  it('B: live success rate in progress bar, jsonl append per item', async () => {
    const store = memoryRunStore()
    const task = madeTextTask(10)
    let texts = 0
    const first = madeEvaluation(task, store, undefined, () => {
      texts += 1
      if (texts > 7) throw new EvalError('worker/died', 'made kill')
    })
    await expect(evaluate(settings, first)).rejects.toMatchObject({ code: 'worker/died' })
    expect(store.answers.size).toBe(7)
    expect(store.commits).toEqual([0, 1, 2, 3, 4, 5, 6])
    const second = madeEvaluation(task, store)
    await evaluate(settings, second, store.row('run-1'))
    expect(second.asked).toHaveLength(3)
    const whole = madeEvaluation(task, memoryRunStore())
    await evaluate(settings, whole)
    expect(second.given).toEqual(whole.given)
  })

  it('gives a greedy text to all its repeats and writes it once, and writes every sampled repeat', async () => {
    const greedy = madeEvaluation(madeTextTask(3, 4), memoryRunStore())
    await evaluate(settings, greedy)
    expect(greedy.asked).toHaveLength(3)
    expect(greedy.given.map((answer) => ('generated' in answer ? answer.generated.length : 0))).toEqual([4, 4, 4])
    const task = madeTextTask(3, 4, (docId, repeat) => docId * 10 + repeat + 1)
    const sampled = madeEvaluation(task, memoryRunStore())
    await evaluate(settings, sampled)
    expect(sampled.asked).toHaveLength(12)
    const texts = sampled.given.flatMap((answer) => ('generated' in answer ? answer.generated.map((tokens) => [...tokens]) : []))
    expect(texts).toEqual(itemsOf(task).map(wanted))
  })

  it('tells of the text that is being written, with its tokens a second', async () => {
    const evaluation = madeEvaluation(madeTextTask(2), memoryRunStore())
    await evaluate(settings, evaluation)
    const told = evaluation.events.filter((event) => event.type === 'generating')
    expect(told.filter(({ tokens }) => tokens === 0).map(({ docId, tokensPerSecond }) => [docId, tokensPerSecond])).toEqual([
      [0, null],
      [1, null],
    ])
    expect(told.filter(({ tokensPerSecond }) => tokensPerSecond !== null).length).toBeGreaterThan(2)
  })
})

describe('a plan with texts', () => {
  it('has each in a batch of its own, and forward passes in batches of eight around them', () => {
    const plan = makePlan([madeTask(5), madeTextTask(2), madeTask(9)])
    expect(plan.batches.map((batch) => batch.items.length)).toEqual([8, 2, 1, 1, 8])
    expect(plan.items.filter(isGeneration)).toHaveLength(2)
  })

  it('is another one when anything that decides a text changes', async () => {
    const hashOf = async (text: GenerationItem) =>
      planHash(makePlan([{ ...madeTextTask(1), requests: [{ docId: 0, idx: 0, pieces: [], generations: [text] }] }]))
    const base = await hashOf(madeText([1, 2]))
    const others = await Promise.all([
      hashOf(madeText([1, 3])),
      hashOf(madeText([1, 2], { stops: ['8'] })),
      hashOf(madeText([1, 2], { maxNewTokens: 21 })),
      hashOf(madeText([1, 2], { seed: 1 })),
    ])
    expect(new Set([base, ...others]).size).toBe(5)
    expect(await hashOf(madeText([1, 2]))).toBe(base)
  })
})

describe('writing a text', () => {
  const item = madeText([1], { maxNewTokens: 7 })
  const engineOf = (parts: readonly (readonly number[])[], last: 'end-token' | 'length') => {
    const log: string[] = []
    let at = 0
    return {
      log,
      steps: {
        begin: async () => void log.push('begin'),
        next: async () => {
          const part = parts[at] ?? []
          at += 1
          return [{ tokens: Int32Array.from(part), end: at === parts.length ? last : null }]
        },
        end: async () => void log.push('end'),
      },
    }
  }
  const watching = (stop: number) => ({
    begin: () => undefined,
    look: async (_: number, tokens: Int32Array, seen: number) => {
      const at = tokens.findIndex((token, index) => index >= seen && token === stop)
      return at < 0 ? null : at + 1
    },
  })

  it('gives the same answer however it comes in parts', async () => {
    const ways = [
      [[5], [6], [7], [8], [9]],
      [[5, 6, 7, 8, 9]],
      [
        [5, 6],
        [7, 8, 9],
      ],
    ]
    for (const parts of ways)
      expect(await writeTexts([item], watching(7), engineOf(parts, 'length').steps)).toEqual([
        { tokens: Int32Array.of(5, 6, 7), end: 'stop' },
      ])
  })

  it('frees the engine’s cache when a stop string or an error ends the text, and not twice when the engine ended it', async () => {
    const stopped = engineOf([[5, 7], [8]], 'length')
    await writeTexts([item], watching(7), stopped.steps)
    expect(stopped.log).toEqual(['begin', 'end'])
    const whole = engineOf([[5], [6, 3]], 'end-token')
    expect(await writeTexts([item], watching(7), whole.steps)).toEqual([{ tokens: Int32Array.of(5, 6, 3), end: 'end-token' }])
    expect(whole.log).toEqual(['begin'])
    const failing = engineOf([[5], [6]], 'length')
    const watcher = { begin: () => undefined, look: () => Promise.reject(new EvalError('worker/died', 'made')) }
    await expect(writeTexts([item], watcher, failing.steps)).rejects.toMatchObject({ code: 'worker/died' })
    expect(failing.log).toEqual(['begin', 'end'])
  })

  it('goes on with the others when one of several texts ends, and gives up those that a stop string ended', async () => {
    const [first, second, third] = [
      [5, 6, 8, 9, 5, 6],
      [7, 1, 1, 1, 1, 1],
      [5, 3],
    ]
    const open = new Set([0, 1, 2])
    const given: (readonly number[])[] = []
    let at = 0
    let isEnded = false
    const steps = {
      begin: async () => undefined,
      next: async (_limit: unknown, ended: readonly number[]) => {
        given.push(ended)
        for (const index of ended) open.delete(index)
        const start = at
        at += 2
        return [first, second, third].map((tokens = [], index) => {
          if (!open.has(index)) return null
          const end = at < tokens.length ? null : index === 2 ? ('end-token' as const) : ('length' as const)
          if (end !== null) open.delete(index)
          return { tokens: Int32Array.from(tokens.slice(start, at)), end }
        })
      },
      end: async () => {
        isEnded = true
      },
    }
    expect(await writeTexts([item, item, item], watching(7), steps)).toEqual([
      { tokens: Int32Array.of(5, 6, 8, 9, 5, 6), end: 'length' },
      { tokens: Int32Array.of(7), end: 'stop' },
      { tokens: Int32Array.of(5, 3), end: 'end-token' },
    ])
    expect(given).toEqual([[], [1], []])
    expect(isEnded).toBe(false)
  })

  it('asks for small parts', () => {
    expect(partLimit).toEqual({ tokens: 16, milliseconds: 100 })
  })
})

describe('tokens a second', () => {
  it('B: "LLM output token rate"', () => {
    let ms = 1_000
    const rate = tokenRate(() => ms)
    expect(rate.perSecond(5)).toBeNull()
    rate.begin()
    expect(rate.perSecond(0)).toBeNull()
    ms += 2_000
    expect(rate.perSecond(100)).toBe(50)
  })
})
