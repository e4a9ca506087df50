/** Checkpoints without a graph, opened as the page opens them, against transformers' scores of the same weights. */
import { describe, expect, it } from 'vitest'
import { writeDecoderGraph } from '../../src/architectures/graph/decoder-graph.ts'
import { readArchitecture } from '../../src/architectures/registry.ts'
import { ModelEngine } from '../../src/engines/engine.ts'
import { packHalves } from '../../src/weights/convert/half.ts'
import { tinyModel, tinyModels, tinySequences } from '../architectures/tiny-models.ts'
import { randomOf } from '../fuzz/random.ts'
import { isLong } from '../support/long.ts'
import { floatsTensor, safetensorsFile, type MadeTensor } from '../support/safetensors-file.ts'
import { loadNodeOrt } from './node-runtime.ts'

const items = tinySequences.map((tokens) => ({ input: tokens.slice(0, -1), targets: [tokens.slice(1)] }))

type Files = readonly { readonly path: string; readonly bytes: Uint8Array }[]

function tensorsOf(name: string): MadeTensor[] {
  const { tensors } = tinyModel(name)
  return tensors.names.map((tensor) => {
    const { shape, values } = tensors.read(tensor)
    return floatsTensor(tensor, shape, values)
  })
}

const inOneFile = (tensors: readonly MadeTensor[]): Files => [{ path: 'model.safetensors', bytes: safetensorsFile(tensors) }]

interface Asked {
  readonly scoring?: 'fast' | 'reference'
  readonly dtype?: string
  readonly keepsCap?: boolean
  readonly keepsPacked?: boolean
}

async function openConfig(config: object, checkpoint: Files, { scoring = 'fast', dtype = 'fp32', ...options }: Asked = {}) {
  const engine = new ModelEngine({ loadOrt: loadNodeOrt, gpu: undefined })
  const facts = await engine.open(
    { checkpoint, config: JSON.stringify(config) },
    { device: 'wasm', dtype, scoring, threads: 1, ...options },
  )
  return { engine, facts }
}

const open = (name: string, checkpoint: Files, asked: Asked = {}) => openConfig(tinyModel(name).config, checkpoint, asked)

/** Largest difference of a token's log-probability from transformers', in nats. */
async function differenceOf(name: string, engine: ModelEngine): Promise<number> {
  return largestDifference(await scoresOf(engine), tinyModel(name).logprobs)
}

async function scoresOf(engine: ModelEngine): Promise<readonly Float32Array[]> {
  return (await engine.score(items)).map(({ tokenLogprobs }) => tokenLogprobs[0] ?? new Float32Array(0))
}

function largestDifference(found: readonly Float32Array[], wanted: readonly Float32Array[]): number {
  let largest = 0
  wanted.forEach((values, place) => {
    values.forEach((value, token) => {
      const difference = Math.abs(value - (found[place]?.[token] ?? NaN))
      largest = difference <= largest ? largest : difference
    })
  })
  return largest
}

// The goldens of the others cap attention's scores, which the harness does only when told to (conversion/convert.ts).
const uncapped = tinyModels.filter(({ config }) => typeof config['attn_logit_softcapping'] !== 'number')

describe.each(uncapped)('$name from safetensors alone', ({ name, config }) => {
  it('scores as transformers does, by the fast path where branches can share its states', async () => {
    const { engine, facts } = await open(name, inOneFile(tensorsOf(name)))
    const convolves = readArchitecture(config).layers.some(({ mixer }) => mixer.kind === 'convolution')
    expect(facts).toMatchObject({ scoring: convolves ? 'reference' : 'fast', device: 'wasm', dtype: 'fp32' })
    expect(await differenceOf(name, engine)).toBeLessThan(1e-4)
    await engine.close()
  })
})

it.each(['fast', 'reference'] as const)(
  'Gemma 2 with attn_implementation=eager caps attention’s scores as transformers does then (%s)',
  async (scoring) => {
    const checkpoint = inOneFile(tensorsOf('gemma2'))
    const { engine, facts } = await open('gemma2', checkpoint, { scoring, keepsCap: true })
    const without = await open('gemma2', checkpoint, { scoring })
    expect(await differenceOf('gemma2', engine)).toBeLessThan(1e-4)
    expect(await differenceOf('gemma2', without.engine)).toBeGreaterThan(0.1)
    expect([facts.attention, without.facts.attention]).toEqual(['eager', undefined])
    // Answers of the two are kept apart.
    expect(facts.numericClass).not.toBe(without.facts.numericClass)
    await Promise.all([engine.close(), without.engine.close()])
  },
)

it('a model without a cap is the same whatever attn_implementation says', async () => {
  const checkpoint = inOneFile(tensorsOf('llama'))
  const [{ engine, facts }, plain] = [await open('llama', checkpoint, { keepsCap: true }), await open('llama', checkpoint)]
  expect([facts.numericClass, facts.attention]).toEqual([plain.facts.numericClass, undefined])
  await Promise.all([engine.close(), plain.engine.close()])
})

describe('tables of 16 bits', () => {
  /** A Llama of one layer whose head takes 34 MiB in float32, so that it is made in parts. */
  const sizes = { vocab_size: 35_000, hidden_size: 256, num_hidden_layers: 1 }
  const config = { ...tinyModel('llama-tied').config, ...sizes, tie_word_embeddings: false }
  const random = randomOf(1, 'tables')
  const values = new Map<string, { readonly shape: readonly number[]; readonly bits: Uint32Array }>()
  for (const { make } of writeDecoderGraph(readArchitecture(config), { form: 'reference', dtype: 'fp32' }).initializers) {
    if (make.kind === 'rotary') continue
    for (const { tensor, shape } of make.source.pieces) {
      const size = shape.reduce((product, dim) => product * dim, 1)
      // From -0.16 to 0.16 in eighths of a power of two, which both kinds of 16 bits hold.
      const bits = new Uint32Array(size)
      for (let at = 0; at < size; at++) {
        const drawn = random.below(32)
        bits[at] = ((drawn & 1) << 31) | ((123 + ((drawn >> 1) & 1)) << 23) | ((drawn >> 2) << 20)
      }
      values.set(tensor, { shape, bits })
    }
  }
  const tensorsIn = (dtype: string, pack: (bits: Uint32Array) => Uint8Array): MadeTensor[] =>
    [...values].map(([name, { shape, bits }]) => ({ name, dtype, shape, bytes: pack(bits) }))
  const upperHalves = (bits: Uint32Array): Uint8Array => new Uint8Array(Uint16Array.from(bits, (word) => word >>> 16).buffer)
  const halves = (bits: Uint32Array): Uint8Array => {
    const out = new Uint16Array(bits.length)
    expect(packHalves(new Float32Array(bits.buffer), out)).toBe(0)
    return new Uint8Array(out.buffer)
  }

  const scoresIn = async (tensors: readonly MadeTensor[], of: object = config) => {
    const { engine, facts } = await openConfig(of, inOneFile(tensors))
    const scores = (await engine.score(items.slice(0, 2))).map(({ tokenLogprobs }) => tokenLogprobs[0] ?? new Float32Array(0))
    await engine.close()
    return { scores, numericClass: facts.numericClass }
  }

  it('score as the same values in float32, bit for bit', async () => {
    const wide = await scoresIn(tensorsIn('F32', (bits) => new Uint8Array(bits.buffer)))
    expect(wide.scores.flatMap((some) => [...some]).every((score) => Number.isFinite(score) && score < 0)).toBe(true)
    expect(await scoresIn(tensorsIn('BF16', upperHalves))).toEqual(wide)
    if (isLong) expect(await scoresIn(tensorsIn('F16', halves))).toEqual(wide)
  })

  it('that are the head too score as two weights of the same values, but for the last digits, which answers are kept apart by', async () => {
    const floats = tensorsIn('F32', (bits) => new Uint8Array(bits.buffer))
    const table = floats.find(({ name }) => name === 'model.embed_tokens.weight')
    if (table === undefined) throw new Error('no embedding')
    const others = floats.filter(({ name }) => name !== 'lm_head.weight')
    const two = await scoresIn([...others, { ...table, name: 'lm_head.weight' }])
    const one = await scoresIn(others, { ...config, tie_word_embeddings: true })
    expect(largestDifference(one.scores, two.scores)).toBeLessThan(1e-5)
    expect(one.numericClass).not.toBe(two.numericClass)
  })
})

describe('a checkpoint', () => {
  const [first = { name: '' }] = tinyModels
  const { name } = first

  it('is the same in parts with an index', async () => {
    const tensors = tensorsOf(name)
    const half = Math.ceil(tensors.length / 2)
    const parts = [tensors.slice(0, half), tensors.slice(half)].map((some, at) => ({
      path: `model-0000${at + 1}-of-00002.safetensors`,
      some,
    }))
    const index = { weight_map: Object.fromEntries(parts.flatMap(({ path, some }) => some.map((tensor) => [tensor.name, path]))) }
    const checkpoint = [
      { path: 'model.safetensors.index.json', bytes: new TextEncoder().encode(JSON.stringify(index)) },
      ...parts.map(({ path, some }) => ({ path, bytes: safetensorsFile(some) })),
    ]
    const { engine } = await open(name, checkpoint)
    expect(await differenceOf(name, engine)).toBeLessThan(1e-4)
    await engine.close()
    await expect(open(name, checkpoint.slice(0, 2))).rejects.toMatchObject({
      code: 'model/corrupt',
      message: expect.stringContaining('00002-of-00002') as unknown,
    })
  })

  it.each(['fp16', 'q8', 'q4', 'q4f16'])('runs in %s made of it, near its own numbers on both paths', async (dtype) => {
    const scores: (readonly Float32Array[])[] = []
    for (const scoring of ['fast', 'reference'] as const) {
      const { engine, facts } = await open(name, inOneFile(tensorsOf(name)), { dtype, scoring })
      expect(facts).toMatchObject({ dtype, scoring })
      scores.push(await scoresOf(engine))
      await engine.close()
    }
    const [fast = [], reference = []] = scores
    expect(largestDifference(fast, reference)).toBeLessThan(dtype.includes('16') ? 5e-2 : 1e-4)
    // It is another model than in float32, and not a wild one.
    const rounding = largestDifference(fast, tinyModel(name).logprobs)
    expect(rounding).toBeGreaterThan(1e-4)
    expect(rounding).toBeLessThan(5)
  })

  it('has the same bits with its weights kept packed, and says so', async () => {
    const [packed, unpacked] = [
      await open(name, inOneFile(tensorsOf(name)), { dtype: 'q4', keepsPacked: true }),
      await open(name, inOneFile(tensorsOf(name)), { dtype: 'q4' }),
    ]
    const products = unpacked.facts.unpackedProducts?.products
    expect(unpacked.facts.unpackedProducts?.unpacked).toBe(products)
    expect(packed.facts.unpackedProducts).toEqual({ products, unpacked: 0, bytes: 0 })
    expect(packed.facts.numericClass).toBe(unpacked.facts.numericClass)
    expect(await scoresOf(packed.engine)).toEqual(await scoresOf(unpacked.engine))
    await Promise.all([packed.engine.close(), unpacked.engine.close()])
  })

  it.each([
    [
      'a missing tensor',
      (tensors: MadeTensor[]) => tensors.filter((one) => !one.name.endsWith('layers.1.mlp.down_proj.weight')),
      'model/corrupt',
      'layers.1.mlp.down_proj.weight',
    ],
    [
      'one that nothing reads',
      (tensors: MadeTensor[]) => [...tensors, floatsTensor('model.layers.0.adapter.weight', [2], new Float32Array(2))],
      'model/unsupported',
      'model.layers.0.adapter.weight',
    ],
    [
      'one of another shape',
      (tensors: MadeTensor[]) =>
        tensors.map((one) => (one.name === 'model.norm.weight' ? floatsTensor(one.name, [3], new Float32Array(3)) : one)),
      'model/corrupt',
      'model.norm.weight',
    ],
    [
      'one of integers',
      (tensors: MadeTensor[]) => tensors.map((one) => (one.name === 'model.norm.weight' ? { ...one, dtype: 'I32' } : one)),
      'model/unsupported',
      'I32',
    ],
  ] as const)('with %s is refused by its name', async (_what, change, code, named) => {
    await expect(open(name, inOneFile(change(tensorsOf(name))))).rejects.toMatchObject({
      code,
      message: expect.stringContaining(named) as unknown,
    })
  })

  it('that is cut off is refused before anything is converted', async () => {
    const [{ bytes } = { bytes: new Uint8Array(0) }] = inOneFile(tensorsOf(name))
    await expect(open(name, [{ path: 'model.safetensors', bytes: bytes.slice(0, -5) }])).rejects.toMatchObject({ code: 'model/corrupt' })
  })
})
