import { describe, expect, it } from 'vitest'
import { EvalError } from '../../src/base/errors.ts'
import { evaluate } from '../../src/evaluation/evaluate.ts'
import { batchItems } from '../../src/planning/plan.ts'
import { madeEvaluation, madeLogprob, madeTask, memoryRunStore, settings } from './fakes.ts'

const docs = 20
const batches = Math.ceil((docs * 2) / batchItems)

describe('evaluate', () => {
  it('asks the model for every item once and hands each request its answer', async () => {
    const task = madeTask(docs)
    const evaluation = madeEvaluation(task, memoryRunStore())
    await evaluate(settings, evaluation)
    expect(new Set(evaluation.asked).size).toBe(docs * 2)
    expect(evaluation.asked).toHaveLength(docs * 2)
    for (const answer of evaluation.given) {
      const piece = task.requests[answer.request]?.pieces[0]
      expect('logprob' in answer ? answer.logprob : NaN).toBe(piece === undefined ? NaN : madeLogprob(piece.input, piece.target))
    }
    expect(evaluation.given.map((answer) => answer.request).toSorted((a, b) => a - b)).toEqual(task.requests.map((_, index) => index))
  })

  it('commits every batch once, in plan order, and ends with exactly one done event', async () => {
    const store = memoryRunStore()
    const evaluation = madeEvaluation(madeTask(docs), store)
    await evaluate(settings, evaluation)
    expect(store.commits).toEqual(Array.from({ length: batches }, (_, index) => index))
    expect(evaluation.events.filter((event) => event.type === 'done')).toEqual([
      { type: 'done', runId: 'run-1', status: 'complete', error: null },
    ])
    expect(store.row('run-1').status).toBe('complete')
  })

  it('computes nothing and opens no model when every answer is kept', async () => {
    const store = memoryRunStore()
    await evaluate(settings, madeEvaluation(madeTask(docs), store))
    const second = { ...madeEvaluation(madeTask(docs), store), newRunId: () => 'run-2' }
    await evaluate(settings, second)
    expect(second.asked).toEqual([])
    expect(second.opened).toBe(0)
    expect(second.given).toHaveLength(docs * 2)
    expect(second.events.filter((event) => event.type === 'progress').at(-1)).toMatchObject({ requestsKept: docs * 2, docsDone: docs })
  })

  it('keeps what is to be known of the prompts with the run, and tells it once', async () => {
    const store = memoryRunStore()
    const made = madeEvaluation({ ...madeTask(2), warnings: ['made: doubled BOS'] }, store)
    const provenances: unknown[] = []
    const { text } = made
    const results: typeof text.results = async (request) => {
      provenances.push(request.provenance['tasks'])
      return text.results(request)
    }
    await evaluate(settings, { ...made, text: { ...text, results } })
    expect(store.row('run-1').manifest.tasks['made']?.warnings).toEqual(['made: doubled BOS'])
    expect(provenances).toEqual([{ made: { sha256: expect.any(String) as string, warnings: ['made: doubled BOS'] } }])
    expect(made.events.filter(({ type }) => type === 'warning')).toEqual([{ type: 'warning', message: 'made: doubled BOS' }])
  })

  it('reads no kept answer when told not to', async () => {
    const store = memoryRunStore()
    await evaluate(settings, madeEvaluation(madeTask(docs), store))
    const second = { ...madeEvaluation(madeTask(docs), store), newRunId: () => 'run-2' }
    await evaluate({ ...settings, useCache: false }, second)
    expect(second.asked).toHaveLength(docs * 2)
  })

  it('ends as interrupted when stopped, and a resume computes only what is missing', async () => {
    const store = memoryRunStore()
    const first = madeEvaluation(madeTask(docs), store, () => {
      if (first.asked.length === batchItems + 1) first.controller.abort()
    })
    await expect(evaluate(settings, first)).rejects.toMatchObject({ code: 'run/stopped' })
    const row = store.row('run-1')
    expect(row.status).toBe('interrupted')
    const kept = store.answers.size
    expect(kept).toBe(2 * batchItems)
    const second = madeEvaluation(madeTask(docs), store)
    await evaluate(settings, second, row)
    expect(second.asked).toHaveLength(docs * 2 - kept)
    expect(store.row('run-1').status).toBe('complete')
  })

  it('computes a batch again whose kept answer was lost, tells so, and completes', async () => {
    const store = memoryRunStore()
    const first = madeEvaluation(madeTask(docs), store, () => {
      if (first.asked.length === 3 * batchItems) first.controller.abort()
    })
    await expect(evaluate(settings, first)).rejects.toMatchObject({ code: 'run/stopped' })
    const lost = [...store.answers.keys()][batchItems + 2] ?? ''
    store.answers.delete(lost)
    const second = madeEvaluation(madeTask(docs), store)
    await evaluate(settings, second, store.row('run-1'))
    expect(second.asked.filter((item) => first.asked.includes(item))).toEqual([lost.split('|')[0]])
    expect(second.events.filter((event) => event.type === 'warning').map(({ message }) => message)).toEqual([
      expect.stringMatching(/^1 of [34] batches had been answered/),
    ])
    expect((store.journals.get('run-1') ?? []).map(({ planIndex }) => planIndex).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: batches }, (_, index) => index),
    )
  })

  it('journals every batch of a run that needed no computing', async () => {
    const store = memoryRunStore()
    await evaluate(settings, madeEvaluation(madeTask(docs), store))
    await evaluate(settings, { ...madeEvaluation(madeTask(docs), store), newRunId: () => 'run-2' })
    expect(store.journals.get('run-2')).toEqual(store.journals.get('run-1'))
  })

  it('takes kept answers without being asked to, once it resumes, but only its own', async () => {
    const store = memoryRunStore()
    const uncached = { ...settings, useCache: false }
    await evaluate(settings, { ...madeEvaluation(madeTask(docs), store), newRunId: () => 'other' })
    const first = madeEvaluation(madeTask(docs), store, () => {
      if (first.asked.length === batchItems) first.controller.abort()
    })
    await expect(evaluate(uncached, first)).rejects.toMatchObject({ code: 'run/stopped' })
    const second = madeEvaluation(madeTask(docs), store)
    await evaluate(uncached, second, store.row('run-1'))
    expect(first.asked.length + second.asked.length).toBe(docs * 2)
  })

  it('believes the kept answer, and warns, when the engine gives another', async () => {
    const store = memoryRunStore()
    const one = madeEvaluation(madeTask(docs), store)
    await evaluate(settings, one)
    // What two tabs do that begin at once: the second finds nothing kept, and all of it when it commits.
    const second = { ...madeEvaluation(madeTask(docs), { ...store, recall: async () => new Map() }), newRunId: () => 'run-2' }
    const key = [...store.answers.keys()][0] ?? ''
    const answer = { answers: [{ logprob: -0.5, isGreedy: true }], tokenLogprobs: [new Float32Array(2)] }
    store.answers.set(key, answer)
    await evaluate(settings, second)
    expect(second.given.find(({ request }) => request === 0)).toMatchObject({ logprob: -0.5, isGreedy: true })
    expect(second.events.find((event) => event.type === 'warning')).toMatchObject({
      message: expect.stringContaining('not deterministic') as string,
    })
    expect(store.answers.get(key)).toBe(answer)
  })

  it('refuses to resume a run whose plan comes out differently', async () => {
    const store = memoryRunStore()
    await evaluate(settings, madeEvaluation(madeTask(docs), store))
    const row = store.row('run-1')
    await expect(evaluate(settings, madeEvaluation(madeTask(docs + 1), store), row)).rejects.toMatchObject({ code: 'run/plan-changed' })
  })

  it('goes on at the commits where it began when branches have moved, and says so', async () => {
    const store = memoryRunStore()
    const first = madeEvaluation(madeTask(docs), store, () => {
      if (first.asked.length === batchItems) first.controller.abort()
    })
    await expect(evaluate(settings, first)).rejects.toMatchObject({ code: 'run/stopped' })
    const second = madeEvaluation(madeTask(docs), store)
    const { models } = second
    const asked: string[] = []
    const moved = {
      ...second,
      models: {
        resolve: async (wanted: typeof settings, signal: AbortSignal) => {
          asked.push(wanted.revision)
          const model = await models.resolve(wanted, signal)
          const { commit } = model.description
          return {
            ...model,
            description: { ...model.description, revision: wanted.revision, commit: wanted.revision === commit ? commit : 'f'.repeat(40) },
          }
        },
      },
    }
    await evaluate(settings, moved, store.row('run-1'))
    expect(asked).toEqual(['main', 'c'.repeat(40)])
    expect(second.events.filter((event) => event.type === 'warning').map(({ message }) => message)).toEqual([
      expect.stringContaining('has a newer revision; this run goes on with the one that it began with (cccccccccccc)'),
    ])
    expect(first.asked.length + second.asked.length).toBe(docs * 2)
  })

  it('keeps the run interrupted with the reason when the store is full', async () => {
    const store = memoryRunStore()
    store.failCommitAt = 2
    const evaluation = madeEvaluation(madeTask(docs), store)
    await expect(evaluate(settings, evaluation)).rejects.toMatchObject({ code: 'storage/quota' })
    expect(store.row('run-1')).toMatchObject({ status: 'interrupted', error: { code: 'storage/quota' } })
    // The engine had begun with the next batch while the third was to be kept.
    expect(evaluation.asked).toHaveLength(4 * batchItems)
  })

  it('fails, not resumable, when the engine answers with a number that is none', async () => {
    const store = memoryRunStore()
    const evaluation = madeEvaluation(madeTask(docs), store, () => {
      throw new EvalError('engine/nonfinite', 'NaN')
    })
    await expect(evaluate(settings, evaluation)).rejects.toMatchObject({ code: 'engine/nonfinite' })
    expect(store.row('run-1').status).toBe('failed')
  })
})
