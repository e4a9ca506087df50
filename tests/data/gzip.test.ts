import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { gunzip, isGzip } from '../../src/data/decode/gzip.ts'

const bytesOf = (parts: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts))

/** A browser's DecompressionStream: it gives the first member and fails on what follows. Node's reads them all. */
class OneMemberStream {
  readonly readable: ReadableStream<Uint8Array>
  readonly writable: WritableStream<Uint8Array>
  constructor() {
    const parts: Uint8Array[] = []
    let output: ReadableStreamDefaultController<Uint8Array> | null = null
    this.readable = new ReadableStream({
      start: (controller) => {
        output = controller
      },
    })
    this.writable = new WritableStream({
      write: (part) => void parts.push(part),
      close: async () => {
        const { createGunzip } = await import('node:zlib')
        const whole = Buffer.concat(parts)
        const lengths = Array.from({ length: whole.length + 1 }, (_, at) => at).filter(
          (at) => at === whole.length || (at > 0 && isGzip(whole.subarray(at))),
        )
        for (const length of lengths) {
          const unpacked = await new Promise<Buffer | null>((resolve) => {
            const chunks: Buffer[] = []
            const unzip = createGunzip()
            unzip
              .on('data', (chunk: Buffer) => chunks.push(chunk))
              .on('end', () => {
                resolve(Buffer.concat(chunks))
              })
            unzip.on('error', () => {
              resolve(null)
            })
            unzip.end(whole.subarray(0, length))
          })
          if (unpacked === null) continue
          output?.enqueue(new Uint8Array(unpacked))
          if (length === whole.length) output?.close()
          else output?.error(new TypeError('Junk found after end of compressed data.'))
          return
        }
        output?.error(new TypeError('Compressed input was truncated.'))
      },
    })
  }
}

afterEach(() => {
  vi.unstubAllGlobals()
})

describe.each([
  ['a stream that reads all members', false],
  ['a stream that reads one, as browsers have', true],
])('gunzip over %s', (_, isBrowser) => {
  const setUp = (): void => {
    if (isBrowser) vi.stubGlobal('DecompressionStream', OneMemberStream)
  }

  it('gives the content of 1 to 20 members', async () => {
    setUp()
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 200 }), { minLength: 1, maxLength: 20 }), async (parts) => {
        expect(await gunzip(bytesOf(parts.map((part) => gzipSync(part))), 'f')).toEqual(bytesOf(parts))
      }),
      { numRuns: 20 },
    )
  })

  it('refuses a file that is cut anywhere', async () => {
    setUp()
    const whole = gzipSync(Buffer.from('some rows, some more rows, and then some'))
    for (let length = 1; length < whole.length; length += 3) {
      await expect(gunzip(new Uint8Array(whole.subarray(0, length)), 'f.gz')).rejects.toMatchObject({
        code: 'dataset/malformed',
        details: { file: 'f.gz' },
      })
    }
  })

  it('refuses what unpacks to too much', async () => {
    setUp()
    const bomb = gzipSync(Buffer.alloc(1_000_000))
    await expect(gunzip(new Uint8Array(bomb), 'f', 999_999)).rejects.toMatchObject({
      code: 'dataset/malformed',
      message: expect.stringContaining('more than 999999 bytes') as string,
    })
    expect((await gunzip(new Uint8Array(bomb), 'f', 1_000_000)).length).toBe(1_000_000)
  })
})
