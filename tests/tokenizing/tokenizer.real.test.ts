import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Json } from '../../src/base/errors.ts'
import { renderChat, type ChatMessage } from '../../src/tokenizing/chat-template.ts'
import { encodePair } from '../../src/tokenizing/encode.ts'
import { StopSequenceMatcher, textOfGeneration } from '../../src/tokenizing/generation.ts'
import { piecesOf } from '../../src/tokenizing/token-pieces.ts'
import type { Tokenizer } from '../../src/tokenizing/tokenizer.ts'
import { isLong, sampled } from '../support/long.ts'
import { readRealTokenizer, realTokenizers } from '../tokenizers/real-tokenizers.ts'
import {
  differing,
  foundTokenizers,
  openReal,
  readGzipped,
  short,
  type AnswerTrial,
  type PairTrial,
  type RealGolden,
  type Trials,
} from './real-tokenizers.ts'

interface Chats {
  /** Of tokenizers whose packages have none. */
  readonly templates: { readonly [tokenizer: string]: string }
  readonly chats: readonly {
    readonly messages: readonly ChatMessage[]
    /** Whether the assistant's turn is opened; otherwise the last message is continued. */
    readonly opens: boolean
    readonly args: { readonly [name: string]: Json }
  }[]
  readonly expected: {
    readonly [tokenizer: string]: readonly (readonly [text: string, ids: string] | { readonly error: string })[]
  }
}

const { templates, chats, expected } = readGzipped<Chats>('chats.json.gz')
/** When the goldens of the chats were made, by their clock. */
const now = () => new Date(2024, 1, 29, 7, 5, 9)
const texts = readGzipped<readonly string[]>('texts.json.gz')
const { pairs, answers } = readGzipped<Trials>('trials.json.gz')
const argsOf = { default: {}, with: { add_bos_token: true }, without: { add_bos_token: false } }
/**
 * Places of a twentieth of the trials, all in the long form. Each tokenizer takes another twentieth: their order is chance, and six twentieths of
 * the texts are read by one of them.
 */
const placesOf = (trials: readonly unknown[], twentieth: number): readonly number[] => sampled([...trials.keys()], 20, twentieth)
/** Twenty thousand texts take long where many tests run at once. */
const patience = 600_000

test.runIf(foundTokenizers().length === 0)('skipped: `npm run tokenizers` fetches what these tests need', () => undefined)

describe.each(foundTokenizers())('the tokenizer of $name', (real) => {
  const golden = readGzipped<RealGolden>(`${real.name}.json.gz`)
  let tokenizer: Tokenizer
  let encoded: readonly number[][]
  const twentieth = realTokenizers.indexOf(real)
  const places = placesOf(texts, twentieth)

  beforeAll(() => {
    tokenizer = openReal(real)
    encoded = places.map((place) => tokenizer.encode(texts[place] ?? '', { addSpecialTokens: true }))
  }, patience)

  test('is the one that the goldens were made with', () => {
    const { bos, eos, pad, unk, prefixTokenId } = tokenizer
    expect(
      createHash('sha256')
        .update(readRealTokenizer(real)?.tokenizerJson ?? '')
        .digest('hex'),
    ).toBe(golden.sha256)
    const { entries: _, ...facts } = golden.facts
    expect({ bos, eos, pad, unk, prefix_token_id: prefixTokenId }).toEqual(facts)
  })

  test('gives every text the ids that Python gives, with special tokens, without, and by the harness’s rule', { timeout: patience }, () => {
    const found = places.map((place, at) => {
      const text = texts[place] ?? ''
      return short([tokenizer.encode(text, { addSpecialTokens: false }), tokenizer.encode(text), encoded[at] ?? []])
    })
    expect(found).toHaveLength(isLong ? 20_000 : 1000)
    expect(differing(places, found, golden.ids).map((at) => [at, texts[at]])).toEqual([])
  })

  test('decodes them as Python does, special tokens kept and skipped', { timeout: patience }, () => {
    const found = encoded.map((ids) => short([tokenizer.decode(ids), tokenizer.decode(ids, { skipSpecialTokens: true })]))
    expect(differing(places, found, golden.decoded).map((at) => [at, texts[at]])).toEqual([])
  })

  // Opening one with another argument takes seconds: in the short form each tokenizer has one of the two.
  test.each((['default', 'with', 'without'] as const).filter((key, at) => isLong || key === 'default' || at === 1 + (twentieth % 2)))(
    'splits pairs as the harness does, BOS by argument: %s',
    { timeout: patience },
    (key) => {
      const own = key === 'default' ? tokenizer : openReal(real, argsOf[key])
      const chosen = placesOf(pairs, twentieth)
      const found = chosen.map((place) => short(split(own, pairs[place])))
      expect(differing(chosen, found, golden.pairs[key] ?? '').map((at) => [at, ...pairOf(pairs[at])])).toEqual([])
    },
  )

  test('stops where the harness stops in what is written, and takes the same text', { timeout: patience }, () => {
    const watch = new StopSequenceMatcher(tokenizer)
    const chosen = placesOf(answers, twentieth)
    const found = chosen.map((place) => {
      const trial = answers[place] ?? [0, [], []]
      return short(judge(tokenizer, watch, idsOf(tokenizer, golden, trial), trial[2]))
    })
    expect(differing(chosen, found, golden.answers).map((at) => [at, answers[at]])).toEqual([])
  })

  // Here, since opening a tokenizer takes more than all of its conversations.
  test('makes of conversations the texts that transformers writes, and their ids', { timeout: patience }, () => {
    const chatting = { ...tokenizer, chatTemplate: templates[real.name] ?? tokenizer.chatTemplate }
    const found = chats.map(({ messages, opens, args }) => {
      try {
        const text = renderChat(chatting, messages, { addGenerationPrompt: opens, continueFinalMessage: !opens, templateArgs: args, now })
        return [text, short(chatting.encode(text))]
      } catch {
        return 'refused'
      }
    })
    expect(found).toEqual(expected[real.name]?.map((one) => ('error' in one ? 'refused' : one)))
  })

  test('shows tokens one by one whose texts make the whole', { timeout: patience }, () => {
    for (const text of sampled(texts.slice(0, 1000), 20, twentieth)) {
      const ids = tokenizer.encode(text, { addSpecialTokens: false })
      const pieces = piecesOf(ids, tokenizer)
      expect(pieces.flatMap((piece) => piece.ids)).toEqual(ids)
      expect(pieces.map((piece) => piece.text).join('')).toBe(tokenizer.decode(ids, { cleansUp: false }))
    }
  })
})

/** Cut where Python cuts: between characters, not between UTF-16 units. */
function pairOf([at, cut, following]: PairTrial = [0, 0, 0]): readonly [string, string] {
  const characters = Array.from(texts[at] ?? '')
  return [characters.slice(0, cut).join(''), following < 0 ? characters.slice(cut).join('') : (texts[following] ?? '')]
}

function split(tokenizer: Tokenizer, trial: PairTrial | undefined): string {
  try {
    const { context, continuation } = encodePair(tokenizer, ...pairOf(trial))
    return JSON.stringify([context, continuation])
  } catch {
    return 'refused'
  }
}

function idsOf(tokenizer: Tokenizer, { facts }: RealGolden, [at, strange]: AnswerTrial): readonly number[] {
  const ids = tokenizer.encode(texts[at] ?? '', { addSpecialTokens: false }).slice(0, 40)
  for (const [place, id, bound] of strange) ids.splice(place, 0, id % (bound === 0 ? facts.entries + 64 : bound))
  return ids
}

function judge(tokenizer: Tokenizer, watch: StopSequenceMatcher, ids: readonly number[], stops: readonly string[]): string {
  const tokens = Int32Array.from(ids)
  const { stopAfter } = watch.look(tokens, 0, stops)
  const model = { tokenizer, defaults: { values: {}, refused: null }, thinkEnd: null, templateArgs: {} }
  const text = textOfGeneration(model, tokens.slice(0, stopAfter ?? ids.length), stops)
  return JSON.stringify([stopAfter, text, tokenizer.decode(ids)])
}
