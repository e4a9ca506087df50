/** The lines of a corpus file, plain or gzipped. */
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'

/** One line that isn't blank. `text` is null when its bytes are no UTF-8. */
export interface CorpusLine {
  readonly file: string
  /** From 1. */
  readonly line: number
  readonly text: string | null
}

const gzipMagic = [0x1f, 0x8b]

/** All lines but blank ones, in order. Only `\n` ends a line. Throws what reading or unzipping throws. */
export function readCorpusLines(file: string): readonly CorpusLine[] {
  const raw = readFileSync(file)
  const bytes = gzipMagic.every((byte, i) => raw[i] === byte) ? gunzipSync(raw) : raw
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const lines: CorpusLine[] = []
  let line = 0
  for (let start = 0; start < bytes.length;) {
    const newline = bytes.indexOf(0x0a, start)
    const end = newline < 0 ? bytes.length : newline
    line++
    const text = decode(decoder, bytes.subarray(start, end))
    if (text === null || text.trim() !== '') lines.push({ file, line, text })
    start = end + 1
  }
  return lines
}

function decode(decoder: TextDecoder, bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes)
  } catch {
    return null
  }
}
