/** Tiny models in GGUF files, and what transformers makes of them (tests/make-goldens/make_gguf_model_goldens.py). */
import { readFileSync } from 'node:fs'

interface TinyGguf {
  readonly name: string
  /** Whether transformers read the file itself, or the model that it was made of. */
  readonly scoredBy: string
  /** Of each sequence, the log-probability of each token but the first. */
  readonly logprobs: readonly Float32Array[]
}

// Our own script wrote the file; a missing key shows as a failing test.
const { sequences, models } = JSON.parse(readFileSync('tests/goldens/gguf/models.json', 'utf8')) as {
  sequences: readonly (readonly number[])[]
  models: readonly { name: string; scoredBy: string; logprobs: string }[]
}

/** Each with a token at its end that is only scored. */
export const ggufSequences: readonly Int32Array[] = sequences.map((tokens) => Int32Array.from(tokens))

export const tinyGgufs: readonly TinyGguf[] = models.map(({ name, scoredBy, logprobs }) => {
  const all = new Float32Array(Uint8Array.from(Buffer.from(logprobs, 'base64')).buffer)
  let start = 0
  return { name, scoredBy, logprobs: sequences.map(({ length }) => all.slice(start, (start += length - 1))) }
})

export function readTinyGguf(name: string): Uint8Array {
  return new Uint8Array(readFileSync(`tests/goldens/gguf/${name}.gguf`))
}
