/** Settings, stop strings and texts of `generate_until`, by hand and against the harness's own runs of the embedded model. */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { EvalError, type Json } from '../../src/base/errors.ts'
import type { GenerationItem } from '../../src/contracts/items.ts'
import { ModelEngine } from '../../src/engines/engine.ts'
import { writeTexts } from '../../src/evaluation/model/write-text.ts'
import { cutGeneration, generationWarnings, readGenerationKwargs, withEos } from '../../src/harness/requests/generation-settings.ts'
import { decodingOf, readGenerationDefaults } from '../../src/tokenizing/generation-config.ts'
import {
  encodeGeneration,
  readThinking,
  StopSequenceMatcher,
  textOfGeneration,
  type GenerationModel,
} from '../../src/tokenizing/generation.ts'
import { loadTokenizer } from '../../src/tokenizing/tokenizer.ts'
import { embeddedFolder, readEmbedded } from '../engines/embedded.ts'
import { loadNodeOrt } from '../engines/node-runtime.ts'

describe('generation_kwargs', () => {
  it('have defaults, and a single stop string is a list', () => {
    expect(readGenerationKwargs({})).toEqual({ until: [], maxGenToks: 256, doSample: false, temperature: 0, maxLength: null, others: {} })
    expect(readGenerationKwargs({ until: 'x', top_p: 0.9 })).toMatchObject({ until: ['x'], others: { top_p: 0.9 } })
  })

  it('take the length from the first of four names', () => {
    expect(readGenerationKwargs({ max_tokens: 7, max_new_tokens: 9 }).maxGenToks).toBe(9)
    expect(readGenerationKwargs({ max_completion_tokens: 3, max_tokens: 7 }).maxGenToks).toBe(7)
    expect(readGenerationKwargs({ max_gen_toks: '12', max_new_tokens: 9 }).maxGenToks).toBe(12)
  })

  it('sample when the temperature or do_sample says so, and never when do_sample is false', () => {
    expect(readGenerationKwargs({ temperature: 0.7 })).toMatchObject({ doSample: true, temperature: 0.7 })
    expect(readGenerationKwargs({ do_sample: false, temperature: 1 })).toMatchObject({ doSample: false, temperature: 0 })
    expect(readGenerationKwargs({ do_sample: true, temperature: 0.2 })).toMatchObject({ doSample: true, temperature: 0.2 })
    expect(() => readGenerationKwargs({ do_sample: true })).toThrow(/'temperature': wanted a number above 0/)
    expect(() => readGenerationKwargs({ do_sample: true, temperature: 0 })).toThrow(/'temperature'/)
  })

  it('warn of a temperature without sampling and of several lengths', () => {
    expect(generationWarnings({ do_sample: false, temperature: 0, max_gen_toks: 3, until: [] })).toEqual([])
    expect(generationWarnings({ do_sample: false, temperature: 0.7 })[0]).toMatch(/temperature of 0.7 counts as 0/)
    expect(generationWarnings({ max_tokens: 3, max_new_tokens: 4 })[0]).toMatch(
      /max_new_tokens, max_tokens are given; max_new_tokens counts/,
    )
  })

  it.each([{ until: 3 }, { until: [null] }, { max_gen_toks: 'many' }, { do_sample: 'yes' }])('refuse %j', (kwargs) => {
    expect(() => readGenerationKwargs(kwargs as { readonly [key: string]: Json })).toThrow(/generation_kwargs/)
  })
})

describe('what counts of a text', () => {
  it('is cut at the stop strings in list order, not at the first to occur', () => {
    expect(cutGeneration('abXYcd', ['YcZ', 'Yc', 'XY'], null)).toBe('abX')
    expect(cutGeneration('abXYcd', ['XY', 'Yc'], null)).toBe('ab')
    expect(cutGeneration(' a b ', ['', 'zz'], null)).toBe(' a b ')
  })

  it('begins after the last end of thinking, whose stop strings don’t count', () => {
    expect(cutGeneration('a</think>b</think> \n c stop d', ['stop'], '</think>')).toBe('c ')
    expect(cutGeneration('stop a</think>b', ['stop'], '</think>')).toBe('b')
    expect(cutGeneration('  no end', ['stop'], '</think>')).toBe('no end')
  })

  it('has the EOS text as the last stop string', () => {
    expect(withEos(['a'], '</s>')).toEqual(['a', '</s>'])
    expect(withEos(['</s>', 'a'], '</s>')).toEqual(['</s>', 'a'])
    expect(withEos([], null)).toEqual([])
  })
})

describe('generation_config', () => {
  const defaultsOf = (generationConfig: object | null, config: object = {}) =>
    readGenerationDefaults({
      generationConfig: generationConfig === null ? null : JSON.stringify(generationConfig),
      config: JSON.stringify(config),
    })
  const decode = (kwargs: { readonly [key: string]: Json }, generationConfig: object | null, config: object = {}) =>
    decodingOf(readGenerationKwargs(kwargs), defaultsOf(generationConfig, config), 10, 5)

  it('gives end tokens, penalties and lengths that a request doesn’t', () => {
    expect(decode({}, { eos_token_id: [2, 7], repetition_penalty: 1.1, max_new_tokens: 30, top_p: 0.5 })).toMatchObject({
      endTokens: [2, 7],
      repetitionPenalty: 1.1,
      maxNewTokens: 30,
      sampling: null,
    })
    expect(decode({ repetition_penalty: 1.5, eos_token_id: 4 }, { eos_token_id: [2, 7], repetition_penalty: 1.1 })).toMatchObject({
      endTokens: [4],
      repetitionPenalty: 1.5,
      maxNewTokens: 256,
    })
    expect(decode({}, { min_length: 14 }).minNewTokens).toBe(4)
    expect(decode({ min_new_tokens: 2 }, { min_length: 14 }).minNewTokens).toBe(2)
    expect(decode({ max_length: 25 }, {}).maxNewTokens).toBe(15)
  })

  it('is read from config.json where the file is missing, and only there', () => {
    const config = { eos_token_id: 9, text_config: { eos_token_id: 8, repetition_penalty: 2 } }
    expect(decode({}, null, config)).toMatchObject({ endTokens: [9], repetitionPenalty: 2 })
    expect(decode({}, { bos_token_id: 1 }, config)).toMatchObject({ endTokens: [], repetitionPenalty: 1 })
  })

  it('decides sampling with transformers’ default of 50 tokens', () => {
    expect(decode({ temperature: 0.6 }, { top_p: 0.9, temperature: 0.1, do_sample: true }).sampling).toEqual({
      temperature: 0.6,
      topK: 50,
      topP: 0.9,
      minP: null,
      typicalP: 1,
      seed: 5,
    })
    expect(decode({ temperature: 1, top_k: 0, min_p: 0.1 }, {}).sampling).toMatchObject({ topK: 0, minP: 0.1 })
    expect(decode({}, { do_sample: true, temperature: 0.6 }).sampling).toBeNull()
  })

  it('drops bad words that are end tokens alone', () => {
    expect(decode({ bad_words_ids: [[2], [3, 2], [4]] }, { eos_token_id: 2 }).badWords).toEqual([[3, 2], [4]])
  })

  it('is refused by name where it asks for what isn’t here', () => {
    const code = (run: () => unknown) => {
      try {
        run()
        return null
      } catch (error) {
        return error instanceof EvalError ? `${error.code}: ${error.message}` : String(error)
      }
    }
    expect(code(() => decode({ num_beams: 4 }, {}))).toMatch(/^task\/unsupported: .*'num_beams' is 4/)
    expect(code(() => decode({ num_beams: 1 }, {}))).toBeNull()
    expect(code(() => decode({ max_gen_tokens: 4 }, {}))).toMatch(/^task\/invalid: .*'max_gen_tokens'/)
    expect(code(() => decode({}, { num_beams: 4 }))).toMatch(/^model\/unsupported: .*num_beams 4/)
    expect(code(() => decode({ num_beams: 1 }, { num_beams: 4 }))).toBeNull()
    expect(code(() => defaultsOf({}, {}))).toBeNull()
  })
})

describe('the model arguments about thinking', () => {
  it('give the end of thinking as text or token, and names for the chat template', () => {
    expect(readThinking({})).toEqual({ thinkEnd: null, templateArgs: {} })
    expect(readThinking({ think_end_token: '</think>', enable_thinking: true })).toEqual({
      thinkEnd: '</think>',
      templateArgs: { enable_thinking: true },
    })
    expect(readThinking({ think_end_token: 200, enable_thinking: false, chat_template_args: { a: 1, enable_thinking: true } })).toEqual({
      thinkEnd: 200,
      templateArgs: { a: 1, enable_thinking: false },
    })
    expect(() => readThinking({ enable_thinking: true })).toThrow(/think_end_token/)
    expect(() => readThinking({ chat_template_args: 'a=1' })).toThrow(/wanted a mapping/)
  })
})

const folder = embeddedFolder('pico')

function embeddedModel(modelArgs: { readonly [key: string]: Json } = {}): GenerationModel {
  const read = (name: string) => readFileSync(join(folder ?? '', name), 'utf8')
  const files = {
    tokenizerJson: read('tokenizer.json'),
    tokenizerConfig: read('tokenizer_config.json'),
    specialTokensMap: null,
    chatTemplate: null,
    generationConfig: read('generation_config.json'),
    config: read('config.json'),
  }
  return { tokenizer: loadTokenizer(files, modelArgs), defaults: readGenerationDefaults(files), ...readThinking(modelArgs) }
}

describe.skipIf(folder === null)('with the embedded model’s tokenizer', () => {
  it('cuts the context from the left to leave room, and puts no second BOS before one', () => {
    const model = embeddedModel()
    const long = Array.from({ length: 300 }, (_, i) => `word${i}`).join(' ')
    const whole = model.tokenizer.encode(long)
    const { item, cutTokens } = encodeGeneration(model, long, { max_gen_toks: 100, until: ['\n'] }, 0)
    const { input, decoding, stops } = item
    expect(cutTokens).toBe(whole.length - 412)
    expect(whole.length).toBeGreaterThan(412)
    expect([...input]).toEqual(whole.slice(-412))
    expect([decoding.maxNewTokens, stops]).toEqual([100, ['\n', '</s>']])
    const start = (text: string, args: { readonly [key: string]: Json } = {}) =>
      encodeGeneration(embeddedModel(args), text, {}, 0).item.input[0]
    expect([start('a'), start('<s>a'), start('a', { add_bos_token: false }) === 0]).toEqual([0, 0, false])
    expect([...encodeGeneration(model, '<s>a', {}, 0).item.input].filter((token) => token === 0)).toHaveLength(1)
    expect(() => encodeGeneration(model, 'a', { max_gen_toks: 512 }, 0)).toThrow(/max_gen_toks below the model's window of 512/)
  })

  it('finds a stop string across token borders, at the first token after which it is there', () => {
    const { tokenizer } = embeddedModel()
    const ids = tokenizer.encode('Question: How many eggs?\nAnswer: 3 * 7 = 21', { addSpecialTokens: false })
    const watch = new StopSequenceMatcher(tokenizer)
    for (const stop of ['many eggs', '\nAns', ': 3 *', '1', 'Q', 'nothing']) {
      const counts = ids.map((_, at) => at + 1)
      const wanted = counts.find((count) => tokenizer.decode(ids.slice(0, count)).includes(stop)) ?? null
      expect([stop, watch.look(Int32Array.from(ids), 0, ['zz', stop]).stopAfter]).toEqual([stop, wanted])
      // However it comes in parts.
      let found: number | null = null
      for (let seen = 0; seen < ids.length && found === null; seen += 3)
        found = watch.look(Int32Array.from(ids.slice(0, seen + 3)), seen, ['zz', stop]).stopAfter
      expect([stop, found]).toEqual([stop, wanted])
    }
    expect(watch.look(Int32Array.of(...ids, 1), 0, ['</s>']).stopAfter).toBe(ids.length + 1)
    expect(watch.look(Int32Array.from(ids), 0, ['']).stopAfter).toBe(1)
  })

  it('leaves special tokens out of the text, and what comes before a thinking token', () => {
    const encode = (text: string) => Int32Array.from(embeddedModel().tokenizer.encode(text, { addSpecialTokens: false }))
    expect(textOfGeneration(embeddedModel(), encode(' 21</s>'), ['</s>'])).toBe(' 21')
    expect(textOfGeneration(embeddedModel({ think_end_token: '1' }), encode('thought</s> more</s> answer. End'), ['.'])).toBe('answer')
    expect(textOfGeneration(embeddedModel({ think_end_token: 'ought' }), encode('thought  answer. End'), ['.'])).toBe('answer')
  })
})

const goldens = 'tests/goldens/embedded'
const runs = existsSync(goldens) ? readdirSync(goldens).filter((name) => name.startsWith('wordproblems')) : []

interface GoldenRow {
  readonly filter: string
  readonly arguments: { readonly gen_args_0: { readonly arg_0: string; readonly arg_1: { readonly [key: string]: Json } } }
  readonly resps: readonly (readonly string[])[]
}

describe.skipIf(folder === null)('the harness’s own texts of the embedded model', () => {
  it.each(['pico', 'pico-gqa'].flatMap((model) => runs.map((run) => [model, run] as const)))(
    '%s %s',
    async (name, run) => {
      const rows = gunzipSync(readFileSync(join(goldens, run, 'samples_yardstick_wordproblems.jsonl.gz')))
        .toString('utf8')
        .split('\n')
        .filter((line) => line !== '')
        // Written by our own script with the harness.
        .map((line) => JSON.parse(line) as GoldenRow)
        .filter(({ filter }) => filter === 'strict-match')
        .slice(0, 6)
      const engine = new ModelEngine({ loadOrt: loadNodeOrt, gpu: undefined })
      await engine.open(readEmbedded(embeddedFolder(name) ?? '', 'fp32'), {
        device: 'wasm',
        dtype: 'fp32',
        scoring: 'reference',
        threads: 1,
      })
      const model = embeddedModel()
      const watch = new StopSequenceMatcher(model.tokenizer)
      const steps = {
        begin: (items: readonly GenerationItem[], written: readonly Int32Array[]) => engine.beginGeneration(items, [], written),
        next: engine.continueGeneration.bind(engine),
        end: engine.endGeneration.bind(engine),
      }
      expect(rows.length).toBeGreaterThan(2)
      for (const { arguments: given, resps } of rows) {
        const { item } = encodeGeneration(model, given.gen_args_0.arg_0, given.gen_args_0.arg_1, 0)
        const [written] = await writeTexts(
          [item],
          { begin: () => undefined, look: async (_, all, seen) => watch.look(all, seen, item.stops).stopAfter },
          steps,
        )
        expect(textOfGeneration(model, written?.tokens ?? new Int32Array(), item.stops)).toBe(resps[0]?.[0])
      }
      await engine.close()
    },
    60_000,
  )
})
