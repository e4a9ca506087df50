/** Tables made in the data worker: this side serves it bytes, takes the rows, and ends it when it stands still. */
import { EvalError } from '../core/errors.ts'
import type { Cell, Table } from '../core/types.ts'
import type { DataFile } from '../data/data-file.ts'
import type { SplitRequest } from '../data/stream/stream-rows.ts'
import { evenPieces } from '../data/stream/pieces.ts'
import type { DataWorkerApi, FileAnswer, FileQuestion, RowsBatch } from '../rpc/data-api.ts'
import { startDeadline } from '../rpc/deadline.ts'
import type { WorkerHandle } from '../rpc/handle.ts'
import { callback, moving } from '../rpc/transfer.ts'

/** Longest that the worker may compute without asking for bytes or giving rows, in milliseconds. A row group of parquet is the longest step. */
export const idleLimitMs = 60_000

/** Bytes per message. */
const pieceBytes = 512 * 1024

export interface DataWorker {
  /** Rows in batches, as they come; each waits until it is taken. Rejects with `worker/timeout` when the worker stood still. */
  readRows(request: SplitRequest & { readonly files: readonly DataFile[] }, take: (batch: RowsBatch) => void): Promise<void>
  /** All rows. */
  decode(request: SplitRequest & { readonly files: readonly DataFile[] }): Promise<Table>
  close(reason?: EvalError): void
}

/** A worker without work is ended after this many milliseconds: its memory is the model's then. */
const restLimitMs = 1_000

/** One data worker, started when first needed, and again after it has rested or died. */
export function dataWorker(start: () => WorkerHandle<DataWorkerApi>, limitMs = idleLimitMs): DataWorker {
  let handle: WorkerHandle<DataWorkerApi> | null = null
  let calls = 0
  let resting: ReturnType<typeof setTimeout> | undefined
  const close = (reason?: EvalError): void => {
    clearTimeout(resting)
    handle?.terminate(reason)
    handle = null
  }
  const living = (): WorkerHandle<DataWorkerApi> => {
    if (handle?.isAlive() !== true) handle = start()
    return handle
  }
  const readRows: DataWorker['readRows'] = async ({ format, options, files, declared = null, maxRows = null }, take) => {
    clearTimeout(resting)
    calls += 1
    const worker = living()
    const watch = idleWatch(limitMs, () => {
      const names = files.map(({ name }) => name).join(', ')
      const message = `Reading ${names} was given up: nothing came of it for ${limitMs / 1000} s.`
      worker.terminate(new EvalError('worker/timeout', message, { details: { name: worker.name, milliseconds: limitMs } }))
    })
    const server = fileServer(files)
    try {
      await worker.api.readRows(
        { format, options, files: files.map(({ name }) => name), declared, maxRows },
        callback((question) => watch.pausedFor(() => server.answer(question))),
        callback((batch) =>
          watch.pausedFor(() => {
            take(checkBatch(batch))
            return Promise.resolve()
          }),
        ),
      )
    } finally {
      watch.end()
      calls -= 1
      if (calls === 0) resting = setTimeout(close, restLimitMs)
      await server.close()
    }
  }
  return {
    readRows,
    decode: async (request) => {
      let columns: Table['columns'] = []
      const rows: (readonly Cell[])[] = []
      await readRows(request, (batch) => {
        columns = batch.columns
        for (const row of batch.rows) rows.push(row)
      })
      return { columns, rows }
    },
    close,
  }
}

/** A deadline that stands still while the worker waits for us. */
function idleWatch(limitMs: number, onMissed: () => void): { pausedFor<T>(work: () => Promise<T>): Promise<T>; end(): void } {
  let waits = 0
  let hasEnded = false
  let endDeadline = startDeadline(limitMs, onMissed)
  return {
    async pausedFor(work) {
      endDeadline()
      waits += 1
      try {
        return await work()
      } finally {
        waits -= 1
        if (waits === 0 && !hasEnded) endDeadline = startDeadline(limitMs, onMissed)
      }
    },
    end() {
      hasEnded = true
      endDeadline()
    },
  }
}

/** Answers the worker's questions about `files`. */
function fileServer(files: readonly DataFile[]): { answer(question: FileQuestion): Promise<FileAnswer>; close(): Promise<void> } {
  const open = new Map<number, AsyncGenerator<Uint8Array>>()
  const closeFile = async (file: number): Promise<void> => {
    const pieces = open.get(file)
    open.delete(file)
    await pieces?.return(undefined)
  }
  const nextPiece = async (file: number): Promise<Uint8Array | null> => {
    const step = await open.get(file)?.next()
    return step === undefined || step.done === true ? null : moved(step.value)
  }
  return {
    answer: async (question) => {
      const { file: at } = question
      const file = files[at]
      if (file === undefined) throw new EvalError('worker/message', `The data worker asked for file ${at} of ${files.length}.`)
      switch (question.type) {
        case 'length':
          return file.length()
        case 'range':
          return moved((await file.read(question.start, question.end)).slice())
        case 'close':
          await closeFile(at)
          return null
        case 'first':
          await closeFile(at)
          open.set(at, evenPieces(file.stream(), pieceBytes))
          return nextPiece(at)
        case 'next':
          return nextPiece(at)
      }
    },
    close: async () => {
      for (const at of [...open.keys()]) await closeFile(at)
    },
  }
}

/** The bytes to be moved: nobody here needs them again. */
function moved(bytes: Uint8Array): Uint8Array {
  return moving(bytes, [bytes.buffer as ArrayBuffer]) // Made here or by evenPieces, so never shared memory.
}

/** Rows come from a worker that parses what strangers wrote: their shape is checked before anything relies on it. */
function checkBatch(batch: RowsBatch): RowsBatch {
  const { columns, rows }: { readonly columns: unknown; readonly rows: unknown } = batch
  const isWhole =
    Array.isArray(columns) &&
    columns.every(
      (column: unknown) => typeof column === 'object' && column !== null && 'name' in column && typeof column.name === 'string',
    ) &&
    Array.isArray(rows) &&
    rows.every((row: unknown) => Array.isArray(row) && row.length === columns.length)
  if (!isWhole) throw new EvalError('worker/message', 'The data worker gave rows that do not fit their columns.')
  return batch
}
