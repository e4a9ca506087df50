import { describe, expect, test } from 'vitest'
import { preTokenizers } from '../../../src/conversion/gguf-tokenizer/pre-tokenizers.ts'
import { differing, readGzipped, short } from '../../tokenizing/real-tokenizers.ts'
import { openMetadata, readGolden, readMadeGguf } from './made-gguf.ts'

const golden = readGolden()
const texts = readGzipped<readonly string[]>('texts.json.gz').filter((_, at) => at % golden.every === 0)
const places = [...texts.keys()]
const idsOf = (tokenizer: ReturnType<typeof openMetadata>, addSpecialTokens: boolean) =>
  texts.map((text) => short(tokenizer.encode(text, { addSpecialTokens })))

/** SentencePiece finds no control token in a text, and takes ▁ for a blank when it undoes a text; Hugging Face's tokenizers do what is done here. */
const plainPlaces = places.filter((at) => !/▁|<s>|<\/s>|<unk>/.test(texts[at] ?? ''))
const plainIds = (ids: readonly string[]) => plainPlaces.map((at) => ids[at] ?? '')

describe('vocabularies with scores give the ids that SentencePiece gives', () => {
  test.each(['prefixed', 'plain'] as const)('%s', async (name) => {
    const tokenizer = openMetadata(await readMadeGguf(name))
    expect(plainPlaces.length).toBeGreaterThan(450)
    expect(differing(plainPlaces, plainIds(idsOf(tokenizer, false)), golden[name]).map((at) => texts[at])).toEqual([])
    // Texts that come back whole, blanks in front and runs of them among them.
    for (const text of plainPlaces.map((at) => texts[at] ?? ''))
      expect(tokenizer.decode(tokenizer.encode(text, { addSpecialTokens: false }))).toBe(text)
  })

  test('merged, as Gemma 4’s', async () => {
    const tokenizer = openMetadata(await readMadeGguf('merged'))
    expect(differing(plainPlaces, plainIds(idsOf(tokenizer, false)), golden.plain).map((at) => texts[at])).toEqual([])
  })
})

describe('byte-level pieces are cut as the Rust library cuts them', () => {
  test('of every name', () => {
    expect(Object.keys(golden.pre)).toEqual([...preTokenizers.keys()])
  })

  test.each(Object.keys(golden.pre))('%s', async (name) => {
    const metadata = await readMadeGguf('byte-level')
    const tokenizer = openMetadata(new Map([...metadata, ['tokenizer.ggml.pre', name]]))
    expect(differing(places, idsOf(tokenizer, true), golden.pre[name] ?? '').map((at) => texts[at])).toEqual([])
  })
})
