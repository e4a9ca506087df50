/** A model's files as the engine reads them: part by part, when a part is needed. */
import { EvalError } from '../../base/errors.ts'
import { freeBuffer } from '../../base/free-buffer.ts'
import type { FileBytes } from '../../weights/file-bytes.ts'

/** A file as it is handed over: a Blob whose parts lie in the browser's storage, or bytes in memory. */
export type ModelFile = Blob | Uint8Array

export function fileBytes(file: ModelFile): FileBytes {
  return file instanceof Uint8Array
    ? { length: file.length, read: (start, end) => file.subarray(start, end), rest: () => undefined }
    : { length: file.size, ...blobReader(file) }
}

/** Only dedicated workers have it, and the DOM's types leave it out. */
type SyncReader = new () => { readAsArrayBuffer(blob: Blob): ArrayBuffer }

/** What is read of a Blob at once: larger pieces would be in memory twice. */
const pieceBytes = 16 * 2 ** 20

/** ONNX Runtime asks for weights in the middle of a synchronous call, so they must be there at once. */
function blobReader(blob: Blob): Pick<FileBytes, 'read' | 'rest'> {
  // One buffer for all reads: a fresh one for each weight would pile up faster than it is collected.
  let buffer = new Uint8Array(0)
  const rest = (): void => {
    freeBuffer(buffer.buffer)
    buffer = new Uint8Array(0)
  }
  const read = (start: number, end: number): Uint8Array => {
    const Reader = (globalThis as { FileReaderSync?: SyncReader }).FileReaderSync
    if (Reader === undefined) throw new EvalError('internal', 'A Blob can be read at once in a worker only.')
    const reader = new Reader()
    if (buffer.length < end - start) {
      rest()
      buffer = new Uint8Array(end - start)
    }
    try {
      for (let at = start; at < end; at += pieceBytes) {
        const piece = reader.readAsArrayBuffer(blob.slice(at, Math.min(end, at + pieceBytes)))
        buffer.set(new Uint8Array(piece), at - start)
        freeBuffer(piece)
      }
    } catch (cause) {
      const message = `Bytes ${start} to ${end} of a model's file can't be read any more: ${String(cause)}. Was the browser's storage erased meanwhile?`
      throw new EvalError('storage/unavailable', message, { cause })
    }
    return buffer.subarray(0, end - start)
  }
  return { read, rest }
}
