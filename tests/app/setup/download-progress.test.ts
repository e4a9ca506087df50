import { describe, expect, it } from 'vitest'
import { DownloadProgress } from '../../../src/app/setup/download-progress.ts'

describe('downloads as one thing', () => {
  it('adds bytes over all files, and tells the rate and the time left', () => {
    const progress = new DownloadProgress()
    progress.add({ file: 'a', loaded: 0, total: 1000 }, 0)
    progress.add({ file: 'b', loaded: 0, total: 3000 }, 0)
    expect(progress.totals()).toEqual({ files: 2, loaded: 0, total: 4000, bytesPerSecond: null, secondsLeft: null })
    progress.add({ file: 'a', loaded: 1, total: 1000 }, 0)
    progress.add({ file: 'b', loaded: 1, total: 3000 }, 0)
    progress.add({ file: 'a', loaded: 501, total: 1000 }, 500)
    progress.add({ file: 'b', loaded: 501, total: 3000 }, 1000)
    expect(progress.totals()).toEqual({ files: 2, loaded: 1002, total: 4000, bytesPerSecond: 1000, secondsLeft: 2.998 })
    progress.add({ file: 'a', loaded: 1000, total: 1000 }, 1500)
    progress.add({ file: 'b', loaded: 3000, total: 3000 }, 2000)
    expect(progress.totals()).toMatchObject({ loaded: 4000, total: 4000, secondsLeft: 0 })
  })

  it('takes what was kept from before as no speed of the network', () => {
    const progress = new DownloadProgress()
    progress.add({ file: 'a', loaded: 0, total: 1_000_000 }, 0)
    progress.add({ file: 'kept', loaded: 5_000_000, total: 5_000_000 }, 0)
    progress.add({ file: 'a', loaded: 900_000, total: 1_000_000 }, 0)
    progress.add({ file: 'a', loaded: 910_000, total: 1_000_000 }, 1000)
    expect(progress.totals()).toMatchObject({ bytesPerSecond: 10_000, secondsLeft: 9 })
  })

  it('promises nothing while a file’s length is unknown, and follows a download that begins again', () => {
    const progress = new DownloadProgress()
    progress.add({ file: 'a', loaded: 0, total: 1000 }, 0)
    progress.add({ file: 'b', loaded: 0, total: null }, 0)
    progress.add({ file: 'b', loaded: 800, total: null }, 1000)
    expect(progress.totals()).toMatchObject({ loaded: 800, total: null, secondsLeft: null })
    progress.add({ file: 'b', loaded: 10, total: 2000 }, 1100)
    expect(progress.totals()).toMatchObject({ loaded: 10, total: 3000 })
  })
})
