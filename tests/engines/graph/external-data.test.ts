import { describe, expect, it } from 'vitest'
import { EvalError } from '../../../src/base/errors.ts'
import { withExternalData } from '../../../src/engines/graph/external-data.ts'
import type { FileBytes } from '../../../src/weights/file-bytes.ts'

const mebibyte = 2 ** 20

/** A file whose bytes tell their places; `reads` are the lengths that were asked for. */
function placeFile(length: number): FileBytes & { readonly reads: number[]; rested: number } {
  const file = {
    length,
    reads: [] as number[],
    rested: 0,
    read: (start: number, end: number) => {
      file.reads.push(end - start)
      return Uint8Array.from({ length: end - start }, (_, i) => Math.floor((start + i) / 1000) % 251)
    },
    rest: () => {
      file.rested += 1
    },
  }
  return file
}

describe('external data', () => {
  it('looks to ONNX Runtime like the whole file, and reads only what it is asked for', async () => {
    const file = placeFile(5e9)
    const found = await withExternalData([{ path: 'weights', bytes: file }], 'wasm', ([given]) => {
      expect(given?.path).toBe('weights')
      expect(given?.data).toBeInstanceOf(Uint8Array)
      expect(given?.data.byteLength).toBe(5e9)
      return Promise.resolve([...(given?.data.subarray(4_294_967_301, 4_294_967_304) ?? [])])
    })
    expect(found).toEqual(Array(3).fill(4_294_967 % 251))
    expect([file.reads, file.rested]).toEqual([[3], 1])
  })

  it('copies a large weight into the heap in pieces, without ever holding it whole', async () => {
    const file = placeFile(60 * mebibyte)
    const heap = new Uint8Array(64 * mebibyte)
    await withExternalData([{ path: 'weights', bytes: file }], 'wasm', async ([given]) => {
      await Promise.resolve()
      heap.set(given?.data.subarray(mebibyte, 41 * mebibyte) ?? [], 2 * mebibyte)
      heap.set([7, 8], 5)
    })
    expect(file.reads).toEqual([16 * mebibyte, 16 * mebibyte, 8 * mebibyte])
    const isWrong = (at: number): boolean => heap[2 * mebibyte + at] !== Math.floor((mebibyte + at) / 1000) % 251
    expect(Array.from({ length: 400 }, (_, i) => i * 104_857).filter(isWrong)).toEqual([])
    expect([heap[5], heap[6], heap[42 * mebibyte]]).toEqual([7, 8, 0])
    expect(Object.hasOwn(Uint8Array.prototype, 'set')).toBe(false)
  })

  it('gives a GPU the whole weight, since it is handed on rather than copied', async () => {
    const file = placeFile(30 * mebibyte)
    await withExternalData([{ path: 'weights', bytes: file }], 'webgpu', ([given]) => {
      expect(given?.data.subarray(0, 20 * mebibyte).length).toBe(20 * mebibyte)
      return Promise.resolve()
    })
    expect(file.reads).toEqual([20 * mebibyte])
  })

  it('fails when a large weight is never copied: it would be zeros', async () => {
    const opening = withExternalData([{ path: 'weights', bytes: placeFile(30 * mebibyte) }], 'wasm', ([given]) => {
      given?.data.subarray(0, 20 * mebibyte)
      return Promise.resolve()
    })
    await expect(opening).rejects.toThrow('1 weights of the model were not read')
  })

  it('fails with the cause when a file can’t be read any more, whatever ONNX Runtime says', async () => {
    const gone = new EvalError('storage/unavailable', 'gone')
    const read = (): never => {
      throw gone
    }
    const opening = withExternalData([{ path: 'weights', bytes: { length: 10, read, rest: () => undefined } }], 'wasm', ([given]) => {
      try {
        given?.data.subarray(0, 1)
      } catch {
        return Promise.reject(new Error('error code 4'))
      }
      return Promise.resolve()
    })
    await expect(opening).rejects.toBe(gone)
    expect(Object.hasOwn(Uint8Array.prototype, 'set')).toBe(false)
  })
})
