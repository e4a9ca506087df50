/** A worker that breaks in the middle of a run. */
import { breakWorker, endOf, longSettings, scoresOf, startScoring, waitingMessages } from './faults.ts'
import { callDriver, expect, openDriver, test } from './fixtures.ts'

// Generous: a run lasts seconds, but the machine may be busy.
test.describe.configure({ timeout: 300_000 })

const settings = longSettings()

test('a model worker that breaks is replaced, and the run goes on to the same scores', async ({ page, app }) => {
  const events = await openDriver(page, app.address)
  const shared = { ...settings, useCache: true }
  const broken = await startScoring(page, events, shared)
  await breakWorker(page, 'model')
  expect(await endOf(events)).toMatchObject({ runId: broken, status: 'complete', error: null })
  expect(waitingMessages(events).join()).toMatch(/engine broke down/)

  // The undisturbed run takes every answer from the first: equal scores prove that each was computed once, and kept.
  const from = events.length
  const again = await startScoring(page, events, shared)
  await endOf(events, from)
  expect(events.slice(from).findLast((event) => event.type === 'progress')).toMatchObject({ runs: 0 })
  expect(await scoresOf(page, again)).toEqual(await scoresOf(page, broken))
})

test('a text worker that breaks is replaced, and the run goes on with what it had', async ({ page, app }) => {
  const events = await openDriver(page, app.address)
  const runId = await startScoring(page, events, settings)
  await breakWorker(page, 'text')
  expect(await endOf(events)).toMatchObject({ runId, status: 'complete', error: null })
  expect(waitingMessages(events).join()).toMatch(/text worker died/)
  const last = events.findLast((event) => event.type === 'progress')
  expect(last?.requestsKept).toBeGreaterThanOrEqual(16)
  expect(last?.requestsDone).toBe(last?.requestsTotal)
})

test('a run worker that breaks leaves the page usable, and the run can be resumed', async ({ page, app }) => {
  const events = await openDriver(page, app.address)
  const runId = await startScoring(page, events, settings)
  await breakWorker(page, 'run')
  expect(await endOf(events)).toMatchObject({ runId, status: 'interrupted', error: { code: 'worker/died' } })
  const from = events.length
  await callDriver(page, 'resume', [runId], (value): value is unknown => value !== undefined)
  expect(await endOf(events, from)).toMatchObject({ runId, status: 'complete' })
  expect(events.slice(from).findLast((event) => event.type === 'progress')?.requestsKept).toBeGreaterThanOrEqual(16)
})
