/** Reads a file from its start on, by ranges that grow: a header may be a kilobyte or, with its vocabulary, many megabytes, and only its end tells. */
import { EvalError } from '../../base/errors.ts'
import { readExactly, type ByteSource } from '../source.ts'

/** Ranges double from the one to the other. */
const firstRange = 64 * 1024
const largestRange = 4 * 1024 * 1024

export class Cursor {
  readonly source: ByteSource
  /** No byte behind this one is read; the header's own bound, or the file's end. */
  private readonly limit: number
  private bytes: Uint8Array = new Uint8Array(0)
  private view = new DataView(new ArrayBuffer(0))
  /** Place of `bytes` in the file. */
  private start = 0
  /** Place in `bytes`. */
  private at = 0
  private range = firstRange

  constructor(source: ByteSource, limit: number) {
    this.source = source
    this.limit = Math.min(source.bytes, limit)
  }

  /** Place in the file. */
  get position(): number {
    return this.start + this.at
  }

  /** Bytes that may still come. */
  get left(): number {
    return this.limit - this.position
  }

  /** Whether the next `count` bytes are here, so that they can be taken without waiting. */
  has(count: number): boolean {
    return this.at + count <= this.bytes.length
  }

  /** Fetches until the next `count` bytes are here. Throws `model/corrupt` when they lie beyond the file or the header's bound. `what` names them. */
  async fill(count: number, what: string): Promise<void> {
    if (this.has(count)) return
    this.require(count, what)
    const from = this.start + this.bytes.length
    const end = Math.min(this.limit, Math.max(this.position + count, from + this.range))
    const read = await readExactly(this.source, from, end, what)
    const rest = this.bytes.subarray(this.at)
    const joined = new Uint8Array(rest.length + read.length)
    joined.set(rest)
    joined.set(read, rest.length)
    this.start += this.at
    this.at = 0
    this.bytes = joined
    this.view = new DataView(joined.buffer)
    this.range = Math.min(2 * this.range, largestRange)
  }

  /** Throws `model/corrupt` unless `count` bytes can come: asked before memory is taken for them. */
  require(count: number, what: string): void {
    if (count <= this.left) return
    throw new EvalError(
      'model/corrupt',
      this.limit < this.source.bytes
        ? `wanted a GGUF header of at most ${this.limit} bytes, found ${what} of ${count} bytes at byte ${this.position} of ${this.source.name}`
        : `wanted ${count} bytes of ${what} at byte ${this.position} of ${this.source.name}, found the file's end after ${this.left}`,
    )
  }

  // The following take bytes that `fill` has fetched.

  uint8(): number {
    return this.view.getUint8(this.advance(1))
  }

  uint16(): number {
    return this.view.getUint16(this.advance(2), true)
  }

  uint32(): number {
    return this.view.getUint32(this.advance(4), true)
  }

  int32(): number {
    return this.view.getInt32(this.advance(4), true)
  }

  uint64(): bigint {
    return this.view.getBigUint64(this.advance(8), true)
  }

  int64(): bigint {
    return this.view.getBigInt64(this.advance(8), true)
  }

  float32(): number {
    return this.view.getFloat32(this.advance(4), true)
  }

  float64(): number {
    return this.view.getFloat64(this.advance(8), true)
  }

  /** A copy, aligned for typed arrays. */
  copy(count: number): Uint8Array<ArrayBuffer> {
    const from = this.advance(count)
    return new Uint8Array(this.bytes.subarray(from, from + count))
  }

  /** A view that holds until the next `fill`. */
  peek(count: number): Uint8Array {
    const from = this.advance(count)
    return this.bytes.subarray(from, from + count)
  }

  private advance(count: number): number {
    const from = this.at
    this.at += count
    return from
  }
}
