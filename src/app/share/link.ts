/**
 * A result inside a link: JSON, raw deflate (RFC 1951), base64url (RFC 4648 §5), after `#/r/`. The server never sees it. A link is
 * foreign text: whatever it holds, reading it gives a checked result or a `ShareError`.
 */
import * as v from 'valibot'
import { toBase64 } from '../base64.ts'
import { sharedResultSchema, type SharedResult } from './payload.ts'

/** Longest payload in characters of base64url. */
export const maxPayloadChars = 64 * 1024
/** How much a payload may unpack to, in bytes; more is refused while it unpacks. */
const maxUnpackedBytes = 4 * 1024 * 1024

export type ShareFault =
  | 'empty'
  | 'too-long'
  | 'not-base64url'
  | 'not-deflate'
  | 'too-large'
  | 'not-utf8'
  | 'not-json'
  | 'newer-version'
  | 'not-a-result'

/** A link that can't be read. `fault` says which step refused it, `detail` where. */
export class ShareError extends Error {
  readonly fault: ShareFault
  readonly detail: string
  constructor(fault: ShareFault, detail: string) {
    super(`${fault}: ${detail}`)
    this.name = 'ShareError'
    this.fault = fault
    this.detail = detail
  }
}

/** The payload of a result, of any length: see `fitPayload` for one that a link may have. */
export async function packResult(result: SharedResult): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(result))
  const packed = new Blob([bytes]).stream().pipeThrough(new CompressionStream('deflate-raw'))
  return toBase64Url(new Uint8Array(await new Response(packed).arrayBuffer()))
}

/** Reads a payload. Throws `ShareError` for anything but a result of this version. */
export async function unpackResult(payload: string): Promise<SharedResult> {
  if (payload === '') throw new ShareError('empty', 'nothing follows #/r/')
  if (payload.length > maxPayloadChars) throw new ShareError('too-long', `${payload.length} characters; ${maxPayloadChars} are allowed`)
  const bytes = await inflate(fromBase64Url(payload))
  let json: unknown
  try {
    json = JSON.parse(decodeText(bytes))
  } catch (error) {
    if (error instanceof ShareError) throw error
    throw new ShareError('not-json', error instanceof Error ? error.message : String(error))
  }
  const version = typeof json === 'object' && json !== null && 'v' in json ? json.v : null
  if (typeof version === 'number' && version > 1) throw new ShareError('newer-version', `version ${version}; this page reads version 1`)
  const parsed = v.safeParse(sharedResultSchema, json)
  if (parsed.success) return parsed.output
  const [issue] = parsed.issues
  throw new ShareError('not-a-result', `${v.getDotPath(issue) ?? 'the whole'}: ${issue.message}`)
}

/** Unpacks piece by piece and stops at `maxUnpackedBytes`: a bomb never unfolds. */
async function inflate(packed: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const reader = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader()
  const pieces: Uint8Array[] = []
  let total = 0
  for (;;) {
    const next = await reader.read().catch((error: unknown) => {
      throw new ShareError('not-deflate', error instanceof Error ? error.message : String(error))
    })
    if (next.done) break
    total += next.value.length
    if (total > maxUnpackedBytes) {
      reader.cancel().catch(() => undefined)
      throw new ShareError('too-large', `more than ${maxUnpackedBytes} bytes when unpacked`)
    }
    pieces.push(next.value)
  }
  const whole = new Uint8Array(total)
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new ShareError('not-utf8', 'the unpacked bytes are no UTF-8')
  }
}

function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  if (!/^[A-Za-z0-9_-]*$/.test(text)) throw new ShareError('not-base64url', 'a character outside A-Z a-z 0-9 - _')
  let binary: string
  try {
    binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  } catch {
    throw new ShareError('not-deflate', `${text.length} characters are no whole number of bytes`)
  }
  return Uint8Array.from(binary, (char) => char.charCodeAt(0))
}
