import { describe, expect, it } from 'vitest'
import { BlockStore } from '../../../src/data/stream/block-store.ts'
import { DataEngine } from '../../../src/data/stream/data-engine.ts'
import { jsonRows } from '../../../src/data/stream/json-rows.ts'
import { joinBatches, type RowBatch } from '../../../src/data/stream/row-batch.ts'
import { cutUp, seeded, utf8 } from '../pieces.ts'

const kib = 1024

/** Lines of 30 to `longest` bytes. */
function makeLines(count: number, longest: number, random: () => number): readonly string[] {
  return Array.from(
    { length: count },
    (_, id) => `${JSON.stringify({ id, text: 'ä'.repeat(Math.floor((random() * (longest - 30)) / 2)) })}\n`,
  )
}

describe('what of a streaming file is alive at a time', () => {
  it.each([200, 3000, 20_000])('is one block of 1 KiB and the rest of a line, with lines of up to %i bytes', async (longest) => {
    const random = seeded(longest)
    const lines = makeLines(400, longest, random)
    const pieces = cutUp(utf8(lines.join('')), random)
    let rows = 0
    for await (const batch of jsonRows([{ name: 'f.jsonl', pieces }])) {
      const bytes = batch.rows.reduce((sum, _, at) => sum + Buffer.byteLength(lines[rows + at] ?? ''), 0)
      expect(bytes).toBeLessThanOrEqual(kib + longest)
      expect(batch.bytes).toBeLessThanOrEqual(kib + longest)
      rows += batch.rows.length
    }
    expect(rows).toBe(lines.length)
  })
})

describe('a store of blocks', () => {
  const fill = (store: BlockStore, blocks: readonly Uint8Array[]): ReadonlySet<ArrayBufferLike> => {
    for (const block of blocks) store.add(block)
    const given = [...store.blocks()]
    expect(given.map((block) => Buffer.from(block).toString('hex'))).toEqual(blocks.map((block) => Buffer.from(block).toString('hex')))
    expect(store.bytes).toBe(blocks.reduce((sum, { length }) => sum + length, 0))
    return new Set(given.map(({ buffer }) => buffer))
  }
  const makeBlocks = (sizes: readonly number[]): Uint8Array[] => sizes.map((size, at) => new Uint8Array(size).fill(at % 251))

  it('gives back what was added, whatever the sizes', () => {
    const random = seeded(2)
    const store = new BlockStore()
    for (let turn = 0; turn < 5; turn++) {
      fill(store, makeBlocks(Array.from({ length: 60 }, () => Math.floor(random() ** 6 * 600 * kib))))
      store.clear()
      expect([...store.blocks()]).toEqual([])
    }
  })

  it('takes little more memory than the bytes, and the same for the next chunk however it is cut', () => {
    const store = new BlockStore()
    const first = fill(store, makeBlocks(Array.from({ length: 1000 }, (_, at) => 2 * kib + (at % 900))))
    const taken = [...first].reduce((sum, buffer) => sum + buffer.byteLength, 0)
    expect(taken).toBeLessThan(store.bytes * 1.02 + 256 * kib)
    store.clear()
    const second = fill(store, makeBlocks(Array.from({ length: 600 }, (_, at) => 3 * kib + (at % 700))))
    expect([...second].every((buffer) => first.has(buffer))).toBe(true)
  })
})

describe('batches that cross a border', () => {
  async function* small(count: number): AsyncGenerator<RowBatch> {
    for (let at = 0; at < count; at++) yield { columns: [{ name: 'a', type: 'int64' }], rows: [[at], [-at]], bytes: 3 * kib }
  }

  it('are joined to a quarter of a megabyte, but for the first, which does not wait', async () => {
    const joined: RowBatch[] = []
    for await (const batch of joinBatches(small(200))) joined.push(batch)
    expect(joined.map(({ bytes }) => bytes / kib)).toEqual([3, 258, 258, 81])
    expect(joined.flatMap(({ rows }) => rows)).toEqual(Array.from({ length: 200 }, (_, at) => [[at], [-at]]).flat())
  })

  it('come once for a table without rows, and not at all for nothing', async () => {
    const count = async (batches: AsyncIterable<RowBatch>): Promise<number> => {
      let batchCount = 0
      for await (const _ of joinBatches(batches)) batchCount += 1
      return batchCount
    }
    async function* empty(): AsyncGenerator<RowBatch> {
      yield { columns: [], rows: [], bytes: 0 }
    }
    expect(await count(empty())).toBe(1)
    expect(await count(small(0))).toBe(0)
  })

  it('are few for the rows of a file, and the rows are those of the file', async () => {
    const lines = makeLines(3000, 1000, seeded(3))
    const bytes = utf8(lines.join(''))
    const answers = [bytes, null]
    const batches: number[] = []
    const ids: unknown[] = []
    await new DataEngine().readRows(
      { format: 'json', options: {}, files: ['f.jsonl'], declared: null, maxRows: null },
      async ({ type }) => (type === 'close' ? null : (answers.shift() ?? null)),
      async ({ rows }) => {
        batches.push(rows.length)
        for (const [id] of rows) ids.push(id)
      },
    )
    expect(ids).toEqual(lines.map((_, id) => id))
    expect(batches.length).toBeLessThanOrEqual(2 + bytes.length / (256 * kib))
  })
})
