/** Headers of safetensors files, and indices of several. */
import { readSafetensors } from '../../../src/weights/safetensors/header.ts'
import { joinIndexedParts, readIndex } from '../../../src/weights/safetensors/index-file.ts'
import { sourceOfBytes } from '../../support/byte-source.ts'
import { jsonTokens, mutate } from '../mutations.ts'
import type { Random } from '../random.ts'
import type { FuzzTarget } from '../target.ts'
import { readWeight } from './read-weight.ts'

interface Input {
  readonly kind: 'file' | 'index'
  readonly bytes: Uint8Array
  /** As it was written, without damage. */
  readonly isIntact: boolean
}

const tokens: readonly [string, ...string[]] = [
  ...jsonTokens,
  ...[
    '"dtype"',
    '"shape"',
    '"data_offsets"',
    '"__metadata__"',
    '"weight_map"',
    '"F32"',
    '"BF16"',
    '"F4"',
    '[]',
    '[0,4]',
    '-1',
    '-0',
    '1e2',
  ],
  ...['9007199254740993', '18446744073709551615', '0.5', '"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},', '"../x.safetensors"'],
]
type Dtype = readonly [name: string, bits: number]
const dtypes: readonly [Dtype, ...Dtype[]] = [
  ['F32', 32],
  ['F16', 16],
  ['BF16', 16],
  ['I64', 64],
  ['U8', 8],
  ['F4', 4],
  ['F8_E4M3', 8],
]
const names = ['a', 'b', 'model.embed_tokens.weight', 'é', '__proto__', 'x'.repeat(80)] as const

function header(random: Random): { readonly text: string; readonly dataBytes: number } {
  const parts: string[] = random.chance(50) ? ['"__metadata__":{"format":"pt"}'] : []
  let at = 0
  for (const name of names.slice(0, random.below(names.length + 1))) {
    const [dtype, bits] = random.pick(dtypes)
    const shape = Array.from({ length: random.below(4) }, () => 2 * random.below(4))
    const bytes = (shape.reduce((product, size) => product * size, 1) * bits) / 8
    // A single value of F4 is half a byte.
    if (!Number.isInteger(bytes)) continue
    parts.push(`${JSON.stringify(name)}:{"dtype":"${dtype}","shape":[${shape.join(', ')}],"data_offsets":[${at},${at + bytes}]}`)
    at += bytes
  }
  return { text: `{${parts.join(',')}}${random.chance(30) ? '   ' : ''}`, dataBytes: at }
}

function fileOf(text: Uint8Array, dataBytes: number): Uint8Array {
  const bytes = new Uint8Array(8 + text.length + dataBytes)
  new DataView(bytes.buffer).setUint32(0, text.length, true)
  bytes.set(text, 8)
  return bytes
}

function index(random: Random): string {
  const map = names
    .slice(0, 1 + random.below(5))
    .map((name) => `${JSON.stringify(name)}: "model-0000${1 + random.below(2)}-of-00002.safetensors"`)
  return `{"metadata": {"total_size": 123.0}, "weight_map": {${map.join(', ')}}}`
}

function make(random: Random): Input {
  const isIntact = random.chance(10)
  const utf8 = (text: string) => new TextEncoder().encode(text)
  if (random.chance(25)) {
    const bytes = utf8(index(random))
    return { kind: 'index', isIntact, bytes: isIntact ? bytes : mutate(random, bytes, tokens, utf8(index(random))) }
  }
  const { text, dataBytes } = header(random)
  const bytes = fileOf(utf8(text), dataBytes)
  if (isIntact) return { kind: 'file', isIntact, bytes }
  const other = utf8(header(random).text)
  switch (random.below(5)) {
    case 0:
      return { kind: 'file', isIntact, bytes: mutate(random, bytes, tokens, other) }
    case 1: {
      // A length of any size.
      const changed = bytes.slice()
      changed[random.below(8)] = random.pick([0, 1, 0x7f, 0x80, 0xff])
      return { kind: 'file', isIntact, bytes: changed }
    }
    default:
      // Damage within the JSON alone, whose length is right.
      return { kind: 'file', isIntact, bytes: fileOf(mutate(random, utf8(text), tokens, other), dataBytes) }
  }
}

export const safetensorsTarget: FuzzTarget<Input> = {
  make(random) {
    const data = make(random)
    return { data, name: data.kind === 'file' ? 'model.safetensors' : 'model.safetensors.index.json', bytes: data.bytes }
  },
  async run({ kind, bytes, isIntact }) {
    try {
      return kind === 'file' ? await runFile(bytes) : await runIndex(bytes)
    } catch (error) {
      if (isIntact) return `refused what is intact: ${String(error)}`
      throw error
    }
  },
}

async function runFile(bytes: Uint8Array): Promise<string | null> {
  const { tensors } = await readSafetensors(sourceOfBytes('model.safetensors', bytes))
  let covered = 0
  for (const entry of tensors.values()) {
    const { start, end, shape } = entry
    if (!(start >= 8 && start <= end && end <= bytes.length)) return `a tensor in bytes ${start} to ${end} of ${bytes.length}`
    if (!shape.every((size) => Number.isSafeInteger(size) && size >= 0)) return `a shape of ${shape.join(', ')}`
    await readWeight(entry)
    covered += end - start
  }
  return covered + 8 > bytes.length ? 'tensors that overlap' : null
}

async function runIndex(bytes: Uint8Array): Promise<string | null> {
  const found = readIndex(new TextDecoder().decode(bytes), 'model.safetensors.index.json')
  const part = await readSafetensors(sourceOfBytes('part', fileOf(new TextEncoder().encode('{}'), 0)))
  if (found.fileByTensor.size === 0) return null
  try {
    joinIndexedParts(found, new Map(found.files.map((file) => [file, part])))
  } catch {
    // None of its tensors is there.
    return found.files.some((file) => file.includes('/')) ? `a file elsewhere: ${found.files.join(', ')}` : null
  }
  return 'tensors out of parts that have none'
}
