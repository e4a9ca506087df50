/** gzip files, also those of several members (`cat a.gz b.gz`), which a browser's DecompressionStream reads no further than the first of. */
import { EvalError } from '../../core/errors.ts'

/** True when the bytes begin as a gzip member does. */
export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b && bytes[2] === 8
}

/** Files that unpack to more than this are refused: a few megabytes can hold terabytes of zeros. */
export const maxUnpackedBytes = 2 ** 31

/**
 * The unpacked content of all members. Throws `dataset/malformed` when a member is damaged or cut, or when the whole unpacks to more than
 * `maxBytes`; nothing of it is given then.
 */
export async function gunzip(bytes: Uint8Array, file: string, maxBytes = maxUnpackedBytes): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let room = maxBytes
  for (let rest = bytes; rest.length > 0;) {
    const whole = await inflate(rest, room)
    const { chunks, packedBytes } =
      whole.error === null ? { ...whole, packedBytes: rest.length } : await inflateFirstMember(rest, whole, room, file)
    for (const chunk of chunks) {
      parts.push(chunk)
      room -= chunk.length
    }
    rest = rest.subarray(packedBytes)
  }
  return join(parts)
}

interface Inflated {
  readonly chunks: readonly Uint8Array[]
  /** What ended the stream early; null at a proper end. */
  readonly error: unknown
}

async function inflate(bytes: Uint8Array, maxBytes: number): Promise<Inflated> {
  const chunks: Uint8Array[] = []
  let total = 0
  const reader = new Blob([bytes.slice()]).stream().pipeThrough(new DecompressionStream('gzip')).getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return { chunks, error: null }
      chunks.push(value)
      total += value.length
      if (total > maxBytes) {
        await reader.cancel()
        return { chunks: [], error: new EvalError('dataset/malformed', `it unpacks to more than ${maxBytes} bytes`) }
      }
    }
  } catch (error) {
    return { chunks, error }
  }
}

/**
 * The first member of `bytes`, after unpacking all of them has failed: where the next one begins is seen from its magic number behind the
 * length (4 bytes, little-endian) of what came out so far. Unpacking just that far lets the browser check the member's checksum.
 */
async function inflateFirstMember(
  bytes: Uint8Array,
  { chunks, error }: Inflated,
  maxBytes: number,
  file: string,
): Promise<{ readonly chunks: readonly Uint8Array[]; readonly packedBytes: number }> {
  const total = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = 18; at <= bytes.length && chunks.length > 0; at++) {
    const isEnd = view.getUint32(at - 4, true) === total % 2 ** 32
    if (!isEnd || !(isGzip(bytes.subarray(at)) || bytes.subarray(at).every((byte) => byte === 0))) continue
    const member = await inflate(bytes.subarray(0, at), maxBytes)
    // Zeros may pad the end of a file.
    if (member.error === null) return { chunks: member.chunks, packedBytes: isGzip(bytes.subarray(at)) ? at : bytes.length }
  }
  const reason = error instanceof Error ? error.message : String(error)
  throw new EvalError('dataset/malformed', `${file}: the gzip data can not be read: ${reason}.`, { cause: error, details: { file } })
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    joined.set(part, at)
    at += part.length
  }
  return joined
}
