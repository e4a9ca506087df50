/** A chosen file as text or lines, unpacked where it is gzip, within `limits`. */
import { EvalError } from '../../base/errors.ts'
import { limits } from './opened-run.ts'

export interface NamedFile {
  readonly name: string
  readonly file: Blob
  /** Hears of every piece that is read. */
  readonly onPiece?: () => void
}

/** Lines without their ends, the last one too when it has none; empty ones are left out. `number` counts from 1. Throws `results/invalid`. */
export async function* readLines(file: NamedFile): AsyncGenerator<{ readonly number: number; readonly text: string }, void> {
  const { name } = file
  let number = 0
  // The line that isn't whole yet, in pieces: joining it anew with each piece would take its length squared.
  let open: string[] = []
  let length = 0
  for await (const piece of readPieces(file, limits.unpackedBytes)) {
    const lines = piece.split('\n')
    const last = lines.pop() ?? ''
    for (const line of lines) {
      number += 1
      const text = open.length === 0 ? line : open.join('') + line
      open = []
      length = 0
      if (text.trim() !== '') yield { number, text }
    }
    open.push(last)
    length += last.length
    if (length > limits.lineChars) throw tooLarge(name, `line ${number + 1} has more than ${limits.lineChars} characters`)
  }
  const text = open.join('')
  if (text.trim() !== '') yield { number: number + 1, text }
}

/** All of a file as text. Throws `results/invalid`. */
export async function readWhole(file: NamedFile): Promise<string> {
  const pieces: string[] = []
  for await (const piece of readPieces(file, limits.wholeBytes)) pieces.push(piece)
  return pieces.join('')
}

/** The first piece of a file's text: 64 KiB or so. */
export async function readBeginning(file: NamedFile): Promise<string> {
  for await (const piece of readPieces(file, limits.unpackedBytes)) return piece
  return ''
}

async function* readPieces({ name, file, onPiece }: NamedFile, limitBytes: number): AsyncGenerator<string, void> {
  const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer())
  const isPacked = first === 0x1f && second === 0x8b
  const bytes: ReadableStream<Uint8Array<ArrayBuffer>> = file.stream()
  const reader = (isPacked ? bytes.pipeThrough(new DecompressionStream('gzip')) : bytes).getReader()
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let total = 0
  try {
    for (;;) {
      const next = await reader.read().catch((cause: unknown) => {
        throw new EvalError('results/invalid', `${name} is cut or damaged: it can't be ${isPacked ? 'unpacked' : 'read'}.`, { cause })
      })
      if (next.done) break
      onPiece?.()
      total += next.value.length
      if (total > limitBytes) throw tooLarge(name, `more than ${limitBytes} bytes${isPacked ? ' when unpacked' : ''}`)
      yield decode(decoder, next.value, name)
    }
    const last = decode(decoder, null, name)
    if (last !== '') yield last
  } finally {
    // Whoever stops early, or fails, wants no more of it.
    reader.cancel().catch(() => undefined)
  }
}

function decode(decoder: TextDecoder, bytes: Uint8Array | null, name: string): string {
  try {
    return bytes === null ? decoder.decode() : decoder.decode(bytes, { stream: true })
  } catch (cause) {
    throw new EvalError('results/invalid', `${name} is no text in UTF-8.`, { cause })
  }
}

function tooLarge(name: string, what: string): EvalError {
  return new EvalError('results/invalid', `${name} is larger than any result here: ${what}.`, { details: { file: name } })
}
