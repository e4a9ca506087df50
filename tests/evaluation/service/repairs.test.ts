import { describe, expect, it } from 'vitest'
import { EvalError, toWire } from '../../../src/base/errors.ts'
import type { RunEvent } from '../../../src/contracts/progress.ts'
import type { RunRow } from '../../../src/contracts/runs.ts'
import { evaluate } from '../../../src/evaluation/evaluate.ts'
import type { Attempt } from '../../../src/evaluation/ports.ts'
import { mostExcluded, runWithRepairs } from '../../../src/evaluation/service/repairs.ts'
import { stuckStep } from '../../../src/rpc/stuck-step.ts'
import { facts, madeEvaluation, madeTask, memoryRunStore, settings } from '../fakes.ts'

const textDied = () => new EvalError('worker/died', 'The text worker died: boom.', { details: { name: 'text' } })

/** Runs made evaluations over one store; `breakAt(attempt, call)` throws where the text worker is to die. */
async function runBreaking(breakAt: (attempt: number, call: string) => void, docs = 20) {
  const store = memoryRunStore()
  const events: RunEvent[] = []
  const asked: string[][] = []
  const unscored: (readonly number[])[] = []
  let attempts = 0
  const run = async ({ settings: own, resumeOf, excluded }: Attempt, emit: (event: RunEvent) => void) => {
    attempts += 1
    const attempt = attempts
    const made = madeEvaluation(madeTask(docs), store)
    asked.push(made.asked)
    const { text } = made
    await evaluate(
      own,
      {
        ...made,
        emit,
        text: {
          ...text,
          build: async (...args) => {
            breakAt(attempt, 'build')
            unscored.push(args[3] ?? [])
            return text.build(...args)
          },
          answer: async (...args) => {
            breakAt(attempt, 'answer')
            return text.answer(...args)
          },
          results: async (...args) => {
            breakAt(attempt, 'results')
            return text.results(...args)
          },
        },
      },
      resumeOf,
      excluded,
    )
  }
  const outcome = await runWithRepairs(
    { settings, resumeOf: null, excluded: [] },
    { run, readRun: async (id) => store.row(id), emit: (e) => events.push(e) },
  ).catch((error: unknown) => error)
  return { outcome, events, asked, store, attempts, unscored }
}

const doneEvents = (events: readonly RunEvent[]) => events.filter((event) => event.type === 'done')

describe('a run whose text worker dies', () => {
  it.each(['build', 'answer', 'results'])('in %s goes on once by itself and computes no answer twice', async (where) => {
    let calls = 0
    const { outcome, events, asked, store, attempts } = await runBreaking((attempt, call) => {
      if (attempt === 1 && call === where && (calls += 1) === (where === 'answer' ? 3 : 1)) throw textDied()
    })
    expect(outcome).toBe('run-1')
    expect(attempts).toBe(2)
    expect(store.row('run-1').status).toBe('complete')
    expect(asked.flat()).toHaveLength(40)
    expect(doneEvents(events)).toEqual([{ type: 'done', runId: 'run-1', status: 'complete', error: null }])
    expect(events.some((event) => event.type === 'waiting' && event.message.includes('text worker died'))).toBe(true)
  })

  it('a second time ends as interrupted, with the cause', async () => {
    const { outcome, events, store, attempts } = await runBreaking((_, call) => {
      if (call === 'answer') throw textDied()
    })
    expect(outcome).toMatchObject({ code: 'worker/died' })
    expect(attempts).toBe(2)
    expect(store.row('run-1')).toMatchObject({ status: 'interrupted', error: { code: 'worker/died' } })
    expect(doneEvents(events)).toMatchObject([{ status: 'interrupted', error: { code: 'worker/died' } }])
  })

  it('is not begun again for any other error', async () => {
    const { attempts, events } = await runBreaking((_, call) => {
      if (call === 'answer') throw new EvalError('filter/failed', 'no')
    })
    expect(attempts).toBe(1)
    expect(doneEvents(events)).toMatchObject([{ status: 'failed' }])
  })
})

describe('a doc on which a filter never ends', () => {
  const stuckOn = (docId: number, kind: 'filter' | 'score' | 'prompt' = 'filter') =>
    stuckStep('text', { task: 'made', docId, kind, filter: 'strict', pattern: '(a+)+$' }, 10_000)

  it.each([['filter'], ['score']] as const)(
    '(%s) is left out by its id, and the run goes on without asking anything twice',
    async (kind) => {
      const { outcome, events, asked, store, unscored } = await runBreaking((attempt, call) => {
        if (attempt < 3 && call === 'results') throw stuckOn(attempt + 6, kind)
      })
      expect(outcome).toBe('run-1')
      expect(unscored).toEqual([[], [7], [7, 8]])
      expect(store.row('run-1').status).toBe('complete')
      expect(asked.flat()).toHaveLength(40)
      expect(doneEvents(events)).toMatchObject([{ status: 'complete' }])
      const warnings = events.flatMap((event) => (event.type === 'warning' ? [event.message] : []))
      expect(warnings[0]).toMatch(/^Task made, doc 7: .*'strict'.*The doc is left out/)
    },
  )

  it('is one too many after a few: the pattern is at fault, and the run ends', async () => {
    const { outcome, store, attempts } = await runBreaking((attempt, call) => {
      if (call === 'results') throw stuckOn(attempt)
    })
    expect(outcome).toMatchObject({ code: 'regex/timeout' })
    expect(attempts).toBe(mostExcluded + 1)
    expect(store.row('run-1').status).toBe('failed')
  })

  it('can’t be one whose prompt was never made: that run is refused before anything is asked', async () => {
    const { outcome, asked, attempts } = await runBreaking((_, call) => {
      if (call === 'build') throw stuckOn(3, 'prompt')
    })
    expect(outcome).toMatchObject({ code: 'template/budget', details: { stuck: { docId: 3 } } })
    expect(attempts).toBe(1)
    expect(asked.flat()).toEqual([])
  })
})

describe('logits that are no numbers', () => {
  const nonfinite = new EvalError('engine/nonfinite', 'NaN')
  const play = async (device: 'auto' | 'webgpu', ran: 'webgpu' | 'wasm') => {
    const events: RunEvent[] = []
    const tried: Attempt[] = []
    const run = async (attempt: Attempt, emit: (event: RunEvent) => void) => {
      tried.push(attempt)
      const runId = `run-${tried.length}`
      emit({ type: 'engine', facts: { ...facts, device: attempt.settings.device === 'wasm' ? 'wasm' : ran } })
      emit({ type: 'started', runId, manifest: {} as RunRow['manifest'], docsTotal: 1, requestsTotal: 1 }) // Nothing here reads it.
      if (tried.length === 1) {
        emit({ type: 'done', runId, status: 'failed', error: toWire(nonfinite) })
        throw nonfinite
      }
      emit({ type: 'done', runId, status: 'complete', error: null })
    }
    const outcome = await runWithRepairs(
      { settings: { ...settings, device }, resumeOf: null, excluded: [] },
      { run, readRun: async () => null, emit: (event) => events.push(event) },
    ).catch((error: unknown) => error)
    return { outcome, tried, events }
  }

  it('on a GPU that auto chose start a new run on WASM, and say so', async () => {
    const { outcome, tried, events } = await play('auto', 'webgpu')
    expect(outcome).toBe('run-2')
    expect(tried[1]).toMatchObject({ settings: { device: 'wasm' }, resumeOf: null })
    expect(doneEvents(events)).toMatchObject([{ runId: 'run-2', status: 'complete' }])
    expect(events.some((event) => event.type === 'warning' && event.message.includes('never mixed'))).toBe(true)
  })

  it.each([
    ['webgpu', 'webgpu'],
    ['auto', 'wasm'],
  ] as const)('with device %s on %s end the run', async (device, ran) => {
    const { outcome, tried, events } = await play(device, ran)
    expect(outcome).toMatchObject({ code: 'engine/nonfinite' })
    expect(tried).toHaveLength(1)
    expect(doneEvents(events)).toMatchObject([{ runId: 'run-1', status: 'failed' }])
  })
})
