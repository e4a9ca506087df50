/** Where the bytes of weights come from: a file of the Hub, of a folder, or of a test. */
import { EvalError } from '../base/errors.ts'

/** A file that is read by ranges. Whoever asks bounds the range: a reader allocates what it was asked for. */
export interface ByteSource {
  /** Names the file in errors. */
  readonly name: string
  /** Size of the file in bytes. */
  readonly bytes: number
  /** Bytes from `start` up to `end` (exclusive). */
  read(start: number, end: number): Promise<Uint8Array>
}

/**
 * Bytes from `start` up to `end` (exclusive), no fewer: `what` names them in errors. Throws `model/corrupt` when the range reaches beyond the
 * file (nothing is read then), or when the file gives another number of bytes.
 */
export async function readExactly(source: ByteSource, start: number, end: number, what: string): Promise<Uint8Array> {
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start < 0 || end < start || end > source.bytes)
    throw new EvalError(
      'model/corrupt',
      `wanted bytes ${start} to ${end} of ${source.name} (${what}), found a file of ${source.bytes} bytes`,
    )
  const bytes = await source.read(start, end)
  if (bytes.length !== end - start)
    throw new EvalError(
      'model/corrupt',
      `wanted ${end - start} bytes from byte ${start} of ${source.name} (${what}), found ${bytes.length}`,
    )
  return bytes
}
