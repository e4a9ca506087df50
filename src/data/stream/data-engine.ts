/** What runs in the data worker: rows out of files whose bytes others serve. The types are those of `rpc/data-api.ts`. */
import { EvalError } from '../../base/errors.ts'
import { joinBatches, type RowBatch } from './row-batch.ts'
import { streamRows, type RowFile, type SplitRequest } from './stream-rows.ts'

interface RowsRequest extends Required<Pick<SplitRequest, 'format' | 'options' | 'declared' | 'maxRows'>> {
  readonly files: readonly string[]
}

type Question = { readonly file: number } & (
  | { readonly type: 'first' | 'close' | 'length' }
  | { readonly type: 'next'; readonly spare: ArrayBuffer | null }
  | { readonly type: 'range'; readonly start: number; readonly end: number }
)
type Serve = (question: Question) => Promise<Uint8Array | number | null>

/** Marks memory in a message to be moved rather than copied. */
type Moving = <T extends object>(value: T, buffers: readonly ArrayBuffer[]) => T

export class DataEngine {
  readonly #moving: Moving

  /** `moving` is for the border that the engine stands behind; without one nothing is moved. */
  constructor(moving: Moving = (value) => value) {
    this.#moving = moving
  }

  /** As `DataWorkerApi.readRows` says. */
  async readRows(request: RowsRequest, serve: Serve, take: (batch: Omit<RowBatch, 'bytes'>) => Promise<void>): Promise<void> {
    for await (const { columns, rows } of joinBatches(this.#stream(request, serve))) await take({ columns, rows })
  }

  /** As `DataWorkerApi.scanRows` says. */
  async scanRows(request: RowsRequest, serve: Serve): Promise<{ readonly rows: number; readonly characters: number }> {
    let count = 0
    let characters = 0
    for await (const { rows } of this.#stream(request, serve)) {
      count += rows.length
      for (const row of rows) for (const cell of row) if (typeof cell === 'string') characters += cell.length
    }
    return { rows: count, characters }
  }

  #stream({ files, ...request }: RowsRequest, serve: Serve): AsyncGenerator<RowBatch> {
    const served = files.map((name, file) => servedFile(name, file, { serve, moving: this.#moving }))
    return streamRows({ ...request, files: served })
  }
}

function servedFile(name: string, file: number, { serve, moving }: { readonly serve: Serve; readonly moving: Moving }): RowFile {
  return {
    name,
    length: async () => {
      const length = await serve({ file, type: 'length' })
      return typeof length === 'number' ? length : misanswered(name)
    },
    read: async (start, end) => {
      const bytes = await serve({ file, type: 'range', start, end })
      return bytes instanceof Uint8Array ? bytes : misanswered(name)
    },
    async *stream() {
      let next = serve({ file, type: 'first' })
      let spare: ArrayBuffer | null = null
      try {
        for (;;) {
          const piece = await next
          if (piece === null) return
          if (!(piece instanceof Uint8Array)) return misanswered(name)
          // The next one is on its way while this one is read; its failure is told when it is waited for.
          const question = { file, type: 'next', spare } as const
          next = serve(spare === null ? question : moving(question, [spare]))
          next.catch(() => undefined)
          yield piece
          const { buffer } = piece
          spare = buffer instanceof ArrayBuffer ? buffer : null
        }
      } finally {
        await next.catch(() => undefined)
        await serve({ file, type: 'close' })
      }
    },
  }
}

function misanswered(name: string): never {
  throw new EvalError('worker/message', `A question about ${name} got an answer of another kind.`)
}
