/** Prints the tokenizer.json of byte-level.gguf with every pre-tokenizer's name, one a line, for `make_gguf_tokenizer_goldens.py`. */
import { preTokenizers } from '../../src/conversion/gguf-tokenizer/pre-tokenizers.ts'
import { tokenizerOfGguf } from '../../src/conversion/gguf-tokenizer/tokenizer-of-gguf.ts'
import { readMadeGguf } from '../conversion/gguf-tokenizer/made-gguf.ts'

async function main(): Promise<void> {
  const metadata = await readMadeGguf('byte-level')
  for (const name of preTokenizers.keys()) {
    const { tokenizerJson } = tokenizerOfGguf(new Map([...metadata, ['tokenizer.ggml.pre', name]]))
    process.stdout.write(`${JSON.stringify([name, tokenizerJson])}\n`)
  }
}

await main()
