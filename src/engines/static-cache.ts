import type { Tensor } from 'onnxruntime-common'
import { cacheDims } from './graph/cache-dims.ts'
import type { CacheSlot } from './graph/graph-facts.ts'
import type { DecoderConfig } from './graph/model-config.ts'
import type { OrtRuntime } from './ort.ts'

/** `GPUBufferUsage` of STORAGE, COPY_SRC and COPY_DST: its object isn't a global everywhere WebGPU is. */
const usage = 0x80 | 0x04 | 0x08

/** Room is made for so many tokens at first, and for twice as many whenever it isn't enough. */
const firstTokens = 256

interface Place {
  readonly slot: CacheSlot
  readonly heads: number
  readonly headSize: number
  readonly bytesPerValue: number
}

/**
 * Keys and values in device buffers that are longer than what they hold, read and written in place: a run writes behind the tokens that it continues, and
 * going back to fewer tokens is running with a shorter attention mask. GroupQueryAttention alone does so, when an output's buffer is its
 * input's; without it each run gets new buffers and copies all keys and values.
 */
export class StaticCache {
  readonly #device: GPUDevice
  readonly #tensors: OrtRuntime['api']['Tensor']
  readonly #places: readonly Place[]
  #capacity = 0
  #buffers: GPUBuffer[] = []
  /** Inputs by name, and outputs by name: the same buffers. */
  #inputs: { readonly [input: string]: Tensor } = {}
  #outputs: { readonly [output: string]: Tensor } = {}

  constructor(device: GPUDevice, tensors: OrtRuntime['api']['Tensor'], slots: readonly CacheSlot[], config: DecoderConfig) {
    this.#device = device
    this.#tensors = tensors
    this.#places = slots.map((slot) => {
      const [, heads, , headSize] = cacheDims(slot.past, config)
      return { slot, heads, headSize, bytesPerValue: slot.past.elementType === 'float16' ? 2 : 4 }
    })
  }

  /** Tokens there is room for. */
  get capacity(): number {
    return this.#capacity
  }

  /** What a run over `tokens` tokens in all is fed and writes to; the first `kept` of them are there already and stay. */
  forTokens(
    tokens: number,
    kept: number,
  ): { readonly inputs: { readonly [name: string]: Tensor }; readonly outputs: { readonly [name: string]: Tensor } } {
    if (tokens > this.#capacity) this.#grow(tokens, kept)
    return { inputs: this.#inputs, outputs: this.#outputs }
  }

  /** Frees the buffers. */
  release(): void {
    for (const buffer of this.#buffers.splice(0)) buffer.destroy()
    this.#capacity = 0
  }

  #grow(tokens: number, kept: number): void {
    let capacity = Math.max(firstTokens, this.#capacity)
    while (capacity < tokens) capacity *= 2
    const before = this.#capacity
    const old = this.#buffers
    this.#buffers = this.#places.map(({ heads, headSize, bytesPerValue }) =>
      this.#device.createBuffer({ size: heads * capacity * headSize * bytesPerValue, usage }),
    )
    if (old.length > 0 && kept > 0) this.#copy(old, { from: before, to: capacity, kept })
    for (const buffer of old) buffer.destroy()
    this.#capacity = capacity
    this.#inputs = Object.fromEntries(this.#places.map((place, index) => [place.slot.past.name, this.#tensorOf(place, index)]))
    this.#outputs = Object.fromEntries(this.#places.map((place, index) => [place.slot.present, this.#tensorOf(place, index)]))
  }

  /** Head by head, since a head's tokens stand behind each other. */
  #copy(old: readonly GPUBuffer[], { from, to, kept }: { readonly from: number; readonly to: number; readonly kept: number }): void {
    const encoder = this.#device.createCommandEncoder()
    this.#places.forEach(({ heads, headSize, bytesPerValue }, index) => {
      const [source, target] = [old[index], this.#buffers[index]]
      if (source === undefined || target === undefined) return
      const bytesPerToken = headSize * bytesPerValue
      for (let head = 0; head < heads; head += 1)
        encoder.copyBufferToBuffer(source, head * from * bytesPerToken, target, head * to * bytesPerToken, kept * bytesPerToken)
    })
    this.#device.queue.submit([encoder.finish()])
  }

  #tensorOf({ slot, heads, headSize }: Place, index: number): Tensor {
    const buffer = this.#buffers[index]
    if (buffer === undefined) throw new RangeError(`no buffer ${index}`)
    return this.#tensors.fromGpuBuffer(buffer, {
      dataType: slot.past.elementType === 'float16' ? 'float16' : 'float32',
      dims: [1, heads, this.#capacity, headSize],
    })
  }
}
