/** Entry of the worker that opens untrusted files. Started locked down; see rpc/bootstrap.ts. */
import { indexDocs } from '../../analysis/viewer/doc-index.ts'
import { exposeWorker } from '../../rpc/expose.ts'
import { openFiles } from './open-files.ts'
import type { OpenWorkerApi } from './open-worker.ts'

/** Often enough for the deadline, and few messages. */
const tellEveryMs = 500

const api: OpenWorkerApi = {
  open: async (files, first, onRead) => {
    let told = performance.now()
    const tell = (): void => {
      if (performance.now() - told < tellEveryMs) return
      told = performance.now()
      onRead()
    }
    let next = first
    const runs = await openFiles(
      files.map((file) => ({ ...file, onPiece: tell })),
      () => `opened-${next++}`,
    )
    return runs.map((run) => ({
      ...run,
      indexed: [...run.samples].map(([task, samples]) => {
        tell()
        return indexDocs(task, samples)
      }),
    }))
  },
}

exposeWorker(api)
