/** What runs in the data worker: rows out of files whose bytes others serve. The types are those of `rpc/data-api.ts`. */
import { EvalError } from '../../core/errors.ts'
import type { RowBatch } from './row-batch.ts'
import { streamRows, type RowFile, type SplitRequest } from './stream-rows.ts'

interface RowsRequest extends Required<Pick<SplitRequest, 'format' | 'options' | 'declared' | 'maxRows'>> {
  readonly files: readonly string[]
}

type Question = { readonly file: number } & (
  { readonly type: 'first' | 'next' | 'close' | 'length' } | { readonly type: 'range'; readonly start: number; readonly end: number }
)
type Serve = (question: Question) => Promise<Uint8Array | number | null>

export class DataEngine {
  /** As `DataWorkerApi.readRows` says. */
  async readRows({ files, ...request }: RowsRequest, serve: Serve, take: (batch: RowBatch) => Promise<void>): Promise<void> {
    const served = files.map((name, file) => servedFile(name, file, serve))
    for await (const batch of streamRows({ ...request, files: served })) await take(batch)
  }
}

function servedFile(name: string, file: number, serve: Serve): RowFile {
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
      try {
        for (;;) {
          const piece = await next
          if (piece === null) return
          // The next one is on its way while this one is read; its failure is told when it is waited for.
          next = serve({ file, type: 'next' })
          next.catch(() => undefined)
          yield piece instanceof Uint8Array ? piece : misanswered(name)
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
