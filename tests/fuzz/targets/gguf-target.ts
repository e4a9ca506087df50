/** Headers of GGUF files: small ones of every type of metadata, and vocabularies that reach over several ranges. */
import { isEvalError } from '../../../src/base/errors.ts'
import { readGguf } from '../../../src/weights/gguf/header.ts'
import { joinSplitParts } from '../../../src/weights/gguf/split.ts'
import { tensorTypes } from '../../../src/weights/gguf/types.ts'
import { ggufFile, text, u32, u64, type MadeTensor } from '../../support/gguf-file.ts'
import { gzipTokens, mutate } from '../mutations.ts'
import type { Random } from '../random.ts'
import type { FuzzTarget } from '../target.ts'
import { readWeight } from './read-weight.ts'

interface Input {
  readonly bytes: Uint8Array
  readonly isIntact: boolean
}

const sizes = [1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8] as const
const stringType = 8
const arrayType = 9

function value(random: Random, type: number, depth: number): readonly number[] {
  if (type === stringType) return text(random.pick(['', 'llama', '▁the', 'x'.repeat(200)]))
  if (type === arrayType) {
    const items = depth > 3 ? 4 : random.below(13)
    const count = random.below(5)
    return [...u32(items), ...u64(count), ...Array.from({ length: count }, () => value(random, items, depth + 1)).flat()]
  }
  if (type === 7) return [random.below(2)]
  return Array.from({ length: sizes[type] ?? 0 }, () => random.below(256))
}

/** Beyond one range of 64 KiB. */
function vocabulary(random: Random): readonly number[] {
  const count = 6000 + random.below(12_000)
  return [...u32(arrayType), ...u32(stringType), ...u64(count), ...Array.from({ length: count }, (_, at) => text(`t${at}`)).flat()]
}

function file(random: Random): Uint8Array {
  const metadata: (readonly [string, readonly number[]])[] = []
  for (let at = random.below(6); at > 0; at--) {
    const type = random.below(13)
    metadata.push([`key.${at}`, [...u32(type), ...value(random, type, 0)]])
  }
  if (random.below(150) === 0) metadata.push(['tokenizer.ggml.tokens', vocabulary(random)])
  if (random.chance(20)) metadata.push(['split.count', [...u32(2), 1, 0]])
  const alignment = random.pick([32, 32, 8, 64])
  if (alignment !== 32) metadata.push(['general.alignment', [...u32(4), ...u32(alignment)]])
  const tensors: MadeTensor[] = []
  let offset = 0
  for (let at = random.below(5); at > 0; at--) {
    const types = [...tensorTypes]
    const [type, { values, bytes }] = types[random.below(types.length)] ?? [0, { values: 1, bytes: 4 }]
    const shape = [values * random.below(3), ...Array.from({ length: random.below(3) }, () => random.below(3))]
    tensors.push({ name: `blk.${at}.weight`, sizes: shape, type, offset })
    offset += Math.ceil(((shape.reduce((product, size) => product * size, 1) / values) * bytes) / alignment) * alignment
  }
  return ggufFile({ version: random.pick([2, 3]), metadata, tensors, alignment, dataBytes: offset })
}

function make(random: Random): Input {
  const bytes = file(random)
  if (random.chance(10)) return { bytes, isIntact: true }
  if (random.chance(40)) return { bytes: mutate(random, bytes, gzipTokens, bytes), isIntact: false }
  // Numbers of 32 and 64 bits are everywhere: some become huge, or nearly so.
  const changed = bytes.slice()
  for (let count = 1 + random.below(3); count > 0; count--) {
    const at = random.below(changed.length)
    const huge = random.pick([
      [0xff],
      [0xff, 0xff, 0xff, 0x7f],
      [0, 0, 0, 0, 1],
      [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
      [random.below(16), 0, 0, 0],
    ])
    changed.set(huge.slice(0, changed.length - at), at)
  }
  return { bytes: changed, isIntact: false }
}

export const ggufTarget: FuzzTarget<Input> = {
  make(random) {
    const data = make(random)
    return { data, name: 'model.gguf', bytes: data.bytes }
  },
  async run({ bytes, isIntact }) {
    let readTo = 0
    let isHeader = true
    const source = {
      name: 'model.gguf',
      bytes: bytes.length,
      read: (start: number, end: number) => {
        if (isHeader && start !== readTo) throw new RangeError(`read from ${start} after ${readTo}`)
        readTo = end
        return Promise.resolve(bytes.subarray(start, end))
      },
    }
    try {
      const found = await readGguf(source)
      isHeader = false
      for (const entry of found.tensors.values()) {
        const { start, end, shape } = entry
        if (!(start >= 0 && start <= end && end <= bytes.length)) return `a tensor in bytes ${start} to ${end} of ${bytes.length}`
        if (!shape.every((size) => size >= 0)) return `a shape of ${shape.join(', ')}`
        await readWeight(entry)
      }
      joinSplitParts([found])
      return null
    } catch (error) {
      if (isIntact && isEvalError(error)) return `refused what is intact: ${error.message}`
      throw error
    }
  },
}
