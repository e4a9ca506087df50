/** A data file at an address of our own origin, or one that the user handed over. */
import { EvalError } from '../../base/errors.ts'
import { hashedFile, piecesOf, type DataFile } from '../dataset/data-file.ts'
import { idleLimitMs, type Fetch, type Watched } from './http.ts'

/**
 * Streams the file, and reads ranges where the server can. A server without ranges is read once, into a blob that the browser may keep
 * on disk. Throws `dataset/not-found` (404), `hub/unreachable` (network, other statuses, silence), `run/stopped` when `signal` fires.
 */
export function addressFile(name: string, address: string, fetch: Fetch, { signal, onBytes }: Watched = {}): DataFile {
  const isStopped = (): boolean => signal?.aborted === true
  const open = async (headers: { readonly [name: string]: string }): Promise<Response> => {
    if (isStopped()) throw stopped(name)
    let response: Response
    try {
      response = await fetch(address, {
        headers,
        credentials: 'omit',
        referrerPolicy: 'no-referrer',
        // Rows of the user's own: the browser's cache would keep them where nothing here can erase them.
        cache: 'no-store',
        ...(signal === undefined ? {} : { signal }),
      })
    } catch (cause) {
      throw isStopped() ? stopped(name) : unreachable(name, 'could not be reached', cause)
    }
    if (response.ok || response.status === 416) return response
    if (response.status === 404)
      throw new EvalError('dataset/not-found', `The data file '${name}' is not there any more.`, { details: { file: name } })
    throw unreachable(name, `came with status ${response.status}`)
  }
  let whole: Promise<Blob> | null = null
  let length: Promise<number> | null = null
  const measure = async (): Promise<number> => {
    const response = await open({ Range: 'bytes=0-0' })
    const total = /\/(\d+)$/.exec(response.headers.get('Content-Range') ?? '')?.[1]
    if (total !== undefined && response.status !== 200) {
      await response.body?.cancel()
      return Number(total)
    }
    whole = response.blob()
    return (await whole).size
  }
  const measureOnce = (): Promise<number> => (length ??= measure())
  return hashedFile({
    name,
    length: measureOnce,
    read: async (start, end) => {
      await measureOnce()
      if (whole !== null) return bytesOf(await whole, start, end)
      const response = await open({ Range: `bytes=${start}-${end - 1}` })
      if (response.status === 206) return new Uint8Array(await response.arrayBuffer())
      whole = response.blob()
      return bytesOf(await whole, start, end)
    },
    async *stream() {
      const { body } = await open({})
      if (body === null) return
      let loaded = 0
      for await (const piece of noticingSilence(piecesOf(body, name), name, signal)) {
        loaded += piece.length
        onBytes?.(loaded)
        yield piece
      }
    },
  })
}

async function bytesOf(blob: Blob, start: number, end: number): Promise<Uint8Array> {
  return new Uint8Array(await blob.slice(start, end).arrayBuffer())
}

/** The pieces; an error when one keeps us waiting for `idleLimitMs`. Time in which nobody asks doesn't count. */
async function* noticingSilence(
  pieces: AsyncGenerator<Uint8Array>,
  name: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  try {
    for (;;) {
      const step = await beforeSilence(pieces.next(), name)
      if (step.done === true) return
      yield step.value
    }
  } catch (cause) {
    if (signal?.aborted === true) throw stopped(name)
    throw cause instanceof EvalError ? cause : unreachable(name, 'broke off', cause)
  } finally {
    // Not awaited: it may wait for the very piece that doesn't come.
    pieces.return(undefined).catch(() => undefined)
  }
}

async function beforeSilence<T>(step: Promise<T>, name: string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(unreachable(name, `sent nothing for ${idleLimitMs / 1000} s`))
    }, idleLimitMs)
  })
  try {
    return await Promise.race([step, silence])
  } finally {
    clearTimeout(timer)
  }
}

function stopped(name: string): EvalError {
  return new EvalError('run/stopped', `Stopped while reading '${name}'.`)
}

function unreachable(name: string, what: string, cause?: unknown): EvalError {
  const message = `The data file '${name}' ${what}.`
  return new EvalError('hub/unreachable', message, { details: { file: name }, ...(cause === undefined ? {} : { cause }) })
}
