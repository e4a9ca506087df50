import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { AppState } from '../../../src/app/app-state.svelte.ts'
import { WatchedRun } from '../../../src/app/runs/watched-run.svelte.ts'
import { isMissingPart, isNewerPublished } from '../../../src/app/setup/published.ts'
import { EvalError, toWire } from '../../../src/base/errors.ts'
import { runManifest, runRow, runSettings } from '../builders.ts'
import { createFakeClient } from '../fake-client.ts'

beforeEach(() => {
  vi.stubGlobal('location', { hash: '', href: 'https://made.up/x/', pathname: '/x/' })
  vi.stubGlobal('history', { state: null, replaceState: () => undefined })
})

afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

const memory = { state: 'memory', error: toWire(new EvalError('storage/unavailable', 'private window')) } as const

describe('closing the tab', () => {
  test('asks back only for what is in memory alone', async () => {
    const kept = new AppState(createFakeClient(), () => 0)
    await kept.watchKeeping()
    await kept.start(runSettings())
    expect([kept.isBusy, kept.holdsUnkept]).toEqual([true, false])

    const unkept = new AppState(createFakeClient({ keeping: memory }), () => 0)
    await unkept.watchKeeping()
    expect(unkept.holdsUnkept).toBe(false)
    await unkept.start(runSettings())
    expect(unkept.holdsUnkept).toBe(true)
    await vi.waitFor(() => {
      expect(unkept.live?.status).toBe('complete')
    })
    expect(unkept.holdsUnkept).toBe(true)
  })

  test('is preceded by a checkpoint while a run is going on', async () => {
    const client = createFakeClient()
    const app = new AppState(client, () => 0)
    await app.checkpoint()
    expect(client.calls).not.toContain('checkpoint')
    await app.start(runSettings())
    await app.checkpoint()
    expect(client.calls).toContain('checkpoint')
  })
})

describe('a run of another tab', () => {
  const row = runRow('r-9', 'running', { manifest: runManifest('r-9'), docsDone: 40, docsTotal: 400 })

  test('is shown as far as it was stored, then by its news, and its end is told', () => {
    const client = createFakeClient({ rows: [row] })
    const watched = new WatchedRun(client, row, () => 0)
    expect(watched.run).toMatchObject({ runId: 'r-9', status: 'running', counts: { docsDone: 40, docsTotal: 400 } })
    let ends = 0
    const stop = watched.follow(() => (ends += 1))
    const [listener] = client.listeners
    expect(listener?.runId).toBe('r-9')
    const counts = { docsDone: 80, docsTotal: 400, requestsDone: 320, requestsTotal: 1600, requestsKept: 0, runs: 320 }
    listener?.onEvent({ type: 'progress', ...counts, scores: [] })
    expect(watched.run.counts).toEqual(counts)
    expect(ends).toBe(0)
    listener?.onEvent({ type: 'done', runId: 'r-9', status: 'complete', error: null })
    expect(ends).toBe(1)
    stop()
    expect(client.listeners).toEqual([])
  })

  test('is looked after: a tab that dies tells nothing', async () => {
    vi.useFakeTimers()
    const held = [{ name: 'run:r-9' }]
    vi.stubGlobal('navigator', { locks: { query: async () => ({ held }) } })
    let ends = 0
    const stop = new WatchedRun(createFakeClient(), row, () => 0).follow(() => (ends += 1))
    await vi.advanceTimersByTimeAsync(5_000)
    expect(ends).toBe(0)
    held.length = 0
    await vi.advanceTimersByTimeAsync(2_000)
    expect(ends).toBe(1)
    stop()
  })

  test('can be taken over', async () => {
    const client = createFakeClient({ rows: [row] })
    const app = new AppState(client, () => 0)
    await app.resume('r-9', runSettings(), true)
    expect(client.calls).toContain('take over')
  })

  test('that took this tab’s run is followed from then on', async () => {
    const client = createFakeClient()
    const fenced = toWire(new EvalError('storage/fenced', 'taken over'))
    const app = new AppState(
      {
        ...client,
        start: async (_settings, onEvent) => {
          onEvent({ type: 'started', runId: 'r', manifest: runManifest('r'), docsTotal: 4, requestsTotal: 16 })
          onEvent({ type: 'done', runId: 'r', status: 'interrupted', error: fenced })
          return 'r'
        },
      },
      () => 0,
    )
    await app.start(runSettings())
    expect(app.live).toBeNull()
  })
})

describe('a part of the page that is gone', () => {
  const missing = new TypeError('Failed to fetch dynamically imported module: https://made.up/x/assets/RunPage-1.js')
  const page = (html: string | null) => {
    vi.stubGlobal('document', { querySelector: () => ({ src: 'https://made.up/x/assets/index-abc.js' }) })
    vi.stubGlobal('fetch', async () => {
      if (html === null) throw new TypeError('Failed to fetch')
      return new Response(html)
    })
  }

  test.each([
    ['the same page', '<script src="./assets/index-abc.js">', false],
    ['a newer page', '<script src="./assets/index-def.js">', true],
    ['a newer page whose name contains the older one', '<script src="./assets/next-index-abc.js">', true],
    ['no network', null, false],
  ])('with %s published', async (_, html, isNewer) => {
    page(html)
    expect(await isNewerPublished()).toBe(isNewer)
    const app = new AppState(createFakeClient(), () => 0)
    expect((await app.explain(missing)).code).toBe(isNewer ? 'app/outdated' : 'internal')
    expect(app.isOutdated).toBe(isNewer)
  })

  test('is told from other errors', async () => {
    page('<script src="./assets/index-def.js">')
    const app = new AppState(createFakeClient(), () => 0)
    expect((await app.explain(new EvalError('hub/not-found', 'no such model'))).code).toBe('hub/not-found')
    expect(app.isOutdated).toBe(false)
    expect(isMissingPart(new EvalError('worker/died', 'The text worker died: its file could not be loaded: TypeError.'))).toBe(true)
  })
})
