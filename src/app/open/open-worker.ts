/** Opening files in a worker of their own: what untrusted files make it compute never holds up the page, and ends with the worker. */
import { EvalError } from '../../base/errors.ts'
import { startDeadline } from '../../rpc/deadline.ts'
import type { WorkerHandle } from '../../rpc/handle.ts'
import { callback } from '../../rpc/transfer.ts'
import type { OpenedRun } from './opened-run.ts'
import type { NamedFile } from './read-lines.ts'

export interface OpenWorkerApi {
  /** As `openFiles`, with the index of every run's docs; ids are `opened-` and numbers from `first`. `onRead` is called while bytes are read. */
  open(files: readonly NamedFile[], first: number, onRead: () => void): Promise<readonly OpenedRun[]>
}

/** Longest that the worker may compute without reading on, in milliseconds: a file that is parsed in one go has 128 MB at most. */
const idleLimitMs = 60_000

/** Opens the files in a worker that is ended afterwards. Throws as `openFiles`, and `worker/timeout` naming the files when nothing came of them. */
export async function openInWorker(
  files: readonly NamedFile[],
  first: number,
  start: () => WorkerHandle<OpenWorkerApi>,
  limitMs = idleLimitMs,
): Promise<readonly OpenedRun[]> {
  const handle = start()
  const giveUp = (): void => {
    const names = files.map(({ name }) => name).join(', ')
    const message = `Opening ${names} was given up: nothing came of it for ${limitMs / 1000} s.`
    handle.terminate(new EvalError('worker/timeout', message, { details: { name: handle.name, milliseconds: limitMs } }))
  }
  let endDeadline = startDeadline(limitMs, giveUp)
  const onRead = (): void => {
    endDeadline()
    if (handle.isAlive()) endDeadline = startDeadline(limitMs, giveUp)
  }
  try {
    return await handle.api.open(
      files.map(({ name, file }) => ({ name, file })),
      first,
      callback(onRead),
    )
  } finally {
    handle.terminate()
    endDeadline()
  }
}
