/** Downloaded files that this browser keeps, for the page. */
import { EvalError } from '../../base/errors.ts'
import type { StorageApi } from '../../rpc/run-worker-api.ts'
import { exportFiles } from '../inputs/export-files.ts'
import { deleteFiles, reportStorage, verifyFiles } from '../inputs/kept-files.ts'
import type { RunInputs } from '../inputs/run-inputs.ts'
import type { KeptStore } from './kept-store.ts'

export function serveStorage(inputs: RunInputs, kept: KeptStore): StorageApi {
  return {
    storageReport: async () => reportStorage(await kept.open(), await inputs.openFiles()),
    deleteFiles: async (keys) => deleteFiles(keys, await inputs.openFiles(), inputs.locks),
    exportFiles: async (files, folder, onBytes) => {
      const store = await inputs.openFiles()
      if (store === null) throw new EvalError('storage/unavailable', 'This browser keeps no files, so there is nothing to write.')
      await exportFiles(files, folder, store, onBytes)
    },
    verifyFiles: async (keys) => verifyFiles(keys, await inputs.openFiles()),
  }
}
