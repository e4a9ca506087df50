/** Workers that break in the middle of a run. */
import { breakWorker, endOf, longSettings, scoresOf, slowModel, startScoring, waitingMessages } from './faults.ts'
import { callDriver, expect, intervals, openDriver, runToEnd, test } from './fixtures.ts'

// Generous: a run lasts seconds, but the machine may be busy.
test.describe.configure({ timeout: 300_000 })

test('text and model workers that break are replaced; after a run worker that breaks the run can be resumed; the scores are the same', async ({
  page,
  app,
}) => {
  // Three faults, one after the other, must find the run at work.
  slowModel(page, 800)
  const events = await openDriver(page, app.address)
  const settings = longSettings({ useCache: true, limit: 15 })
  const lastOf = (from: number) => events.slice(from).findLast((event) => event.type === 'progress')
  /** Waits until the run has told of a fault and has scored something since. */
  const goesOn = async (told: RegExp) => {
    await expect.poll(() => waitingMessages(events).join(), { timeout: 60_000, intervals }).toMatch(told)
    const at = events.findLastIndex((event) => event.type === 'waiting')
    await expect.poll(() => lastOf(at)?.runs ?? 0, { timeout: 60_000, intervals }).toBeGreaterThan(0)
  }

  const runId = await startScoring(page, events, settings)
  await breakWorker(page, 'text')
  await goesOn(/text worker died/)
  expect(lastOf(0)?.requestsKept).toBeGreaterThanOrEqual(16)
  await breakWorker(page, 'model')
  await goesOn(/engine broke down/)
  expect(events.filter(({ type }) => type === 'done')).toEqual([])

  await breakWorker(page, 'run')
  expect(await endOf(events)).toMatchObject({ runId, status: 'interrupted', error: { code: 'worker/died' } })
  const from = events.length
  await callDriver(page, 'resume', [runId], (value): value is unknown => value !== undefined)
  expect(await endOf(events, from)).toMatchObject({ runId, status: 'complete', error: null })
  expect(lastOf(from)?.requestsKept).toBeGreaterThanOrEqual(16)
  expect(lastOf(from)?.requestsDone).toBe(lastOf(from)?.requestsTotal)

  // An undisturbed run takes every answer from that one: equal scores prove that each was computed once, and kept.
  const again = await runToEnd(page, events, settings)
  expect(again.progress).toMatchObject({ runs: 0 })
  expect(await scoresOf(page, again.runId)).toEqual(await scoresOf(page, runId))
})
