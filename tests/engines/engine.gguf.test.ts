/** GGUF files, opened as the page opens them, against transformers' scores of the same values. */
import { describe, expect, it } from 'vitest'
import { ModelEngine } from '../../src/engines/engine.ts'
import { sampled } from '../support/long.ts'
import { editGguf, putGgufTogether, takeGgufApart, type EditedGguf } from '../support/gguf-edit.ts'
import { ggufSequences, readTinyGguf, tinyGgufs } from './gguf-models.ts'
import { loadNodeOrt } from './node-runtime.ts'

const items = ggufSequences.map((tokens) => ({ input: tokens.slice(0, -1), targets: [tokens.slice(1)] }))

async function open(
  files: Readonly<Record<string, Uint8Array>>,
  { scoring = 'fast', dtype = 'as stored' }: { scoring?: 'fast' | 'reference'; dtype?: string } = {},
) {
  const engine = new ModelEngine({ loadOrt: loadNodeOrt, gpu: undefined })
  const gguf = Object.entries(files).map(([path, bytes]) => ({ path, bytes }))
  const facts = await engine.open({ gguf }, { device: 'wasm', dtype, scoring, threads: 1 })
  return { engine, facts }
}

async function scoresOf(engine: ModelEngine): Promise<readonly Float32Array[]> {
  return (await engine.score(items)).map(({ tokenLogprobs }) => tokenLogprobs[0] ?? new Float32Array(0))
}

/** Of a token's log-probability, in nats. */
function largestDifference(found: readonly Float32Array[], wanted: readonly Float32Array[]): number {
  return Math.max(...wanted.flatMap((values, place) => [...values].map((value, token) => Math.abs(value - (found[place]?.[token] ?? NaN)))))
}

const names = tinyGgufs.map(({ name }) => name)

describe.each(tinyGgufs)('$name in a GGUF file, scored by $scoredBy', ({ name, logprobs }) => {
  const convolves = name === 'lfm2'

  it.each(['fast', 'reference'] as const)('scores as transformers does, as it is stored, by the %s path', async (scoring) => {
    const { engine, facts } = await open({ [`${name}.gguf`]: readTinyGguf(name) }, { scoring })
    expect(facts).toMatchObject({
      scoring: convolves ? 'reference' : scoring,
      device: 'wasm',
      dtype: 'as stored',
      isDynamicallyQuantised: false,
    })
    expect(largestDifference(await scoresOf(engine), logprobs)).toBeLessThan(1e-4)
    await engine.close()
  })

  // What is unpacked to float16 was in float32 before: in the short form every third is.
  const dtypes = sampled(names, 3).includes(name) ? (['fp32', 'fp16'] as const) : (['fp32'] as const)
  it.each(dtypes)('scores the same or nearly so, unpacked to %s', async (dtype) => {
    const { engine } = await open({ [`${name}.gguf`]: readTinyGguf(name) }, { dtype })
    expect(largestDifference(await scoresOf(engine), logprobs)).toBeLessThan(dtype === 'fp32' ? 1e-4 : 0.1)
    await engine.close()
  })
})

/** The tensors of one, in two files as llama.cpp's gguf-split makes them. */
async function inTwo(name: string): Promise<Record<string, Uint8Array>> {
  const { metadata, tensors } = await takeGgufApart(readTinyGguf(name))
  const place = (no: number): [string, number][] => [
    ['split.no', no],
    ['split.count', 2],
    ['split.tensors.count', tensors.length],
  ]
  const half = Math.ceil(tensors.length / 2)
  return {
    'm-00001-of-00002.gguf': putGgufTogether({ metadata: new Map([...metadata, ...place(0)]), tensors: tensors.slice(0, half) }),
    'm-00002-of-00002.gguf': putGgufTogether({ metadata: new Map(place(1)), tensors: tensors.slice(half) }),
  }
}

describe('a GGUF model', () => {
  const [{ logprobs } = { logprobs: [] }] = tinyGgufs
  const refusal = (code: string, named: string) => ({ code, message: expect.stringContaining(named) as unknown })

  it('is the same in two parts, and refused by the name of one that is missing', async () => {
    const parts = await inTwo('llama')
    const { engine } = await open(parts)
    expect(largestDifference(await scoresOf(engine), logprobs)).toBeLessThan(1e-4)
    await engine.close()
    const [[first, bytes] = ['', new Uint8Array(0)]] = Object.entries(parts)
    await expect(open({ [first]: bytes })).rejects.toMatchObject(refusal('model/corrupt', 'm-00002-of-00002.gguf'))
  })

  it('is the same with queries, keys and values in one tensor', async () => {
    const file = await editGguf(readTinyGguf('llama'), (made) => {
      for (const layer of [0, 1]) {
        const parts = ['q', 'k', 'v'].map((one) => made.tensors.find(({ name }) => name === `blk.${layer}.attn_${one}.weight`))
        const bytes = Uint8Array.from(parts.flatMap((one) => [...(one?.bytes ?? [])]))
        made.tensors = made.tensors.filter((one) => !parts.includes(one))
        made.tensors.push({ name: `blk.${layer}.attn_qkv.weight`, dtype: 'F32', shape: [64, 32], bytes })
      }
    })
    const { engine } = await open({ 'model.gguf': file })
    expect(largestDifference(await scoresOf(engine), logprobs)).toBeLessThan(1e-4)
    await engine.close()
  })

  it.each([
    [
      'without a tensor',
      (made: EditedGguf): void => void (made.tensors = made.tensors.filter(({ name }) => name !== 'blk.1.ffn_down.weight')),
      'model/corrupt',
      'blk.1.ffn_down.weight',
    ],
    [
      'with one that nothing reads',
      (made: EditedGguf): void => void made.tensors.push({ name: 'cls.output.weight', dtype: 'F32', shape: [2], bytes: new Uint8Array(8) }),
      'model/unsupported',
      'cls.output.weight',
    ],
    [
      'with one of another shape',
      (made: EditedGguf): void => void made.metadata.set('llama.feed_forward_length', 65),
      'model/corrupt',
      'blk.0.ffn_',
    ],
    ['that says it has more layers', (made: EditedGguf): void => void made.metadata.set('llama.block_count', 3), 'model/corrupt', 'blk.2.'],
    [
      'with fewer layers than it has',
      (made: EditedGguf): void => void made.metadata.set('llama.block_count', 1),
      'model/unsupported',
      'blk.1.',
    ],
    [
      'with integers as a weight',
      (made: EditedGguf): void =>
        void (made.tensors = made.tensors.map((one) => (one.name === 'output_norm.weight' ? { ...one, dtype: 'I32' } : one))),
      'model/unsupported',
      'I32',
    ],
    [
      'with factors for another size of heads',
      (made: EditedGguf): void =>
        void made.tensors.push({
          name: 'rope_freqs.weight',
          dtype: 'F32',
          shape: [3],
          bytes: new Uint8Array(Float32Array.of(1, 2, 3).buffer),
        }),
      'model/corrupt',
      'rope_freqs.weight',
    ],
    [
      'with factors of zero',
      (made: EditedGguf): void =>
        void made.tensors.push({ name: 'rope_freqs.weight', dtype: 'F32', shape: [4], bytes: new Uint8Array(16) }),
      'model/corrupt',
      'rope_freqs.weight',
    ],
  ] as const)('%s is refused by its name', async (_what, change, code, named) => {
    await expect(open({ 'model.gguf': await editGguf(readTinyGguf('llama'), change) })).rejects.toMatchObject(refusal(code, named))
  })

  it('that is cut off is refused before anything is unpacked', async () => {
    const file = readTinyGguf('llama')
    await expect(open({ 'model.gguf': file.slice(0, -1000) })).rejects.toMatchObject(refusal('model/corrupt', 'model.gguf'))
    await expect(open({ 'model.gguf': file.slice(0, 100) })).rejects.toMatchObject(refusal('model/corrupt', 'model.gguf'))
  })
})
