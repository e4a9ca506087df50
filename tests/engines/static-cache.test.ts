import { Tensor } from 'onnxruntime-common'
import { describe, expect, test } from 'vitest'
import type { CacheSlot } from '../../src/engines/graph/graph-facts.ts'
import type { DecoderConfig } from '../../src/engines/graph/model-config.ts'
import { StaticCache } from '../../src/engines/static-cache.ts'

interface Copy {
  readonly from: number
  readonly to: number
  readonly bytes: number
}

/** A device that counts buffers and writes down copies. */
function countingDevice() {
  const sizes: number[] = []
  const copies: Copy[] = []
  let alive = 0
  const device = {
    createBuffer: ({ size }: { readonly size: number }) => {
      sizes.push(size)
      alive += 1
      return { size, destroy: () => (alive -= 1) }
    },
    createCommandEncoder: () => ({
      copyBufferToBuffer: (_source: unknown, from: number, _target: unknown, to: number, bytes: number) => copies.push({ from, to, bytes }),
      finish: () => null,
    }),
    queue: { submit: () => undefined },
  }
  // Only what a cache uses.
  return { device: device as unknown as GPUDevice, sizes, copies, alive: () => alive }
}

const slots: readonly CacheSlot[] = ['key', 'value'].map((kind) => ({
  past: { name: `past.0.${kind}`, elementType: 'float32', dims: ['batch', 2, 'tokens', 8] },
  present: `present.0.${kind}`,
}))

const config = { keyValueHeads: 2, headSize: 8 } as DecoderConfig

describe('a cache that is written in place', () => {
  test('is as many buffers as there are keys and values, read and written alike', () => {
    const { device, sizes, alive } = countingDevice()
    const cache = new StaticCache(device, Tensor, slots, config)
    expect(alive()).toBe(0)
    const { inputs, outputs } = cache.forTokens(10, 0)
    expect(sizes).toEqual([2 * 256 * 8 * 4, 2 * 256 * 8 * 4])
    expect(Object.keys(inputs)).toEqual(['past.0.key', 'past.0.value'])
    expect(Object.keys(outputs)).toEqual(['present.0.key', 'present.0.value'])
    expect(inputs['past.0.key']?.dims).toEqual([1, 2, 256, 8])
    expect(inputs['past.0.key']?.gpuBuffer).toBe(outputs['present.0.key']?.gpuBuffer)
    // Shorter, longer, and to the last place: nothing new.
    cache.forTokens(3, 0)
    cache.forTokens(256, 10)
    expect(sizes).toHaveLength(2)
  })

  test('grows to twice its room, keeps what is there head by head, and frees all in the end', () => {
    const { device, sizes, copies, alive } = countingDevice()
    const cache = new StaticCache(device, Tensor, slots, config)
    cache.forTokens(200, 0)
    cache.forTokens(600, 200)
    expect(cache.capacity).toBe(1024)
    expect(sizes.slice(2)).toEqual([2 * 1024 * 8 * 4, 2 * 1024 * 8 * 4])
    const head = [
      { from: 0, to: 0, bytes: 200 * 32 },
      { from: 256 * 32, to: 1024 * 32, bytes: 200 * 32 },
    ]
    expect(copies).toEqual([...head, ...head])
    expect(alive()).toBe(2)
    cache.release()
    expect(alive()).toBe(0)
  })
})
