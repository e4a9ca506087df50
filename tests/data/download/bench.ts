/** The set-up that the download tests share: a mock Hub with a large and a small file, and clients over one store. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RepoFile, RepoSnapshot } from '../../../src/contracts/models.ts'
import { createDownloader } from '../../../src/data/download/downloader.ts'
import { memoryLocks } from '../../../src/data/download/file-locks.ts'
import { createFileStore, type FileStore } from '../../../src/data/download/file-store.ts'
import type { DownloadNotice } from '../../../src/data/download/retry.ts'
import { hubClient, type HubClient } from '../../../src/data/hub/hub.ts'
import { startMockHub, type MockHub } from '../../mock-hub/mock-hub.ts'
import { madeBytes, memoryBytes, testClock, type MemoryBytes, type TestClock } from './doubles.ts'

export const chunk = 10_000
/** Ten chunks and a bit, redirected. */
export const large = madeBytes(10 * chunk + 777, 1)
/** Sent by the Hub itself. */
export const small = madeBytes(4000, 2)

export interface Served {
  readonly hub: MockHub
  readonly folder: string
  close(): Promise<void>
}

export async function serveFiles(): Promise<Served> {
  const folder = mkdtempSync(join(tmpdir(), 'downloads-'))
  mkdirSync(join(folder, 'm', 'onnx'), { recursive: true })
  writeFileSync(join(folder, 'm', 'onnx', 'model.onnx'), large)
  writeFileSync(join(folder, 'm', 'tokenizer.bin'), small)
  const hub = await startMockHub({ models: { 'o/m': join(folder, 'm') }, largeFromBytes: 5000 })
  return {
    hub,
    folder,
    close: async () => {
      await hub.close()
      rmSync(folder, { recursive: true })
    },
  }
}

export interface Bench {
  readonly bytes: MemoryBytes
  readonly store: FileStore
  readonly clock: TestClock
  readonly notices: DownloadNotice[]
  readonly client: HubClient
  readonly snapshot: RepoSnapshot
  readonly largeFile: RepoFile
  readonly smallFile: RepoFile
  /** Another tab: connections of its own over the same store. */
  newClient(): HubClient
  fetchLarge(onBytes?: (loaded: number) => void, from?: HubClient): Promise<Uint8Array>
  fetchSmall(from?: HubClient): Promise<Uint8Array>
}

/** A client that has asked for the listing, and nothing else. */
export async function setUp(hub: MockHub, clock: TestClock = testClock()): Promise<Bench> {
  const bytes = memoryBytes()
  const store = createFileStore(bytes, chunk)
  const locks = memoryLocks()
  const notices: DownloadNotice[] = []
  const newClient = (): HubClient => {
    const downloader = createDownloader({ store, locks, clock, notify: (notice) => notices.push(notice) })
    return hubClient({ base: hub.address, fetch, downloader })
  }
  const client = newClient()
  const snapshot = await client.snapshot('model', 'o/m', 'main')
  const find = (path: string): RepoFile => {
    const file = snapshot.files.find((one) => one.path === path)
    if (file === undefined) throw new Error(`no ${path}`)
    return file
  }
  const largeFile = find('onnx/model.onnx')
  const smallFile = find('tokenizer.bin')
  hub.requests.length = 0
  return {
    bytes,
    store,
    clock,
    notices,
    client,
    snapshot,
    largeFile,
    smallFile,
    newClient,
    fetchLarge: (onBytes, from = client) =>
      from.fetchFile('model', 'o/m', snapshot.commit, largeFile, onBytes === undefined ? {} : { onBytes }),
    fetchSmall: (from = client) => from.fetchFile('model', 'o/m', snapshot.commit, smallFile),
  }
}
