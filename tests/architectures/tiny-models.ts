/** Tiny models of all architectures, their weights made of their names, and what transformers makes of them (tests/make-goldens/make_architecture_goldens.py). */
import { readFileSync } from 'node:fs'

interface TinyModel {
  readonly name: string
  /** A config.json as transformers writes it. */
  readonly config: { readonly [key: string]: unknown }
  /** Of each sequence, the log-probability of each token but the first. */
  readonly logprobs: readonly Float32Array[]
  readonly tensors: Checkpoint
}

/** What a checkpoint holds. */
export interface Checkpoint {
  readonly names: readonly string[]
  read(tensor: string): { readonly shape: readonly number[]; readonly values: Float32Array }
}

// Our own script wrote the file; a missing key shows as a failing test.
const { sequences, models } = JSON.parse(readFileSync('tests/goldens/architectures/models.json', 'utf8')) as {
  sequences: readonly (readonly number[])[]
  models: readonly {
    name: string
    config: TinyModel['config']
    tensors: readonly (readonly [string, readonly number[], number, number])[]
    logprobs: string
  }[]
}

/** Each with a token at its end that is only scored. */
export const tinySequences: readonly Int32Array[] = sequences.map((tokens) => Int32Array.from(tokens))

export const tinyModels: readonly TinyModel[] = models.map(({ name, config, tensors, logprobs }) => {
  const all = new Float32Array(Uint8Array.from(Buffer.from(logprobs, 'base64')).buffer)
  const made = new Map<string, { readonly shape: readonly number[]; readonly values: Float32Array }>()
  let start = 0
  return {
    name,
    config,
    logprobs: sequences.map(({ length }) => all.slice(start, (start += length - 1))),
    tensors: {
      names: tensors.map(([tensor]) => tensor),
      // A plan reads a tensor once for each piece of it.
      read: (wanted) => {
        const before = made.get(wanted)
        if (before !== undefined) return before
        const found = tensors.find(([tensor]) => tensor === wanted)
        if (found === undefined) throw new Error(`the checkpoint has no tensor ${wanted}`)
        const [tensor, shape, base, scale] = found
        const read = { shape, values: weightOf(tensor, shape, base, scale) }
        made.set(wanted, read)
        return read
      },
    },
  }
})

export function tinyModel(name: string): TinyModel {
  const found = tinyModels.find((one) => one.name === name)
  if (found === undefined) throw new Error(`no tiny model ${name}`)
  return found
}

/** As weight_of of the script. */
export function weightOf(name: string, shape: readonly number[], base: number, scale: number): Float32Array {
  let seed = 0x811c9dc5
  for (const byte of new TextEncoder().encode(name)) seed = Math.imul(seed ^ byte, 0x01000193)
  const values = new Float32Array(shape.reduce((product, dim) => product * dim, 1))
  for (let place = 0; place < values.length; place += 1) {
    let h = Math.imul(place, 0x9e3779b9) + seed
    h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
    h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
    values[place] = base + scale * (((h ^ (h >>> 16)) >>> 0) / 2 ** 31 - 1)
  }
  return values
}
