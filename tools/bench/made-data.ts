/** Large data files that a server makes while it sends them; the same seed makes the same bytes. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { constants, deflateRawSync, gzipSync } from 'node:zlib'

/** What is asked for: a file's kind and its size in bytes, unpacked. */
export interface MadeFile {
  readonly kind: 'jsonl' | 'jsonl.gz' | 'bomb.gz'
  readonly bytes: number
  readonly seed: number
}

/** What a reader of the file must find. */
export interface MadeFacts {
  readonly rows: number
  readonly characters: number
  /** Unpacked. */
  readonly bytes: number
}

const words = [
  'time',
  'river',
  'stone',
  'music',
  'winter',
  'garden',
  'letter',
  'window',
  'naïve',
  'Straße',
  '東京',
  'vowel',
  '"quoted"',
  'line\u2028end',
]

/** Blocks of about a megabyte; each is a number of whole lines. */
const linesPerBlock = 1200
/** Different blocks; a file repeats them in order. */
const blockCount = 16

interface Block {
  readonly bytes: Buffer
  readonly rows: number
  readonly characters: number
}

/** Rows as benchmarks have them: a question, four choices, a number, about 900 bytes. */
function makeBlocks(seed: number): readonly Block[] {
  let state = seed >>> 0
  const draw = (limit: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
  const text = (count: number): string => Array.from({ length: count }, () => words[draw(words.length)] ?? '').join(' ')
  return Array.from({ length: blockCount }, () => {
    let characters = 0
    const lines = Array.from({ length: linesPerBlock }, () => {
      const question = text(60 + draw(60))
      characters += question.length
      return `${JSON.stringify({ question, choices: [text(6), text(6), text(6), text(6)], answer: draw(4), weight: draw(1000) / 8 })}\n`
    })
    return { bytes: Buffer.from(lines.join('')), rows: linesPerBlock, characters }
  })
}

/** Calls `send` with each block until the file is at least as long as asked; gives what was sent. */
async function sendBlocks(file: MadeFile, send: (at: number) => Promise<void>, blocks: readonly Block[]): Promise<MadeFacts> {
  const facts = { rows: 0, characters: 0, bytes: 0 }
  for (let at = 0; facts.bytes < file.bytes; at++) {
    const block = blocks[at % blocks.length]
    if (block === undefined) throw new Error('there are no blocks')
    await send(at % blocks.length)
    facts.rows += block.rows
    facts.characters += block.characters
    facts.bytes += block.bytes.length
  }
  return facts
}

/** What the reader of `file` must find, without sending it. */
export async function factsOf(file: MadeFile): Promise<MadeFacts> {
  return sendBlocks(file, () => Promise.resolve(), makeBlocks(file.seed))
}

/** Sends the file; waits whenever the reader is slower. A reader that goes away ends it. */
export async function sendMade(file: MadeFile, request: IncomingMessage, response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'Content-Type': 'application/octet-stream', 'Cache-Control': 'no-store' })
  if (request.method === 'HEAD') {
    response.end()
    return
  }
  const write = async (bytes: Buffer): Promise<void> => {
    if (response.destroyed) throw new Error('the reader has gone')
    if (response.write(bytes)) return
    await new Promise<void>((resolve) => {
      const go = (): void => {
        response.off('drain', go)
        response.off('close', go)
        resolve()
      }
      response.on('drain', go)
      response.on('close', go)
    })
  }
  try {
    if (file.kind === 'bomb.gz') await sendBomb(file.bytes, write)
    else {
      const blocks = makeBlocks(file.seed)
      // Each block is a member of its own: a gzip file of many members, packed once.
      const sent = file.kind === 'jsonl' ? blocks.map(({ bytes }) => bytes) : blocks.map(({ bytes }) => gzipSync(bytes, { level: 6 }))
      await sendBlocks(file, (at) => write(sent[at] ?? Buffer.alloc(0)), blocks)
    }
    response.end()
  } catch {
    // The reader has gone, which is what a refusal looks like from here.
    response.destroy()
  }
}

/** One gzip member of rows of zeros, about a thousandth as long packed. It has no proper end: nobody is to get there. */
async function sendBomb(bytes: number, write: (bytes: Buffer) => Promise<void>): Promise<void> {
  const line = Buffer.from(`{"a":"${'0'.repeat(65_526)}"}\n`)
  const rows = Buffer.concat(Array.from({ length: 16 }, () => line))
  const part = deflateRawSync(rows, { level: 9, finishFlush: constants.Z_FULL_FLUSH })
  await write(Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]))
  const parts = Buffer.concat(Array.from({ length: 16 }, () => part))
  for (let sent = 0; sent < bytes; sent += rows.length * 16) await write(parts)
}
