/** gzip while it streams: every member of a file, each with its checksum, and no more than a file may unpack to. */
import { Z_BUF_ERROR, Z_NO_FLUSH, Z_OK, Z_STREAM_END, zlibInflate, zlibInflateInit2, zlibInflateReset, ZStream } from 'pako'
import { EvalError } from '../../base/errors.ts'
import { refusalOf, unpackLimits, type UnpackLimits } from './limits.ts'
import { peekPieces } from './pieces.ts'

/** The window of 32 KiB, in a gzip wrapper and no other. */
const gzipWindowBits = 15 + 16

const outputBytes = 64 * 1024

/** True when the bytes begin as a gzip member does. */
export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b && bytes[2] === 8
}

/** The pieces as they are, or unpacked when they begin as a gzip file does. Throws as `gunzipPieces`. */
export async function* unpackPieces(
  pieces: AsyncIterable<Uint8Array>,
  file: string,
  limits: UnpackLimits = unpackLimits,
): AsyncGenerator<Uint8Array> {
  const { head, whole } = await peekPieces(pieces, 3)
  yield* isGzip(head) ? gunzipPieces(whole, file, limits) : limitPieces(whole, file, limits)
}

async function* limitPieces(pieces: AsyncIterable<Uint8Array>, file: string, { maxBytes }: UnpackLimits): AsyncGenerator<Uint8Array> {
  let total = 0
  for await (const piece of pieces) {
    total += piece.length
    if (total > maxBytes) throw refused(file, refusalOf(total, total, { maxBytes, ratios: [] }) ?? '', total)
    yield piece
  }
}

/**
 * The content of all members, as Python's gzip reads them: zeros may follow a member, anything else but a member may not.
 * Throws `dataset/malformed` with the offset (in packed bytes) for damage and for a file that is cut off, and as soon as `limits` are
 * passed: what came before such an error must not be used. All pieces are in one buffer.
 */
export async function* gunzipPieces(
  pieces: AsyncIterable<Uint8Array>,
  file: string,
  limits: UnpackLimits = unpackLimits,
): AsyncGenerator<Uint8Array> {
  const stream = new ZStream()
  zlibInflateInit2(stream, gzipWindowBits)
  const output = new Uint8Array(outputBytes)
  let packed = 0
  let unpacked = 0
  let isInMember = false
  for await (const piece of pieces) {
    let at = 0
    while (at < piece.length) {
      if (!isInMember) {
        while (piece[at] === 0) at += 1
        if (at === piece.length) break
        zlibInflateReset(stream)
        isInMember = true
      }
      stream.input = piece
      stream.next_in = at
      stream.avail_in = piece.length - at
      for (;;) {
        stream.output = output
        stream.next_out = 0
        stream.avail_out = outputBytes
        const status = zlibInflate(stream, Z_NO_FLUSH)
        const offset = packed + stream.next_in
        if (status !== Z_OK && status !== Z_STREAM_END && status !== Z_BUF_ERROR) throw damaged(file, stream.msg, offset)
        unpacked += stream.next_out
        const refusal = refusalOf(unpacked, offset, limits)
        if (refusal !== null) throw refused(file, refusal, offset)
        if (stream.next_out > 0) yield output.subarray(0, stream.next_out)
        if (status === Z_STREAM_END) {
          isInMember = false
          break
        }
        // Room left in the output: it wants more input.
        if (stream.avail_out > 0) break
      }
      at = stream.next_in
    }
    packed += piece.length
  }
  if (isInMember) {
    const message = `${file} is cut off: its gzip data ends after ${packed} bytes, in the middle of a member.`
    throw new EvalError('dataset/malformed', message, { details: { file, offset: packed } })
  }
}

function damaged(file: string, why: string, offset: number): EvalError {
  const message = `${file}, byte ${offset}: the gzip data can not be read: ${why === '' ? 'it is damaged' : why}.`
  return new EvalError('dataset/malformed', message, { details: { file, offset } })
}

function refused(file: string, why: string, offset: number): EvalError {
  return new EvalError('dataset/malformed', `${file} is refused: ${why}.`, { details: { file, offset } })
}
