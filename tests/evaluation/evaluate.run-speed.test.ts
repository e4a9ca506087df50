/** How fast a run was, told by a clock that the test turns. */
import { describe, expect, it } from 'vitest'
import type { BuiltTask } from '../../src/contracts/built-task.ts'
import type { RunSpeed } from '../../src/contracts/yardstick-results.ts'
import { evaluate } from '../../src/evaluation/evaluate.ts'
import { madeEvaluation, madeTask, madeText, memoryRunStore, settings, type MemoryRunStore } from './fakes.ts'

/** The model takes two seconds a batch, after half a second for a prompt, and has computed 1,000 tokens before the run. */
async function speedOf(task: BuiltTask, store: MemoryRunStore, tokens: number, counted = false): Promise<RunSpeed | null> {
  const made = madeEvaluation(task, store)
  let ms = 0
  let computed = 1000
  let inside = 0
  const seen: (RunSpeed | null)[] = []
  await evaluate(settings, {
    ...made,
    clock: () => ms,
    newRunId: () => `run-${store.answers.size}`,
    opener: {
      ...made.opener,
      open: async (...args) => {
        const model = await made.opener.open(...args)
        return {
          ...model,
          score: (...asked) => {
            ms += 2000
            inside += 1500
            computed += tokens
            return model.score(...asked)
          },
          generate: async (items, watcher) => {
            ms += 500
            watcher.begin()
            ms += 2000
            return items.map(() => ({ tokens: new Int32Array(tokens), end: 'length' as const }))
          },
          stats: async () => ({ runs: 1, tokens: computed, ...(counted ? { milliseconds: inside } : {}) }),
        }
      },
    },
    text: {
      ...made.text,
      results: (request) => {
        seen.push(request.speed)
        return made.text.results(request)
      },
    },
  })
  return seen[0] ?? null
}

describe('B: LLM output token rate', () => {
  it('100 tokens in 2 seconds are 50 a second; the prompt before them is another matter', async () => {
    const requests = [{ docId: 0, idx: 0, pieces: [], generations: [madeText([1, 2], { maxNewTokens: 100 })] }]
    const speed = await speedOf({ name: 'made', docs: 1, docsOriginal: 1, requests, warnings: [] }, memoryRunStore(), 100)
    expect(speed).toEqual({ scored: null, written: { tokens: 100, seconds: 2 } })
  })

  it('counts the tokens that log-likelihoods cost, not those of checks before, and nothing where every answer was kept', async () => {
    const store = memoryRunStore()
    // 32 items, 8 a batch.
    expect(await speedOf(madeTask(16), store, 300)).toEqual({ scored: { tokens: 1200, seconds: 8 }, written: null })
    expect(await speedOf(madeTask(16), store, 300)).toBeNull()
  })

  it('says how much of the time was inside forward passes, where the engine counts it', async () => {
    const speed = await speedOf(madeTask(16), memoryRunStore(), 300, true)
    expect(speed?.times).toEqual({ passes: 0, insideSeconds: 6, wallSeconds: 8, fixedSeconds: null })
  })
})
