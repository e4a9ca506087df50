import { describe, expect, it } from 'vitest'
import { unpackedLocation } from '../../src/engines/graph-rewriting/unpack-products.ts'
import { readGraphFacts } from '../../src/engines/graph/graph-facts.ts'
import { readDecoderConfig } from '../../src/engines/graph/model-config.ts'
import { openSession } from '../../src/engines/open-session.ts'
import { prepareModel } from '../../src/engines/opening.ts'
import type { OrtRuntime } from '../../src/engines/ort.ts'
import { scoreByReference } from '../../src/engines/scoring/reference-scoring.ts'
import { embeddedFolder, readEmbedded, readGoldens } from './embedded.ts'
import { loadNodeOrt } from './node-runtime.ts'

const folder = embeddedFolder('pico')

/** ONNX Runtime that finds no room for some files; counts how often it was asked. */
function without(runtime: OrtRuntime, isTooLarge: (path: string) => boolean, asked: string[][]): OrtRuntime {
  type Create = OrtRuntime['api']['InferenceSession']['create']
  const create = (async (graph: Uint8Array, options: NonNullable<Parameters<Create>[1]>) => {
    const paths = (options.externalData ?? []).map((file) => (typeof file === 'string' ? file : file.path))
    asked.push(paths)
    if (paths.some(isTooLarge)) throw new Error('std::bad_alloc')
    return runtime.api.InferenceSession.create(graph, options)
  }) as Create // Its overload that openSession calls.
  return { ...runtime, api: { ...runtime.api, InferenceSession: { create } } }
}

describe.skipIf(folder === null)('openSession', () => {
  async function open(change: (runtime: OrtRuntime) => OrtRuntime) {
    const files = readEmbedded(folder ?? '', 'q4')
    const { bytes: model } = await prepareModel(files, { dtype: 'q4' }, 'wasm', null)
    const [facts, config] = [readGraphFacts(model.graph), readDecoderConfig(files.config)]
    return openSession({ runtime: change(await loadNodeOrt()), model, facts, config, device: 'wasm' })
  }

  it(
    'gives the bits of packed weights with unpacked ones, and goes back to packed ones where there is no room',
    { timeout: 120_000 },
    async () => {
      const items = readGoldens('pico', 'q4')
        .slice(0, 4)
        .map(({ item }) => item)
      const asked: string[][] = []
      const unpacked = await open((runtime) => runtime)
      const packed = await open((runtime) => without(runtime, (path) => path === unpackedLocation, asked))
      expect(unpacked.unpacked?.products).toBeGreaterThan(10)
      expect(unpacked.unpacked?.unpacked).toBe(unpacked.unpacked?.products)
      expect(asked.map((paths) => paths.includes(unpackedLocation))).toEqual([true, false])
      expect(packed.unpacked).toEqual({ products: unpacked.unpacked?.products, unpacked: 0, bytes: 0 })
      expect(await scoreByReference(unpacked, items, 64)).toEqual(await scoreByReference(packed, items, 64))
      await unpacked.release()
      await packed.release()
    },
  )

  it('says so where there is no room either way', { timeout: 60_000 }, async () => {
    await expect(open((runtime) => without(runtime, () => true, []))).rejects.toMatchObject({ code: 'engine/out-of-memory' })
  })
})
