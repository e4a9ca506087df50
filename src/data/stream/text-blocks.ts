/** Bytes that stream, as text in blocks of whole lines. Where the bytes were cut on their way makes no difference to the blocks. */
import { EvalError } from '../../core/errors.ts'
import { maxRecordBytes, sizeInWords } from './limits.ts'
import { evenPieces, joinPieces } from './pieces.ts'

/** Some whole lines; only the last line of the last block may lack its end. */
export interface TextBlock {
  readonly text: string
  /** Number of its first line, from 1. */
  readonly line: number
  /** Its length in bytes. */
  readonly bytes: number
  /** True when a chunk of `chunkBytes` ends with it. */
  readonly endsChunk: boolean
}

export interface BlockOptions {
  /** For messages. */
  readonly file: string
  /** A byte order mark at the beginning is kept as text. */
  readonly keepsMark?: boolean
  /** A chunk ends with the line that holds the byte after this many; see `TextBlock.endsChunk`. */
  readonly chunkBytes?: number
}

const blockBytes = 256 * 1024
const lf = 0x0a
const cr = 0x0d

/**
 * Lines end at LF bytes and at nothing else, so U+2028, U+0085 and the like stay inside theirs. (A text without any LF is cut at CR, for the
 * files that old Macs wrote.) Throws `dataset/malformed` for bytes that aren't UTF-8, with line and offset, and for a line beyond
 * `maxRecordBytes`.
 */
export async function* textBlocks(pieces: AsyncIterable<Uint8Array>, options: BlockOptions): AsyncGenerator<TextBlock> {
  const { file, keepsMark = false, chunkBytes = Infinity } = options
  let line = 1
  let offset = 0
  let chunkEnd = chunkBytes
  const toBlock = (bytes: Uint8Array, endsChunk: boolean): TextBlock => {
    const text = decodeBlock(bytes, { file, line, offset, keepsMark: keepsMark || offset > 0 })
    const block = { text, line, bytes: bytes.length, endsChunk }
    line += countLines(text)
    offset += bytes.length
    return block
  }
  function* toBlocks(lines: Uint8Array): Generator<TextBlock> {
    let rest = lines
    while (offset + rest.length > chunkEnd) {
      const end = rest.indexOf(lf, Math.max(0, chunkEnd - offset))
      if (end === -1) break
      yield toBlock(rest.subarray(0, end + 1), true)
      rest = rest.subarray(end + 1)
      chunkEnd = offset + chunkBytes
    }
    if (rest.length > 0) yield toBlock(rest, false)
  }

  let held: Uint8Array[] = []
  let heldBytes = 0
  for await (const block of evenPieces(pieces, blockBytes)) {
    const end = block.lastIndexOf(lf)
    held.push(end === -1 ? block : block.subarray(0, end + 1))
    heldBytes += block.length
    if (end !== -1) {
      const lines = joinPieces(held)
      // Only the first of these lines can have come in over several blocks.
      if (lines.indexOf(lf) > maxRecordBytes) throw tooLong(file, line)
      yield* toBlocks(lines)
      held = end + 1 === block.length ? [] : [block.subarray(end + 1)]
      heldBytes = block.length - end - 1
    } else if (heldBytes > maxRecordBytes) {
      const whole = joinPieces(held)
      const mac = whole.subarray(0, -1).lastIndexOf(cr)
      if (mac === -1) throw tooLong(file, line)
      yield* toBlocks(whole.subarray(0, mac + 1))
      held = [whole.subarray(mac + 1)]
      heldBytes = whole.length - mac - 1
    }
  }
  if (heldBytes > 0) yield* toBlocks(joinPieces(held))
}

/** The refusal of a line beyond the limit. */
export function tooLong(file: string, line: number, what = 'a line'): EvalError {
  return new EvalError('dataset/malformed', `${file}, line ${line}: ${what} is longer than ${sizeInWords(maxRecordBytes)}.`, {
    details: { file, line },
  })
}

function countLines(text: string): number {
  let lines = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1
  return lines
}

interface BlockPlace {
  readonly file: string
  readonly line: number
  readonly offset: number
  readonly keepsMark: boolean
}

const plain = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const unmarked = new TextDecoder('utf-8', { fatal: true })

function decodeBlock(bytes: Uint8Array, place: BlockPlace): string {
  try {
    return (place.keepsMark ? plain : unmarked).decode(bytes)
  } catch (cause) {
    throw notUtf8(bytes, place, cause)
  }
}

/** The refusal of bytes that aren't UTF-8: where the first wrong one is. */
export function notUtf8(bytes: Uint8Array, { file, line, offset }: Omit<BlockPlace, 'keepsMark'>, cause: unknown): EvalError {
  const at = findBadByte(bytes)
  let badLine = line
  for (let next = bytes.indexOf(lf); next !== -1 && next < at; next = bytes.indexOf(lf, next + 1)) badLine += 1
  const message = `${file}, line ${badLine}, byte ${offset + at}: bytes that are not UTF-8.`
  return new EvalError('dataset/malformed', message, { cause, details: { file, line: badLine, offset: offset + at } })
}

/** By bisection: a beginning can be decoded just as long as the wrong byte isn't in it. */
function findBadByte(bytes: Uint8Array): number {
  let good = 0
  let bad = bytes.length
  while (bad - good > 1) {
    const middle = (good + bad) >> 1
    try {
      new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, middle), { stream: true })
      good = middle
    } catch {
      bad = middle
    }
  }
  return good
}
