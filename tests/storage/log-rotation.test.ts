import 'fake-indexeddb/auto'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { startNewLog } from '../../src/storage/log-rotation.ts'
import { openStore } from '../../src/storage/open-store.ts'

/** What tells LevelDB's browsers from others. */
function beChromium(): void {
  Object.defineProperty(IDBVersionChangeEvent.prototype, 'dataLoss', { value: 'none', configurable: true })
}

afterEach(() => {
  Reflect.deleteProperty(IDBVersionChangeEvent.prototype, 'dataLoss')
  vi.restoreAllMocks()
})

// That a new log keeps what was written behind a torn end is proved in Chromium: kill.spec.ts and cli-interrupted.spec.ts.
describe('a new log', () => {
  it('is begun by a database that comes and goes', async () => {
    beChromium()
    const [opened, deleted] = [vi.spyOn(indexedDB, 'open'), vi.spyOn(indexedDB, 'deleteDatabase')]
    await startNewLog()
    expect(opened).toHaveBeenCalledOnce()
    expect(deleted.mock.calls.map(([name]) => name)).toEqual([opened.mock.calls[0]?.[0]])
    expect(await indexedDB.databases()).toEqual([])
  })

  it('is begun by each opening of the store, once the store is open', async () => {
    beChromium()
    const opened = vi.spyOn(indexedDB, 'open')
    const store = await openStore({ name: 'kept' })
    expect(opened.mock.calls.map(([name]) => name)).toEqual(['kept', 'yardstick-scratch'])
    expect((await indexedDB.databases()).map(({ name }) => name)).toEqual(['kept'])
    store.close()
  })

  it('is not asked for in browsers that keep no log of LevelDB', async () => {
    const opened = vi.spyOn(indexedDB, 'open')
    await startNewLog()
    expect(opened).not.toHaveBeenCalled()
  })

  it('is gone without where the database can’t be written', async () => {
    beChromium()
    vi.spyOn(indexedDB, 'open').mockImplementation(() => {
      throw new DOMException('full', 'UnknownError')
    })
    await expect(startNewLog()).resolves.toBeUndefined()
  })
})
