/**
 * Small models with the tokenizers of Gemma 3, Qwen 3 and Llama 3.1 against the harness: a few docs of each here, all of them by
 * `npm run parity -- --goldens ../shared/goldens/real-tokenizers`. Both goldens and models lie outside; skipped where they are absent.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { projectFolder } from '../../src/cli/browser/build.ts'
import { ModelEngine } from '../../src/engines/engine.ts'
import { encodeLoglikelihood } from '../../src/tokenizing/encode.ts'
import { loadTokenizer } from '../../src/tokenizing/tokenizer.ts'
import { asRecord, parseSampleLines } from '../parity/goldens.ts'
import { readEmbedded } from './embedded.ts'
import { loadNodeOrt } from './node-runtime.ts'

const goldens = join(projectFolder, '../shared/goldens/real-tokenizers')
const models = process.env['YARDSTICK_MODELS'] ?? ''
const names = ['gemma3', 'qwen3', 'llama3_1']
const docs = 2
const nats = 1e-3

const reason = !existsSync(goldens)
  ? `there is no folder ${goldens}`
  : models === ''
    ? 'YARDSTICK_MODELS names no folder of models'
    : (names.map((name) => join(models, 'real', name)).find((folder) => !existsSync(folder)) ?? null)
if (reason !== null)
  process.stderr.write(`Skipped: real vocabularies against the harness, as ${reason}${reason.startsWith('/') ? ' is absent' : ''}.\n`)

interface Asked {
  readonly context: string
  readonly continuation: string
  readonly logprob: number
}

/** The requests of a run's first docs and the harness's log-likelihoods. */
function readAsked(name: string, run: string): readonly Asked[] {
  const rows = parseSampleLines(readFileSync(join(goldens, name, run, 'samples.jsonl'), 'utf8')).slice(0, docs)
  return rows.flatMap((row) => {
    const responses = Array.isArray(row['resps']) ? row['resps'] : []
    return Object.values(asRecord(row['arguments'])).map((request, place) => {
      const { arg_0: context, arg_1: continuation } = asRecord(request)
      // The harness wrote `[[logprob, is greedy]]` of each request.
      const [first] = responses[place] as readonly (readonly string[])[]
      return { context: String(context), continuation: String(continuation), logprob: Number(first?.[0]) }
    })
  })
}

describe.skipIf(reason !== null)('a model with the tokenizer of', () => {
  const ways = [
    ['reference', 'ONNX'],
    ['fast', 'ONNX'],
    ['fast', 'safetensors'],
  ] as const
  const cases = names.flatMap((name) => ways.map((way) => [name, ...way] as const))

  it.each(cases)('%s has the harness’s log-likelihoods on the %s path, from %s', { timeout: 300_000 }, async (name, scoring, form) => {
    const folder = join(models, 'real', name)
    const read = (file: string): string => readFileSync(join(folder, file), 'utf8')
    const tokenizer = loadTokenizer({
      ...{ tokenizerJson: read('tokenizer.json'), tokenizerConfig: read('tokenizer_config.json'), config: read('config.json') },
      ...{ specialTokensMap: null, chatTemplate: null, generationConfig: null },
    })
    const engine = new ModelEngine({ loadOrt: loadNodeOrt, gpu: undefined })
    const model =
      form === 'ONNX'
        ? readEmbedded(folder, 'fp32')
        : {
            checkpoint: [{ path: 'model.safetensors', bytes: readFileSync(join(folder, 'model.safetensors')) }],
            config: read('config.json'),
          }
    await engine.open(model, { device: 'wasm', dtype: 'fp32', scoring, threads: 1 })
    const asked = ['arc_easy', 'afrixnli_swa', 'lambada_openai'].flatMap((run) => readAsked(name, run))
    const items = asked.map(({ context, continuation }) => {
      const { input, target } = encodeLoglikelihood(tokenizer, context, continuation)
      return { input, targets: [target] }
    })
    const found = (await engine.score(items)).map(({ answers: [answer] }) => answer?.logprob ?? NaN)
    await engine.close()
    expect(asked.length).toBeGreaterThan(docs * 3)
    for (const [place, { logprob }] of asked.entries()) expect(Math.abs((found[place] ?? NaN) - logprob)).toBeLessThan(nats)
  })
})
