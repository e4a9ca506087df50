/** Repeat-run noise on request: together twice and alone twice, without touching what is kept or scored. */
import { describe, expect, it } from 'vitest'
import type { BuiltTask } from '../../src/contracts/built-task.ts'
import type { RunSettings } from '../../src/contracts/run-settings.ts'
import type { RunVariance } from '../../src/contracts/yardstick-results.ts'
import { evaluate } from '../../src/evaluation/evaluate.ts'
import type { OpenModel } from '../../src/evaluation/ports.ts'
import { batchItems } from '../../src/planning/plan.ts'
import { madeEvaluation, madeTask, madeTextTask, memoryRunStore, settings } from './fakes.ts'

/** A run's noise, what was asked of the model, and what was scored; `alter` puts another engine in the model's place. */
async function noiseOf(
  task: BuiltTask,
  wanted: Partial<RunSettings>,
  alter: (model: OpenModel) => OpenModel = (model) => model,
  store = memoryRunStore(),
) {
  const made = madeEvaluation(task, store)
  const seen: (RunVariance | null)[] = []
  const { text, opener } = made
  await evaluate(
    { ...settings, ...wanted },
    {
      ...made,
      newRunId: () => `run-of-${task.docs}-docs`,
      opener: { ...opener, open: async (...args) => alter(await opener.open(...args)) },
      text: {
        ...text,
        results: (request) => {
          seen.push(request.noise)
          return text.results(request)
        },
      },
    },
  )
  return { noise: seen[0] ?? null, asked: made.asked.length, given: made.given }
}

const same = { identical: 16, maxAbsDiff: 0, meanAbsDiff: 0, greedyFlips: 0, logprobs: 16, texts: 0, sameTexts: 0 }

describe('repeat-run noise', () => {
  it('is not measured unless asked for', async () => {
    expect(await noiseOf(madeTask(20), {})).toMatchObject({ noise: null, asked: 40 })
  })

  it('computes as many items as were asked for, twice together and twice each alone, and finds a steady engine identical', async () => {
    const { noise, asked } = await noiseOf(madeTask(20), { noiseItems: batchItems + 1 })
    const nine = { ...same, identical: batchItems + 1, logprobs: batchItems + 1 }
    expect(noise).toEqual({ items: batchItems + 1, again: nine, alone: nine, aloneAgain: nine })
    expect(asked).toBe(40 + 4 * (batchItems + 1))
  })

  it('compares like with like: answers kept from a run with other batches play no part', async () => {
    // What shares a run moves this engine's answers, as it does a real one's last digits.
    const moved = (model: OpenModel): OpenModel => ({
      ...model,
      score: async (items, prefixes) =>
        (await model.score(items, prefixes)).map((answer) => ({
          ...answer,
          answers: answer.answers.map(({ logprob, isGreedy }) => ({ logprob: logprob - items.length / 1000, isGreedy })),
        })),
    })
    const store = memoryRunStore()
    await noiseOf(madeTask(1), {}, moved, store)
    const { noise } = await noiseOf(madeTask(20), { noiseItems: 4 }, moved, store)
    expect(noise).toMatchObject({
      items: 4,
      again: { logprobs: 4, identical: 4, maxAbsDiff: 0 },
      alone: { logprobs: 4, identical: 0 },
      aloneAgain: { logprobs: 4, identical: 4, maxAbsDiff: 0 },
    })
    expect(noise?.alone.maxAbsDiff).toBeCloseTo(0.003, 12)
  })

  it('shows an engine whose answers depend on what shares a run, and scores the first answers all the same', async () => {
    const plain = await noiseOf(madeTask(20), {})
    const { noise, given } = await noiseOf(madeTask(20), { noiseItems: 16 }, (model) => ({
      ...model,
      score: async (items, prefixes) =>
        (await model.score(items, prefixes)).map((answer) => ({
          ...answer,
          answers: answer.answers.map(({ logprob, isGreedy }) => ({
            logprob: items.length === 1 ? logprob - 0.25 : logprob,
            isGreedy: items.length === 1 ? !isGreedy : isGreedy,
          })),
        })),
    }))
    expect(noise?.again).toEqual(same)
    expect(noise?.alone).toMatchObject({ identical: 0, greedyFlips: 16 })
    expect(noise?.alone.maxAbsDiff).toBeCloseTo(0.25, 12)
    expect(noise?.alone.meanAbsDiff).toBeCloseTo(0.25, 12)
    expect(given).toEqual(plain.given)
  })

  it('compares texts token by token', async () => {
    const steady = await noiseOf(madeTextTask(4), { noiseItems: 3 })
    expect(steady.noise?.again).toMatchObject({ logprobs: 0, texts: 3, sameTexts: 3 })
    let texts = 0
    const unsteady = await noiseOf(madeTextTask(4), { noiseItems: 3 }, (model) => ({
      ...model,
      generate: async (...args) => {
        const answers = await model.generate(...args)
        return answers.map((answer) => {
          texts++
          // After the run's four: the first text's second time together.
          return texts === 7 ? { ...answer, tokens: answer.tokens.map((token) => token + 1) } : answer
        })
      },
    }))
    expect([unsteady.noise?.again, unsteady.noise?.alone, unsteady.noise?.aloneAgain].map((one) => one?.sameTexts)).toEqual([2, 3, 3])
  })
})
