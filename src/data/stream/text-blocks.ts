/** Bytes that stream, as text in blocks of whole lines. Where the bytes were cut on their way makes no difference to the blocks. */
import { EvalError } from '../../base/errors.ts'
import { maxRecordBytes, sizeInWords } from './limits.ts'
import { decodeUtf8Text } from './utf8.ts'

/** Some whole lines; only the last line of the last block may lack its end. */
interface TextBlock {
  readonly text: string
  /** Number of its first line, from 1. */
  readonly line: number
  /** The same as bytes: only until the next block is asked for. */
  readonly bytes: Uint8Array
  /** True when a chunk of `chunkBytes` ends with it. */
  readonly endsChunk: boolean
}

interface BlockOptions {
  /** For messages. */
  readonly file: string
  /** A byte order mark at the beginning is kept as text. */
  readonly keepsMark?: boolean
  /** A chunk ends with the line that holds the byte after this many; see `TextBlock.endsChunk`. */
  readonly chunkBytes?: number
}

/**
 * Lines are looked for whenever this many more bytes of the file are there. What a block becomes (text, values, rows) is what a collection of
 * young objects finds alive, and browsers make room for young objects by the sum of what they found alive: small blocks keep that room small for
 * longer (decision 0012).
 */
const stepBytes = 1024
const lf = 0x0a
const cr = 0x0d

/**
 * Lines end at LF bytes and at nothing else, so U+2028, U+0085 and the like stay inside theirs. (A text without any LF is cut at CR, for the
 * files that old Macs wrote.) Throws `dataset/malformed` for bytes that aren't UTF-8, with line and offset, and for a line beyond
 * `maxRecordBytes`. One buffer serves all blocks: a piece is done with when the next one is asked for.
 */
export async function* textBlocks(pieces: AsyncIterable<Uint8Array>, options: BlockOptions): AsyncGenerator<TextBlock> {
  const { file, keepsMark = false, chunkBytes = Infinity } = options
  let line = 1
  let offset = 0
  let chunkEnd = chunkBytes
  const toBlock = (bytes: Uint8Array, endsChunk: boolean): TextBlock => {
    const text = decodeBlock(bytes, { file, line, offset, keepsMark: keepsMark || offset > 0 })
    const block = { text, line, bytes, endsChunk }
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

  let buffer = new Uint8Array(2 * stepBytes)
  let filled = 0
  /** Bytes at its beginning that hold no LF. */
  let searched = 0
  /** Gives what whole lines the buffer holds, and moves the rest to its beginning. */
  function* giveLines(): Generator<TextBlock> {
    const held = buffer.subarray(0, filled)
    let end = held.subarray(searched).lastIndexOf(lf)
    if (end !== -1) {
      end += searched
      // Only the first line can have come in over several steps.
      if (searched > 0 && held.indexOf(lf, searched) > maxRecordBytes) throw tooLong(file, line)
    } else if (filled > maxRecordBytes) {
      end = held.subarray(0, -1).lastIndexOf(cr)
      if (end === -1) throw tooLong(file, line)
    }
    if (end !== -1) {
      yield* toBlocks(held.subarray(0, end + 1))
      buffer.copyWithin(0, end + 1, filled)
      filled -= end + 1
    }
    searched = filled
  }

  let total = 0
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length;) {
      const part = piece.subarray(at, at + stepBytes - (total % stepBytes))
      if (filled + part.length > buffer.length) {
        const larger = new Uint8Array(2 * (filled + part.length))
        larger.set(buffer.subarray(0, filled))
        buffer = larger
      }
      buffer.set(part, filled)
      filled += part.length
      total += part.length
      at += part.length
      if (total % stepBytes === 0) yield* giveLines()
    }
  }
  if (filled > 0) yield* giveLines()
  if (filled > 0) yield* toBlocks(buffer.subarray(0, filled))
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

const mark = '\uFEFF'

/** The text of a block. Throws `dataset/malformed` as `notUtf8` words it. */
function decodeBlock(bytes: Uint8Array, place: BlockPlace): string {
  const text = decodeUtf8Text(bytes)
  if (text === null) throw notUtf8(bytes, place)
  return place.keepsMark || !text.startsWith(mark) ? text : text.slice(mark.length)
}

/** The refusal of bytes that aren't UTF-8: where the first wrong one is. */
export function notUtf8(bytes: Uint8Array, { file, line, offset }: Omit<BlockPlace, 'keepsMark'>): EvalError {
  const at = findBadByte(bytes)
  let badLine = line
  for (let next = bytes.indexOf(lf); next !== -1 && next < at; next = bytes.indexOf(lf, next + 1)) badLine += 1
  const message = `${file}, line ${badLine}, byte ${offset + at}: bytes that are not UTF-8.`
  return new EvalError('dataset/malformed', message, { details: { file, line: badLine, offset: offset + at } })
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
