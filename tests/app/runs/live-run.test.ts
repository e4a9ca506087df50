import { describe, expect, test } from 'vitest'
import { LiveRun } from '../../../src/app/runs/live-run.svelte.ts'
import { RateMeter } from '../../../src/app/runs/rate-meter.ts'
import { EvalError } from '../../../src/base/errors.ts'
import { runManifest, runSettings } from '../builders.ts'

function startedRun() {
  let now = 0
  const run = new LiveRun(runSettings(), () => now)
  run.receive({ type: 'started', runId: 'r', manifest: runManifest('r'), docsTotal: 100, requestsTotal: 400 })
  const progress = (atMs: number, requestsDone: number, requestsKept = 0, work?: { done: number; total: number }) => {
    now = atMs
    run.receive({
      type: 'progress',
      docsDone: Math.floor(requestsDone / 4),
      docsTotal: 100,
      requestsDone,
      requestsTotal: 400,
      requestsKept,
      runs: requestsDone,
      work,
      scores: [],
    })
  }
  return { run, progress, setNow: (value: number) => (now = value) }
}

describe('LiveRun', () => {
  test('tells docs a second and the time left from the requests done', () => {
    const { run, progress } = startedRun()
    progress(0, 0)
    progress(10_000, 200)
    expect(run.requestsPerSecond).toBe(20)
    expect(run.docsPerSecond).toBe(5)
    expect(run.secondsLeft).toBe(10)
  })

  test('tells the time left from what runs cost until there is a rate', () => {
    const { run, progress, setNow } = startedRun()
    const check = { sequences: 4, tokens: 9, maxAbsDiff: 0, maxSumDiff: 0 }
    const layout = { tokens: 128, rows: 64, packs: true, shares: true }
    run.receive({
      type: 'engine',
      facts: { ...runManifest('r').engine, fast: { layout, cut: 'hidden', check, costs: { runMs: 20, tokenMs: 4 } } },
    })
    progress(0, 0, 0, { done: 0, total: 5000 })
    expect(run.secondsLeft).toBe(20)
    setNow(2000)
    progress(2000, 4, 0, { done: 1000, total: 5000 })
    expect(run.secondsLeft).toBe(8)
  })

  test('promises no speed from answers that were kept', () => {
    const { run, progress } = startedRun()
    progress(0, 200, 200)
    progress(10_000, 220, 200)
    expect(run.requestsPerSecond).toBe(2)
  })

  test('measures each phase', () => {
    const { run, setNow } = startedRun()
    run.receive({ type: 'phase', phase: 'data' })
    setNow(1500)
    run.receive({ type: 'phase', phase: 'model' })
    expect(run.phaseTimes).toEqual({ data: 1500 })
  })

  test('shows the text that is being written, until the phase or the run ends', () => {
    const { run } = startedRun()
    const event = { type: 'generating', task: 't', docId: 3, tail: 'so far', tokens: 4, maxTokens: 9, tokensPerSecond: 2 } as const
    run.receive({ type: 'phase', phase: 'score' })
    run.receive(event)
    expect(run.writing).toMatchObject({ docId: 3, tail: 'so far', tokensPerSecond: 2 })
    run.receive({ type: 'phase', phase: 'results' })
    expect(run.writing).toBeNull()
    run.receive(event)
    run.receive({ type: 'done', runId: 'r', status: 'interrupted', error: null })
    expect(run.writing).toBeNull()
  })

  test('keeps one line a file, with its latest bytes', () => {
    const { run } = startedRun()
    for (const loaded of [1, 5]) run.receive({ type: 'bytes', file: 'a', loaded, total: 9 })
    run.receive({ type: 'bytes', file: 'b', loaded: 2, total: null })
    expect(run.files).toEqual([
      { file: 'a', loadedBytes: 5, totalBytes: 9 },
      { file: 'b', loadedBytes: 2, totalBytes: null },
    ])
  })

  test('ends as interrupted when it was stopped before it began, as failed otherwise', () => {
    const stopped = startedRun().run
    stopped.fail(new EvalError('run/stopped', 'stopped'))
    expect(stopped.status).toBe('interrupted')
    const failed = startedRun().run
    failed.fail(new Error('boom'))
    expect([failed.status, failed.error?.code]).toEqual(['failed', 'internal'])
    const resumed = new LiveRun(runSettings(), () => 0)
    resumed.runId = 'stored'
    resumed.fail(new EvalError('run/plan-changed', 'another adapter'))
    expect([resumed.status, resumed.error?.code]).toEqual(['interrupted', 'run/plan-changed'])
  })

  test('tells what it waits for until it goes on', () => {
    const { run } = startedRun()
    run.receive({ type: 'waiting', what: 'gpu', message: 'paused', seconds: 2 })
    run.receive({ type: 'warning', message: 'w' })
    expect(run.waiting?.message).toBe('paused')
    run.receive({ type: 'progress', docsDone: 1, docsTotal: 2, requestsDone: 1, requestsTotal: 2, requestsKept: 0, runs: 1, scores: [] })
    expect(run.waiting).toBeNull()
  })

  test('an end is final', () => {
    const { run } = startedRun()
    run.receive({ type: 'done', runId: 'r', status: 'complete', error: null })
    run.fail(new Error('late'))
    expect(run.status).toBe('complete')
  })
})

describe('RateMeter', () => {
  test('says nothing before there is something to tell', () => {
    const meter = new RateMeter()
    meter.add(0, 0)
    meter.add(100, 5)
    expect(meter.perSecond()).toBeNull()
  })

  test('forgets what is long past', () => {
    const meter = new RateMeter()
    for (let second = 0; second <= 10; second += 1) meter.add(second * 1000, second * 100)
    for (let second = 11; second <= 60; second += 1) meter.add(second * 1000, 1000 + (second - 10))
    expect(meter.perSecond()).toBe(1)
  })
})
