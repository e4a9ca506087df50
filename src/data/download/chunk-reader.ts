/** Fetches chunks of one file over the network, in parts where the server can, else as one stream. */
import { EvalError } from '../../base/errors.ts'
import { realClock } from './clock.ts'
import { RangesUnusable, readPart, WrongAnswer, type Source } from './read-part.ts'
import { explainSilence, isSilence, triesBeforeAsking } from './redirect-host.ts'
import { withRetries, type Waiter } from './retry.ts'
import type { Slots } from './slots.ts'

/** Answers that can't be the file's, in a row, after which another way is tried. */
const maxWrong = 3

interface ChunkPlan {
  readonly source: Source
  readonly waiter: Waiter
  readonly slots: Slots
  readonly chunkBytes: number
  /** The chunks to fetch, in order. */
  readonly wanted: readonly number[]
  /** Where a chunk's bytes go: its exact length. */
  readonly placeOf: (index: number) => Uint8Array
  /** A chunk is whole. */
  readonly onChunk: (index: number) => Promise<void>
  /** Bytes of the chunk that are in place. */
  readonly onBytes: (index: number, loaded: number) => void
}

/**
 * Fetches the wanted chunks, several at once. A chunk that is cut goes on from its last byte. When the server turns out not to give
 * parts, the file is read once more as one stream from its first byte, never appended to. Throws the Hub's errors; `hub/corrupt` when the
 * server gives no answer that can be the file.
 */
export async function fetchChunks(plan: ChunkPlan): Promise<void> {
  const missing = new Set(plan.wanted)
  const tracked: ChunkPlan = {
    ...plan,
    onChunk: async (index) => {
      missing.delete(index)
      await plan.onChunk(index)
    },
  }
  try {
    await fetchInParts(tracked)
  } catch (error) {
    if (!(error instanceof RangesUnusable)) throw error
    await fetchAsStream({ ...tracked, wanted: [...missing] }, error)
  }
}

async function fetchInParts(plan: ChunkPlan): Promise<void> {
  const { source, slots, wanted } = plan
  const group = new AbortController()
  const stop = (): void => group.abort(source.signal?.reason)
  source.signal?.addEventListener('abort', stop)
  if (source.signal?.aborted === true) stop()
  try {
    // The first error stops the others; all must have ended before anybody reads the file in another way.
    const ends = await Promise.allSettled(
      wanted.map((index) =>
        slots.within(async () => {
          try {
            if (!group.signal.aborted) await fetchChunk({ ...plan, source: { ...source, signal: group.signal } }, index)
          } catch (error) {
            // What is stopped fails with an error of its own; the first one is the cause.
            if (!group.signal.aborted) group.abort(error)
            throw error
          }
        }),
      ),
    )
    const isStopped = source.signal?.aborted === true
    if (!isStopped && group.signal.aborted) throw group.signal.reason
    const failed = ends.find((end) => end.status === 'rejected')
    if (failed !== undefined) throw failed.reason
    if (isStopped) throw new EvalError('run/stopped', `Stopped while fetching ${source.wanted.what}.`)
  } finally {
    source.signal?.removeEventListener('abort', stop)
  }
}

async function fetchChunk(plan: ChunkPlan, index: number): Promise<void> {
  const { source, chunkBytes } = plan
  const place = plan.placeOf(index)
  const start = index * chunkBytes
  const isWholeFile = start === 0 && place.length === source.bytes
  const host = new URL(source.address).host
  let loaded = 0
  let wrong = 0
  let silent = 0
  const attempt = async (): Promise<void> => {
    const before = loaded
    try {
      await readPart(source, start + loaded, start + place.length, (piece) => {
        place.set(piece, loaded)
        loaded += piece.length
        plan.onBytes(index, loaded)
      })
    } catch (error) {
      const isWrong = error instanceof WrongAnswer || (hasEndedEarly(error) && loaded === before)
      if (isWrong) {
        // What a wrong answer brought is not gone on from.
        loaded = before
        wrong += 1
        if (wrong >= maxWrong && !isWholeFile) throw new RangesUnusable('wrong')
        throw wrongAnswer(error, source, wrong)
      }
      silent = loaded === 0 && isSilence(error) ? silent + 1 : 0
      throw silent < triesBeforeAsking ? error : await explainSilence(source, error)
    }
  }
  await withRetries(attempt, {
    waiter: plan.waiter,
    clock: source.clock ?? realClock,
    host,
    signal: source.signal,
    gained: () => loaded,
  })
  await plan.onChunk(index)
}

function hasEndedEarly(error: unknown): error is EvalError {
  return error instanceof EvalError && error.details['hasEnded'] === true
}

/** To be tried again the first times, final then. */
function wrongAnswer(error: Error, { path, address, bytes }: Source, times: number): EvalError {
  const details = { host: new URL(address).host, file: path, expected: bytes }
  return times >= maxWrong
    ? new EvalError('hub/corrupt', `${error.message} Is something between this browser and the Hub?`, { details })
    : new EvalError('hub/unreachable', error.message, { details })
}

/** One request without a range; what it brings of chunks that are here already is skipped. */
async function fetchAsStream(plan: ChunkPlan, cause: RangesUnusable): Promise<void> {
  const { source, waiter, chunkBytes, placeOf } = plan
  const missing = new Set(plan.wanted)
  const host = new URL(source.address).host
  let furthest = 0
  let wrong = 0
  const attempt = async (): Promise<void> => {
    let at = 0
    const take = async (piece: Uint8Array): Promise<void> => {
      for (let from = 0; from < piece.length;) {
        const index = Math.floor(at / chunkBytes)
        const inChunk = at - index * chunkBytes
        const part = piece.subarray(from, from + chunkBytes - inChunk)
        at += part.length
        from += part.length
        if (!missing.has(index)) continue
        const place = placeOf(index)
        place.set(part, inChunk)
        plan.onBytes(index, inChunk + part.length)
        if (inChunk + part.length < place.length) continue
        missing.delete(index)
        await plan.onChunk(index)
      }
      furthest = Math.max(furthest, at)
    }
    try {
      await readPart(source, 0, source.bytes, take)
    } catch (error) {
      if (!(error instanceof WrongAnswer) && !hasEndedEarly(error)) throw error
      wrong += 1
      throw wrongAnswer(error, source, cause.why === 'unsatisfiable' ? maxWrong : wrong)
    }
  }
  await withRetries(attempt, { waiter, clock: source.clock ?? realClock, host, signal: source.signal, gained: () => furthest })
}
