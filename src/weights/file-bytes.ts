/** Bytes that are there at once, for what asks in the middle of a synchronous call; `source.ts` has those that are waited for. */

/** A file that is read part by part, so that weights of gigabytes are in memory once, where ONNX Runtime puts them. */
export interface FileBytes {
  /** In bytes. */
  readonly length: number
  /** Bytes `start` (in) to `end` (out); only good until the next read or `rest`. Throws `storage/unavailable` when they can't be read any more. */
  read(start: number, end: number): Uint8Array
  /** Writes the bytes from `start` on to where they shall be, as many as there is room for: a file that is made as it is read needs no copy so. */
  fill?(out: Uint8Array, start: number): void
  /** Frees the memory of the last read now: an embedding of a gigabyte may have gone through it. */
  rest(): void
}
