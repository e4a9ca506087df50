import { beforeEach, describe, expect, test, vi } from 'vitest'
import { AppState, sameAgainHash } from '../../src/app/app-state.svelte.ts'
import { EvalError } from '../../src/base/errors.ts'
import { runRow, runSettings } from './builders.ts'
import { createFakeClient, historyRows, type FakeOptions } from './fake-client.ts'

/** As much of a browser as the router needs. */
function stubAddress(hash = ''): { hash: string } {
  const location = { hash }
  vi.stubGlobal('location', location)
  vi.stubGlobal('history', {
    state: null,
    replaceState: (_state: unknown, _title: string, next: string) => {
      location.hash = next
    },
  })
  return location
}

function makeApp(options: FakeOptions = {}) {
  const client = createFakeClient(options)
  return { client, app: new AppState(client, () => 0) }
}

beforeEach(() => {
  stubAddress()
})

describe('set-up', () => {
  test('is ready to run the embedded default without a single choice', async () => {
    const { app } = makeApp()
    await app.setup.open({})
    expect(await app.setup.read()).toMatchObject({
      model: 'yardstick/pocket',
      revision: 'main',
      tasks: ['bench'],
      dtype: null,
      limit: null,
    })
  })

  test('takes model, tasks, dtype and limit from the link, and starts nothing', async () => {
    const { app, client } = makeApp()
    await app.setup.open({ model: 'yardstick/pocket', tasks: 'bench_facts,bench_words', dtype: 'q8', limit: '5' })
    expect(await app.setup.read()).toMatchObject({ tasks: ['bench_facts', 'bench_words'], dtype: 'q8', limit: 5 })
    expect(client.calls).not.toContain('start')
  })

  test('asks the Hub for nothing when a link names one of its models', async () => {
    const { app, client } = makeApp()
    await app.setup.open({ model: 'org/name', tasks: 'bench' })
    expect(client.calls).not.toContain('describeModel')
    expect([app.setup.source, app.setup.fields.model]).toEqual(['hub', 'org/name'])
  })

  test('keeps what was typed when the reader comes back to the page', async () => {
    const { app } = makeApp()
    await app.setup.open({})
    app.setup.fields.limit = '7'
    await app.setup.open({})
    expect(app.setup.fields.limit).toBe('7')
  })

  test('ticks the tasks of an added file, and says what is wrong with a broken one', async () => {
    const { app } = makeApp()
    await app.setup.open({})
    await app.setup.addTaskFiles([
      { path: 'mine.yaml', text: 'task: mine' },
      { path: 'broken.yaml', text: '- no' },
    ])
    // The preselected one was nobody's choice.
    expect(app.setup.fields.tasks).toEqual(['mine'])
    expect(app.catalogue.problems).toEqual([{ file: 'broken.yaml', message: expect.stringContaining('line 3') as string }])
    await app.setup.removeTaskFile('mine.yaml')
    expect(app.setup.fields.tasks).toEqual(['bench'])
  })
})

describe('a run', () => {
  test('moves to its own address once it has an id, and ends complete', async () => {
    const location = stubAddress('#/run/starting')
    const { app } = makeApp()
    await app.start(runSettings())
    expect(location.hash).toBe('#/run/r-2026-live')
    await vi.waitFor(() => expect(app.live?.status).toBe('complete'))
    expect(app.live?.counts.docsDone).toBe(400)
  })

  test('that can’t start is failed, with its reason', async () => {
    const { app } = makeApp({ startError: new EvalError('model/no-onnx', 'no files') })
    await app.start(runSettings())
    expect([app.live?.status, app.live?.error?.code]).toEqual(['failed', 'model/no-onnx'])
  })

  test('keeps a second one from starting', async () => {
    const { app, client } = makeApp({ stepMs: 5 })
    const first = app.start(runSettings())
    await app.start(runSettings({ model: 'other' }))
    await first
    expect(client.started.map(({ model }) => model)).toEqual(['yardstick/pocket'])
  })

  test('is interrupted by a stop, and goes on from there', async () => {
    const { app } = makeApp({ stepMs: 2 })
    await app.start(runSettings())
    await app.stop()
    await vi.waitFor(() => expect(app.live?.status).toBe('interrupted'))
    await app.resume('r-2026-live', runSettings())
    await vi.waitFor(() => expect(app.live?.status).toBe('complete'))
  })
})

describe('the history', () => {
  test('calls a run interrupted that says “running” while no tab holds its lock', async () => {
    vi.stubGlobal('navigator', { locks: { query: async () => ({ held: [{ name: 'run:held' }] }) } })
    const { app } = makeApp({ rows: [runRow('held', 'running'), runRow('dead', 'running')] })
    await app.runs.load()
    expect(app.runs.rows.map((row) => app.runs.statusOf(row))).toEqual(['running', 'interrupted'])
    vi.unstubAllGlobals()
  })

  test('shows the main score of complete runs only', async () => {
    const { app } = makeApp({ rows: historyRows() })
    await app.runs.load()
    await app.runs.loadScores()
    expect(Object.entries(app.runs.scores).map(([runId, row]) => [runId, row?.task])).toEqual([
      ['r-1', 'bench'],
      ['r-4', 'bench'],
    ])
  })
})

test('“same again” leads to a form filled in like the run', () => {
  expect(sameAgainHash(runSettings({ limit: 5 }))).toBe('#/?model=yardstick/pocket&tasks=bench&dtype=q4&limit=5')
})
