/** The one address that a user types and confirms: fetched by a frame with a policy of its own, see `address.html`. */
import { EvalError } from '../../base/errors.ts'
import type { AddressAnswer, AddressRequest } from './address-messages.ts'

/** Larger files are better downloaded once and chosen from the disk. */
const addressLimitBytes = 4_000_000_000
/** The frame is a small file of our own origin. */
const frameLimitMs = 20_000

export interface FetchedFile {
  /** The last part of the address's path. */
  readonly name: string
  readonly file: Blob
}

/**
 * The address that `text` means: https, or http on this machine, without a name and password in it; the part after # is dropped. Throws
 * `address/failed` with what is wrong.
 */
export function readAddress(text: string): URL {
  const url = URL.parse(text.trim())
  if (url === null)
    throw new EvalError('address/failed', `Wanted an address such as https://example.org/data.jsonl, found “${text.trim()}”.`)
  const isHere = url.protocol === 'http:' && (url.hostname === 'localhost' || url.hostname === '127.0.0.1')
  if (url.protocol !== 'https:' && !isHere) throw new EvalError('address/failed', `Wanted an https address, found ${url.protocol}`)
  if (url.username !== '' || url.password !== '') {
    throw new EvalError('address/failed', 'The address contains a name or a password: nothing secret is ever sent.')
  }
  url.hash = ''
  return url
}

/** Fetches `url` without token, cookies or referrer. Throws `address/failed`, or `run/stopped` when `signal` fires. */
export async function fetchAddress(
  url: URL,
  { signal, onBytes }: { readonly signal: AbortSignal; readonly onBytes: (loaded: number, total: number | null) => void },
): Promise<FetchedFile> {
  const frame = document.createElement('iframe')
  frame.hidden = true
  frame.title = 'address'
  const { port1: port, port2: theirs } = new MessageChannel()
  try {
    await loaded(frame, signal)
    const request: AddressRequest = { address: url.href, limitBytes: addressLimitBytes }
    frame.contentWindow?.postMessage(request, location.origin, [theirs])
    return { name: nameOf(url), file: await receive(port, url, signal, onBytes) }
  } finally {
    // With the frame goes whatever it still does.
    port.close()
    frame.remove()
  }
}

function loaded(frame: HTMLIFrameElement, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new EvalError('address/failed', 'The page’s own address.html didn’t load.'))
    }, frameLimitMs)
    signal.addEventListener('abort', () => reject(stopped()), { once: true })
    frame.addEventListener(
      'load',
      () => {
        clearTimeout(timer)
        resolve()
      },
      { once: true },
    )
    frame.src = new URL('address.html', document.baseURI).href
    document.body.append(frame)
  })
}

function receive(port: MessagePort, url: URL, signal: AbortSignal, onBytes: (loaded: number, total: number | null) => void): Promise<Blob> {
  let total: number | null = null
  let length = 0
  // Parts become one Blob now and then: the browser may keep a Blob on disk, but not a list of arrays.
  let whole = new Blob([])
  let parts: Uint8Array<ArrayBuffer>[] = []
  let waiting = 0
  const gather = (): void => {
    whole = new Blob([whole, ...parts])
    parts = []
    waiting = 0
  }
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(stopped()), { once: true })
    port.onmessage = ({ data: answer }: MessageEvent<AddressAnswer>) => {
      switch (answer.type) {
        case 'begin':
          if (answer.contentType.startsWith('text/html') && !/\.html?$/i.test(url.pathname)) {
            reject(new EvalError('address/failed', `${url.host} sent a web page in place of a file.`))
            return
          }
          total = answer.bytes
          break
        case 'part':
          length += answer.bytes.length
          waiting += answer.bytes.length
          parts.push(answer.bytes)
          if (waiting > 16_000_000) gather()
          onBytes(length, total)
          break
        case 'end':
          gather()
          if (total !== null && length !== total)
            reject(new EvalError('address/failed', `${url.host} promised ${total} bytes and sent ${length}.`))
          else resolve(whole)
          return
        case 'failed':
          reject(failure(answer, url))
          return
      }
      port.postMessage('next')
    }
  })
}

function failure({ why, detail }: Extract<AddressAnswer, { type: 'failed' }>, url: URL): EvalError {
  const details = { host: url.host, why, detail }
  switch (why) {
    case 'status':
      return new EvalError('address/failed', `${url.host} answered ${detail} for ${url.pathname}.`, { details })
    case 'too-large':
      return new EvalError('address/failed', `The file at ${url.host} has more than ${addressLimitBytes} bytes.`, { details })
    case 'network': {
      const message = `${url.host} could not be read: there is no connection, it doesn’t let other sites read its files, or it redirects to another host, which isn’t followed.`
      return new EvalError('address/failed', message, { details })
    }
  }
}

function stopped(): EvalError {
  return new EvalError('run/stopped', 'Stopped before the file was whole.')
}

function nameOf(url: URL): string {
  const last = url.pathname.split('/').findLast((part) => part !== '') ?? url.host
  try {
    return decodeURIComponent(last).replaceAll('/', '_')
  } catch {
    return last
  }
}
