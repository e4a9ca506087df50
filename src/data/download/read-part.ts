/** One request for a part of a file, read into place, with everything checked that an answer can lie about. */
import { EvalError } from '../../base/errors.ts'
import { AnswerError, refusal, withResponse, type Fetch, type ResourceLabel } from '../hub/http.ts'
import { realClock, type Clock } from './clock.ts'

/** A file at its address. */
export interface Source {
  readonly fetch: Fetch
  readonly address: string
  readonly headers: { readonly [name: string]: string }
  readonly wanted: ResourceLabel
  readonly path: string
  /** Length as the repository lists it. */
  readonly bytes: number
  readonly signal?: AbortSignal | undefined
  readonly clock?: Clock | undefined
  /** The host that each Hub was last seen to redirect to. */
  readonly redirects?: Map<string, string>
}

/** The server can't be asked for parts of this file: it must be read as one stream from its first byte. */
export class RangesUnusable extends AnswerError {
  /** `ignored`: 200 to a range. `unsatisfiable`: 416. `wrong`: parts came that weren't asked for, again and again. */
  readonly why: 'ignored' | 'unsatisfiable' | 'wrong'

  constructor(why: RangesUnusable['why']) {
    super(`ranges can't be used: ${why}`)
    this.why = why
  }
}

/** An answer that can't be the file's: another part, another length, a page. The bytes must not be used. */
export class WrongAnswer extends AnswerError {}

/**
 * Reads bytes `start` (in) to `end` (out) of the file, giving each piece to `take` in order. Throws `hub/unreachable` when the
 * connection breaks or is silent (pieces taken so far are good to go on from), `RangesUnusable`, `WrongAnswer`, and what `refusal` tells.
 */
export async function readPart(
  source: Source,
  start: number,
  end: number,
  take: (piece: Uint8Array) => void | Promise<void>,
): Promise<void> {
  const { wanted, address, bytes, path } = source
  const isWhole = start === 0 && end === bytes
  // `bytes=a-b` with both numbers needs no preflight; a suffix would.
  const range: { readonly Range?: string } = isWhole ? {} : { Range: `bytes=${start}-${end - 1}` }
  // `withResponse` goes past Chromium's cache, which starts parallel ranges of one address over (seen: up to a chunk sent twice).
  const get = { ...source, headers: { ...source.headers, ...range } }
  await withResponse(get, async (response, onSign) => {
    const { status, headers } = response
    if (response.redirected) source.redirects?.set(new URL(address).host, new URL(response.url).host)
    if (status === 416) {
      if (!isWhole) throw new RangesUnusable('unsatisfiable')
      throw new EvalError('hub/corrupt', `${new URL(address).host} refuses ${wanted.what} as a whole and in parts (416).`)
    }
    if (!response.ok) throw refusal(response, address, wanted, (source.clock ?? realClock).now())
    if (isPage(headers, path)) throw new WrongAnswer(pageInPlaceOf(wanted.what))
    if (status !== 206 && !isWhole) throw new RangesUnusable('ignored')
    if (status === 206) checkRange(headers, { start, end, bytes, what: wanted.what })
    await readPieces(response, end - start, wanted.what, async (piece) => {
      onSign(piece.length)
      await take(piece)
    })
  })
}

/** Where other origins may not see `Content-Range`, the length and the hash have the last word. */
function checkRange(
  headers: Headers,
  part: { readonly start: number; readonly end: number; readonly bytes: number; readonly what: string },
): void {
  const found = headers.get('Content-Range')
  const expected = `bytes ${part.start}-${part.end - 1}/`
  if (found !== null && found !== `${expected}${part.bytes}` && found !== `${expected}*`)
    throw new WrongAnswer(`${part.what}: '${expected}${part.bytes}' was asked for, '${found}' came.`)
}

async function readPieces(
  response: Response,
  wanted: number,
  what: string,
  take: (piece: Uint8Array) => void | Promise<void>,
): Promise<void> {
  // A compressed answer's length is another; pages of other origins can't see which it is.
  const announced = response.status === 206 ? response.headers.get('Content-Length') : null
  if (announced !== null && response.headers.get('Content-Encoding') === null && Number(announced) !== wanted)
    throw new WrongAnswer(`${what}: ${wanted} bytes were asked for, ${announced} are announced.`)
  let loaded = 0
  let isMarkup = false
  const reader = response.body?.getReader()
  while (reader !== undefined) {
    const { done, value } = await reader.read()
    if (done) break
    if (loaded === 0) isMarkup = beginsAsPage(value)
    loaded += value.length
    if (loaded > wanted) throw new WrongAnswer(isMarkup ? pageInPlaceOf(what) : `${what}: ${wanted} bytes were promised, more came.`)
    if (value.length > 0) await take(value)
  }
  if (loaded < wanted && isMarkup) throw new WrongAnswer(pageInPlaceOf(what))
  if (loaded < wanted)
    throw new EvalError('hub/unreachable', `${what}: ${wanted} bytes were promised, ${loaded} came.`, {
      details: { host: new URL(response.url === '' ? 'about:blank' : response.url).host, hasEnded: true },
    })
}

function pageInPlaceOf(what: string): string {
  return `A web page came in place of ${what}.`
}

/** True for bytes that begin as a web page does. */
export function beginsAsPage(bytes: Uint8Array): boolean {
  return /^\s*<(!doctype|html)/i.test(new TextDecoder().decode(bytes.subarray(0, 200)))
}

/** A login page of the network, an error page of a proxy, an error of the Hub in JSON. */
function isPage(headers: Headers, path: string): boolean {
  const type = headers.get('Content-Type') ?? ''
  if (type.startsWith('text/html')) return !/\.html?$/i.test(path)
  // Data files of other names are served as bytes or text; JSON by name only.
  return type.startsWith('application/json') && !/json/i.test(path)
}
