import fc from 'fast-check'
import { createHash } from 'node:crypto'
import { crc32 as crc32OfNode } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { Decoding, GenerationItem, PlannedItem } from '../../src/contracts/items.ts'
import { crc32 } from '../../src/storage/crc32.ts'
import { createKeyMaker, responseKey, type AnswerIdentity } from '../../src/storage/keys.ts'

const text = fc.string({ maxLength: 6 })
const identities: fc.Arbitrary<AnswerIdentity> = fc.record({
  modelId: text,
  commit: text,
  modelFiles: fc.uniqueArray(fc.record({ path: text, sha256: text }), { maxLength: 3, selector: ({ path }) => path }),
  dtype: text,
  device: text,
  adapter: text,
  engine: text,
  numericClass: text,
  scoring: text,
  chunkTokens: fc.option(fc.nat({ max: 64 })),
  batchClass: text,
  repeat: fc.option(text),
})
const ids = fc.array(fc.integer({ min: 0, max: 70_000 }), { maxLength: 6 }).map((list) => Int32Array.from(list))
const items = fc.record({ input: ids, targets: fc.array(ids, { maxLength: 3 }) })

/** Equal exactly when two requests mean the same. */
function canonical(identity: AnswerIdentity, item: { input: Int32Array; targets: Int32Array[] }): string {
  const files = [...identity.modelFiles].sort((a, b) => (a.path < b.path ? -1 : 1)).map(({ path, sha256 }) => [path, sha256])
  return JSON.stringify([
    ...[identity.modelId, identity.commit, files, identity.dtype, identity.device, identity.adapter, identity.engine],
    ...[identity.numericClass, identity.scoring, identity.chunkTokens, identity.batchClass, identity.repeat],
    ...[Array.from(item.input), item.targets.map((target) => Array.from(target))],
  ])
}

const text1: GenerationItem = {
  input: Int32Array.of(1, 2),
  stops: ['a', 'b'],
  decoding: {
    maxNewTokens: 8,
    minNewTokens: 0,
    endTokens: [2],
    repetitionPenalty: 1,
    noRepeatNgramSize: 0,
    badWords: [],
    suppressTokens: [],
    beginSuppressTokens: [],
    sampling: null,
  },
}

describe('the key of a text', () => {
  it('differs whenever anything that decides its tokens does, and from every forward pass', async () => {
    const identity: AnswerIdentity = {
      ...{ modelId: 'm', commit: 'c', modelFiles: [], dtype: 'fp32', device: 'wasm', adapter: '', engine: 'e', numericClass: 'n' },
      ...{ scoring: 'reference', chunkTokens: 128, batchClass: '1', repeat: null },
    }
    const sampling = { temperature: 1, topK: 50, topP: 1, minP: null, typicalP: 1, seed: 1 }
    const change = (decoding: Partial<Decoding>): GenerationItem => ({ ...text1, decoding: { ...text1.decoding, ...decoding } })
    const others: PlannedItem[] = [
      { ...text1, input: Int32Array.of(1, 3) },
      { ...text1, stops: ['b', 'a'] },
      { ...text1, stops: ['ab'] },
      { ...text1, stops: [] },
      ...[{ maxNewTokens: 9 }, { minNewTokens: 1 }, { endTokens: [2, 3] }, { repetitionPenalty: 1.1 }, { noRepeatNgramSize: 2 }].map(
        change,
      ),
      ...[{ badWords: [[1]] }, { suppressTokens: [1] }, { beginSuppressTokens: [1] }, { sampling }].map(change),
      ...[{ temperature: 2 }, { topK: 0 }, { topP: 0.5 }, { minP: 0.1 }, { typicalP: 0.5 }, { seed: 2 }].map((one) =>
        change({ sampling: { ...sampling, ...one } }),
      ),
      { input: text1.input, targets: [] },
      { input: text1.input, targets: [text1.input] },
    ]
    const keys = await Promise.all([text1, ...others].map((item) => responseKey(identity, item)))
    expect(new Set(keys).size).toBe(others.length + 1)
    expect(await responseKey(identity, change({}))).toBe(keys[0])
  })
})

describe('an answer key', () => {
  it('differs whenever any field differs, and only then', async () => {
    await fc.assert(
      fc.asyncProperty(identities, items, identities, items, async (a, itemA, b, itemB) => {
        for (const [identity, item] of [
          [b, itemB],
          [a, itemB],
          [b, itemA],
        ] as const) {
          const isSame = (await responseKey(a, itemA)) === (await responseKey(identity, item))
          expect(isSame).toBe(canonical(a, itemA) === canonical(identity, item))
        }
      }),
      { numRuns: 300 },
    )
  })

  it('differs when one field of many changes', async () => {
    await fc.assert(
      fc.asyncProperty(
        identities,
        items,
        fc.constantFrom('modelId', 'commit', 'dtype', 'device', 'adapter', 'engine', 'numericClass', 'scoring', 'batchClass'),
        async (a, item, field) => {
          const changed = { ...a, [field]: `${a[field]}x` }
          expect(await responseKey(a, item)).not.toBe(await responseKey(changed, item))
        },
      ),
      { numRuns: 200 },
    )
  })

  it('is not fooled by text that moves from one field to its neighbour', async () => {
    await fc.assert(
      fc.asyncProperty(identities, items, fc.string({ minLength: 1, maxLength: 8 }), fc.nat({ max: 8 }), async (base, item, whole, cut) => {
        const at = Math.min(cut, whole.length)
        const one = { ...base, modelId: whole.slice(0, at), commit: whole.slice(at) }
        const other = { ...base, modelId: whole, commit: '' }
        expect((await responseKey(one, item)) === (await responseKey(other, item))).toBe(at === whole.length)
      }),
      { numRuns: 200 },
    )
  })

  it('is not fooled by tokens that move between input and targets', async () => {
    const identity = fc.sample(identities, 1)[0]
    expect(identity).toBeDefined()
    if (identity === undefined) return
    const shapes = [
      { input: [1, 2, 3], targets: [] },
      { input: [1, 2], targets: [[3]] },
      { input: [1], targets: [[2], [3]] },
      { input: [1], targets: [[2, 3]] },
      { input: [], targets: [[1, 2, 3]] },
      { input: [1, 2, 3], targets: [[]] },
    ]
    const keys = await Promise.all(
      shapes.map(({ input, targets }) =>
        responseKey(identity, { input: Int32Array.from(input), targets: targets.map((ids) => Int32Array.from(ids)) }),
      ),
    )
    expect(new Set(keys).size).toBe(shapes.length)
  })

  it('does not depend on the order of files, or on which batch made it', async () => {
    const [identity] = fc.sample(identities, 1)
    const [item] = fc.sample(items, 1)
    if (identity === undefined || item === undefined) throw new Error('no sample')
    const files = [
      { path: 'b', sha256: '2' },
      { path: 'a', sha256: '1' },
    ]
    const one = await responseKey({ ...identity, modelFiles: files }, item)
    const makeKeys = await createKeyMaker({ ...identity, modelFiles: files.toReversed() })
    const many = await makeKeys(Array.from({ length: 600 }, () => item))
    expect(new Set(many)).toEqual(new Set([one]))
    expect(many).toHaveLength(600)
    expect(one).toMatch(/^[0-9a-f]{64}$/)
  })

  it('stays what it is, or old answers are lost', async () => {
    const identity: AnswerIdentity = {
      modelId: 'm/x',
      commit: 'c',
      modelFiles: [{ path: 'onnx/model.onnx', sha256: 'f' }],
      dtype: 'fp32',
      device: 'wasm',
      adapter: '',
      engine: 'ort',
      numericClass: 'n',
      scoring: 'reference',
      chunkTokens: null,
      batchClass: '1',
      repeat: null,
    }
    const part = (bytes: Buffer): Buffer => Buffer.concat([uint32(bytes.length), bytes])
    const fields = [
      'yardstick-answer-1',
      'm/x',
      'c',
      '1',
      'onnx/model.onnx',
      'f',
      'fp32',
      'wasm',
      '',
      'ort',
      'n',
      'reference',
      'whole',
      '1',
    ]
    const prefix = sha256(Buffer.concat([uint32(fields.length), ...fields.map((field) => part(Buffer.from(field)))]))
    const item = { input: Int32Array.from([1, 258]), targets: [Int32Array.from([3])] }
    const parts = [prefix, Buffer.from([1, 0, 0, 0, 2, 1, 0, 0]), Buffer.from([3, 0, 0, 0])]
    expect(await responseKey(identity, item)).toBe(sha256(Buffer.concat([uint32(3), ...parts.map(part)])).toString('hex'))
  })
})

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest()
}

describe('the checksum', () => {
  it("is zlib's", () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.uint8Array(), (a, b) => {
        expect(crc32(b, crc32(a))).toBe(crc32OfNode(Buffer.concat([a, b])))
      }),
    )
  })
})
