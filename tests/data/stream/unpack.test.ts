import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { constants, deflateRawSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { collectRows } from '../../../src/data/stream/row-batch.ts'
import { streamRows } from '../../../src/data/stream/stream-rows.ts'
import { gunzipPieces, unpackPieces } from '../../../src/data/stream/unpack.ts'
import { collectBytes, cutUp, fileOf, seeded, utf8 } from '../pieces.ts'

interface Case {
  readonly name: string
  readonly packed: string
  /** Null when Python's gzip refuses. */
  readonly content: string | null
}

const cases = JSON.parse(readFileSync(join(import.meta.dirname, 'gzip-members.json'), 'utf8')) as readonly Case[] // Written by make_gzip_members.py.
const fromBase64 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'base64'))
const malformed = { name: 'EvalError', code: 'dataset/malformed' }

describe('gzip files are read as Python reads them', () => {
  it('has the cases of 1 to 20 members', () => {
    expect(cases.filter(({ name }) => name.endsWith('members')).length).toBeGreaterThanOrEqual(19)
    expect(cases.filter(({ content }) => content === null).length).toBeGreaterThanOrEqual(5)
  })

  it.each(cases)('$name', async ({ packed, content }) => {
    const bytes = fromBase64(packed)
    for (let seed = 0; seed < 10; seed++) {
      const unpacked = collectBytes(gunzipPieces(cutUp(bytes, seeded(seed)), 'f.gz'))
      if (content === null) await expect(unpacked).rejects.toMatchObject({ ...malformed, details: { file: 'f.gz' } })
      else expect(Buffer.from(await unpacked).toString('base64')).toBe(content)
    }
  })
})

describe('a gzip file that is cut off', () => {
  const lines = Array.from({ length: 120 }, (_, n) => `{"n":${n},"t":"${'word '.repeat(n % 9)}"}\n`).join('')
  const whole = new Uint8Array(Buffer.concat([gzipSync(lines), gzipSync(lines)]))
  const firstMember = gzipSync(lines).length

  it('is refused wherever it is cut, with the offset, and gives no table', async () => {
    const random = seeded(3)
    for (let length = 3; length < whole.length; length++) {
      // Between two members a file may end.
      if (length === firstMember) continue
      const file = fileOf('f.jsonl.gz', whole.subarray(0, length), random)
      await expect(collectRows(streamRows({ format: 'json', options: {}, files: [file] }))).rejects.toMatchObject({
        ...malformed,
        details: { file: 'f.jsonl.gz', offset: length },
      })
    }
    const all = await collectRows(streamRows({ format: 'json', options: {}, files: [fileOf('f.jsonl.gz', whole, random)] }))
    expect(all.rows.length).toBe(240)
  })
})

/** A gzip file of zeros that goes on for ever, 1 MiB of them per part of about a kilobyte. */
async function* endlessBomb(onPacked: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  const part = new Uint8Array(deflateRawSync(Buffer.alloc(2 ** 20), { level: 9, finishFlush: constants.Z_FULL_FLUSH }))
  yield new Uint8Array([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff])
  for (let packed = 0; ; packed += part.length) {
    onPacked(packed)
    yield part
  }
}

describe('a decompression bomb', () => {
  it('is refused by its ratio after 8 MiB, and nothing is read beyond', async () => {
    let packed = 0
    let unpacked = 0
    const run = async (): Promise<void> => {
      const bomb = endlessBomb((bytes) => {
        packed = bytes
      })
      for await (const piece of unpackPieces(bomb, 'f.gz')) unpacked += piece.length
    }
    await expect(run()).rejects.toMatchObject({
      ...malformed,
      message: expect.stringMatching(/more than 8 MiB, beyond the 800:1/) as string,
    })
    expect(unpacked).toBeGreaterThan(7 * 2 ** 20)
    expect(unpacked).toBeLessThanOrEqual(8 * 2 ** 20)
    expect(packed).toBeLessThan(20_000)
  })

  it('may unpack to 200 times its size, but to no more', async () => {
    const limits = { maxBytes: 1e9, ratios: [{ freeBytes: 100_000, maxRatio: 200 }] }
    const rest = Buffer.alloc(1_000_000)
    const good = new Uint8Array(gzipSync(Buffer.concat([randomBytes(6_000), rest])))
    const bad = new Uint8Array(gzipSync(Buffer.concat([randomBytes(2_000), rest])))
    expect((await collectBytes(gunzipPieces(cutUp(good, seeded(5)), 'f', limits))).length).toBe(1_006_000)
    await expect(collectBytes(gunzipPieces(cutUp(bad, seeded(5)), 'f', limits))).rejects.toMatchObject(malformed)
  })

  it('is refused by its size, packed or not, and what fits is read', async () => {
    const content = utf8('some text '.repeat(1000))
    for (const bytes of [content, new Uint8Array(gzipSync(content))]) {
      const read = (maxBytes: number) => collectBytes(unpackPieces(cutUp(bytes, seeded(1)), 'f', { maxBytes, ratios: [] }))
      await expect(read(9_999)).rejects.toMatchObject({ ...malformed, message: expect.stringContaining('9.8 KiB') as string })
      expect(await read(10_000)).toEqual(content)
    }
  })
})
