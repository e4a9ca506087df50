/** Tables made in the data worker: this side serves it bytes, takes the rows, and ends it when it stands still. */
import { EvalError } from '../../base/errors.ts'
import type { Cell, Table } from '../../contracts/rows.ts'
import type { DataFile } from '../../data/dataset/data-file.ts'
import { PieceFiller } from '../../data/stream/pieces.ts'
import type { SplitRequest } from '../../data/stream/stream-rows.ts'
import type { DataWorkerApi, FileAnswer, FileQuestion, RowCounts, RowsBatch, RowsRequest } from '../../rpc/data-api.ts'
import { startDeadline } from '../../rpc/deadline.ts'
import type { Called, WorkerHandle } from '../../rpc/handle.ts'
import { callback, moving } from '../../rpc/transfer.ts'

/** Longest that the worker may compute without asking for bytes or giving rows, in milliseconds. A row group of parquet is the longest step. */
const idleLimitMs = 60_000

/** Bytes per message. */
const pieceBytes = 256 * 1024

type FilesRequest = SplitRequest & { readonly files: readonly DataFile[] }
type Serve = (question: FileQuestion) => Promise<FileAnswer>

export interface DataWorker {
  /** Rows in batches, as they come; each waits until it is taken. Rejects with `worker/timeout` when the worker stood still. */
  readRows(request: FilesRequest, take: (batch: RowsBatch) => void): Promise<void>
  /** Counts rows without taking them. */
  scanRows(request: FilesRequest): Promise<RowCounts>
  /** All rows. */
  decode(request: FilesRequest): Promise<Table>
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
  /** One call that reads `files`, watched: ended when it stands still, and its files closed in the end. */
  const watched = async <T>(
    { format, options, files, declared = null, maxRows = null }: FilesRequest,
    call: (worker: Called<DataWorkerApi>, request: RowsRequest, serve: Serve, watch: IdleWatch) => Promise<T>,
  ): Promise<T> => {
    clearTimeout(resting)
    calls += 1
    const worker = living()
    const names = files.map(({ name }) => name)
    const watch = idleWatch(limitMs, () => {
      const message = `Reading ${names.join(', ')} was given up: nothing came of it for ${limitMs / 1000} s.`
      worker.terminate(new EvalError('worker/timeout', message, { details: { name: worker.name, milliseconds: limitMs } }))
    })
    const server = fileServer(files)
    try {
      const serve = callback((question: FileQuestion) => watch.pausedFor(() => server.answer(question)))
      return await call(worker.api, { format, options, files: names, declared, maxRows }, serve, watch)
    } finally {
      watch.end()
      calls -= 1
      if (calls === 0) resting = setTimeout(close, restLimitMs)
      await server.close()
    }
  }
  const readRows: DataWorker['readRows'] = (given, take) =>
    watched(given, (worker, request, serve, watch) => {
      const receive = async (batch: RowsBatch): Promise<void> => {
        take(checkBatch(batch))
      }
      return worker.readRows(
        request,
        serve,
        callback((batch) => watch.pausedFor(() => receive(batch))),
      )
    })
  return {
    readRows,
    scanRows: (given) => watched(given, (worker, request, serve) => worker.scanRows(request, serve)),
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

interface IdleWatch {
  pausedFor<T>(work: () => Promise<T>): Promise<T>
  end(): void
}

/** A deadline that stands still while the worker waits for us. */
function idleWatch(limitMs: number, onMissed: () => void): IdleWatch {
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
  const open = new Map<number, PieceFiller>()
  const closeFile = async (file: number): Promise<void> => {
    const filler = open.get(file)
    open.delete(file)
    await filler?.close()
  }
  const nextPiece = async (file: number, spare: ArrayBuffer | null): Promise<Uint8Array | null> => {
    const buffer = new Uint8Array(spare?.byteLength === pieceBytes ? spare : new ArrayBuffer(pieceBytes))
    const filled = (await open.get(file)?.fill(buffer)) ?? 0
    return filled === 0 ? null : moving(buffer.subarray(0, filled), [buffer.buffer])
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
          return movedCopy(await file.read(question.start, question.end))
        case 'close':
          await closeFile(at)
          return null
        case 'first':
          await closeFile(at)
          open.set(at, new PieceFiller(file.stream()))
          return nextPiece(at, null)
        case 'next':
          return nextPiece(at, question.spare)
      }
    },
    close: async () => {
      for (const at of [...open.keys()]) await closeFile(at)
    },
  }
}

/** A copy to be moved: the file may need the bytes again. */
function movedCopy(bytes: Uint8Array): Uint8Array {
  const copy = bytes.slice()
  return moving(copy, [copy.buffer])
}

/** Rows come from a worker that parses untrusted data: their shape is checked before anything relies on it. */
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
