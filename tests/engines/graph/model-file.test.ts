import { afterEach, describe, expect, it, vi } from 'vitest'
import { fileBytes } from '../../../src/engines/graph/model-file.ts'

afterEach(() => vi.unstubAllGlobals())

/** What a dedicated worker has, over a Blob whose bytes are known here; keeps the buffers that it gave. */
function standInReader(content: Uint8Array<ArrayBuffer>): { readonly blob: Blob; readonly given: readonly ArrayBuffer[] } {
  const given: ArrayBuffer[] = []
  const slices = new WeakMap<Blob, readonly [number, number]>()
  class Sliced extends Blob {
    override slice(start = 0, end = this.size): Blob {
      const part = super.slice(start, end)
      slices.set(part, [start, end])
      return part
    }
  }
  vi.stubGlobal(
    'FileReaderSync',
    class {
      readAsArrayBuffer(blob: Blob): ArrayBuffer {
        const [start, end] = slices.get(blob) ?? [0, 0]
        const buffer = content.slice(start, end).buffer
        given.push(buffer)
        return buffer
      }
    },
  )
  return { blob: new Sliced([content]), given }
}

describe('reading a file part by part', () => {
  it('gives the asked bytes, and no read leaves memory behind', () => {
    const content = Uint8Array.from({ length: 40 * 2 ** 20 }, (_, i) => (i * 7) & 0xff)
    const { blob, given } = standInReader(content)
    const file = fileBytes(blob)
    expect(file.length).toBe(content.length)
    expect(file.read(5, 9)).toEqual(content.slice(5, 9))
    const wide = file.read(1, 35 * 2 ** 20)
    expect(wide.length).toBe(35 * 2 ** 20 - 1)
    expect(Buffer.compare(wide, content.subarray(1, 35 * 2 ** 20))).toBe(0)
    // One piece for the first read, three of at most 16 MiB for the second; all were sent away.
    expect(given).toHaveLength(4)
    expect(given.map(({ byteLength }) => byteLength)).toEqual([0, 0, 0, 0])
    file.rest()
    expect(wide.length).toBe(0)
    expect(file.read(7, 8)).toEqual(content.slice(7, 8))
  })

  it('of bytes in memory gives views', () => {
    const content = Uint8Array.of(1, 2, 3)
    expect(fileBytes(content).read(1, 3).buffer).toBe(content.buffer)
  })

  it('says that a file can’t be read any more', () => {
    vi.stubGlobal(
      'FileReaderSync',
      class {
        readAsArrayBuffer(): ArrayBuffer {
          throw new DOMException('gone', 'NotFoundError')
        }
      },
    )
    expect(() => fileBytes(new Blob([Uint8Array.of(1, 2)])).read(0, 2)).toThrowError(
      expect.objectContaining({ code: 'storage/unavailable' }) as Error,
    )
  })
})
