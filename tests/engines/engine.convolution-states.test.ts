/** LFM2's graphs carry convolution states beside keys and values: they begin as zeros, and a run leaves what the next one goes on from. */
import { describe, expect, it } from 'vitest'
import { greedyItem } from '../../src/contracts/items.ts'
import { ModelEngine } from '../../src/engines/engine.ts'
import { startDims } from '../../src/engines/graph/cache-dims.ts'
import { readDecoderConfig } from '../../src/engines/graph/model-config.ts'
import { readMatrix, readMatrixModel } from './matrix.ts'
import { loadNodeOrt } from './node-runtime.ts'

const { items, cells } = readMatrix()
const graphs = cells.filter(({ shape, dtype }) => shape === 'lfm2-350m' && (dtype === 'q4' || dtype === 'q4f16'))
const decoding = greedyItem([], 24).decoding

describe('a graph with convolution states', () => {
  it.each(graphs)('in $dtype is run by the reference path, which says why, each sequence whole', async (cell) => {
    const engine = new ModelEngine({ loadOrt: loadNodeOrt, gpu: undefined })
    const facts = await engine.open(readMatrixModel(cell), { device: 'wasm', dtype: cell.dtype, scoring: 'fast', threads: 1 })
    expect(facts).toMatchObject({ scoring: 'reference', chunkTokens: null, isDynamicallyQuantised: false })
    expect(JSON.stringify(facts)).toContain('convolution states besides keys and values')
    await engine.close()
  })

  it.each(graphs)('in $dtype writes token by token what whole runs from the start choose', { timeout: 60_000 }, async (cell) => {
    const engine = new ModelEngine({ loadOrt: loadNodeOrt, gpu: undefined })
    await engine.open(readMatrixModel(cell), { device: 'wasm', dtype: cell.dtype, scoring: 'reference', threads: 1 })
    for (const { input } of [items[1], items[4]].flatMap((item) => item ?? [])) {
      await engine.beginGeneration([{ input, stops: [], decoding }])
      const [part] = await engine.continueGeneration({ tokens: 100, milliseconds: 60_000 })
      const written = [...(part?.tokens ?? [])]
      expect(written).toHaveLength(decoding.maxNewTokens)
      const whole = Int32Array.from([...input, ...written.slice(0, -1)])
      const [scored] = await engine.score([{ input: whole, targets: [Int32Array.from(written)] }])
      expect(scored?.answers[0]?.isGreedy).toBe(true)
    }
    await engine.close()
  })

  const lfm2 = readDecoderConfig(JSON.stringify({ architectures: ['Lfm2ForCausalLM'], num_attention_heads: 4, hidden_size: 64 }))
  const input = (name: string, dims: readonly (number | string | null)[]) => ({ name, elementType: 'float32', dims })

  it('begins from zeros of the size that the graph states, and from no keys and values', () => {
    expect(startDims(input('past_conv.0', ['batch', 64, 3]), lfm2)).toEqual([1, 64, 3])
    expect(startDims(input('past_key_values.1.key', ['batch', 2, 'past', 16]), lfm2)).toEqual([1, 2, 0, 16])
  })

  it.each([
    ['a state of unknown size', input('past_conv.0', ['batch', 64, 'width'])],
    ['a state of another kind', input('past_ssm.0', ['batch', 64, 3])],
  ])('%s is refused by name', (_, state) => {
    expect(() => startDims(state, lfm2)).toThrow(
      expect.objectContaining({ code: 'model/unsupported', message: expect.stringContaining(state.name) as string }),
    )
  })

  it.each([[2 ** 31], [2 ** 53], [0], [-64]])('of %d channels is refused before its zeros are made', (channels) => {
    expect(() => startDims(input('past_conv.0', ['batch', channels, 3]), lfm2)).toThrow(
      expect.objectContaining({ code: 'model/unsupported', message: expect.stringContaining(`[batch, ${channels}, 3]`) as string }),
    )
  })

  it('is refused where the architecture is another, whose graphs nobody has held to anything', () => {
    const other = readDecoderConfig(
      JSON.stringify({ architectures: ['GraniteMoeHybridForCausalLM'], num_attention_heads: 4, hidden_size: 64 }),
    )
    expect(() => startDims(input('past_conv.0', ['batch', 64, 3]), other)).toThrow(/"past_conv.0" of shape/)
  })
})
