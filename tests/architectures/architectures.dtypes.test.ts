/** Graphs with 16-bit numbers and with quantised weights, against float32 graphs of the values that the blocks stand for. */
import { describe, expect, it } from 'vitest'
import { writeDecoderGraph } from '../../src/architectures/graph/decoder-graph.ts'
import { blockSize } from '../../src/architectures/graph/numbers.ts'
import { readArchitecture } from '../../src/architectures/registry.ts'
import { isLong } from '../support/long.ts'
import { roundToNearest, valuesOf } from './node-weights.ts'
import { largestDifference, openGraph, scoreBranches, scoreInPieces } from './running.ts'
import { tinyModel, tinySequences, type Checkpoint } from './tiny-models.ts'

const all = tinySequences.map((_, place) => place)

/** Of each kind of part one: tied and untied, biases, fused and turned matrices, experts, convolutions, widths that are no multiple of a block. */
const names = ['llama', 'llama-tied', 'llama-biases', 'gemma3', 'phi3', 'olmo2', 'gpt-neox', 'gpt2', 'lfm2', 'qwen3-moe', 'qwen3-moe-dense']

/** Of these the short form looks at 16-bit numbers too: norms, caps, turned matrices, convolutions, experts. */
const inShort = ['llama-biases', 'gemma3', 'gpt2', 'lfm2', 'qwen3-moe']

/** The checkpoint with the values in place of those that are quantised. */
function dequantised(checkpoint: Checkpoint, config: { readonly [key: string]: unknown }, dtype: 'q4' | 'q8'): Checkpoint {
  const { initializers } = writeDecoderGraph(readArchitecture(config), { form: 'reference', dtype })
  const changed = new Map<string, { readonly shape: readonly number[]; readonly values: Float32Array }>()
  for (const { make } of initializers) {
    if (make.kind !== 'quantised' || make.part === 'blocks') continue
    const { bits } = make
    const [piece] = make.source.pieces
    if (piece === undefined) continue
    const { rows, columns } = make.source
    const width = columns ?? 1
    const { blocks, scales } = roundToNearest(valuesOf(make.source, checkpoint), width, bits, blockSize)
    const count = Math.ceil(width / blockSize)
    const whole = changed.get(piece.tensor) ?? { shape: piece.shape, values: checkpoint.read(piece.tensor).values.slice() }
    changed.set(piece.tensor, whole)
    for (let row = 0; row < rows; row += 1)
      for (let column = 0; column < width; column += 1) {
        const block = row * count + Math.floor(column / blockSize)
        const place = block * blockSize + (column % blockSize)
        const q = bits === 8 ? (blocks[place] ?? 0) : ((blocks[place >> 1] ?? 0) >> (4 * (place & 1))) & 15
        const source = piece.from + Math.floor(row / piece.rows) * piece.stride + (row % piece.rows)
        const at = piece.isTransposed ? column * (piece.shape[1] ?? 1) + source : source * width + column
        whole.values[at] = (q - 2 ** (bits - 1)) * (scales[block] ?? 0)
      }
  }
  return { names: checkpoint.names, read: (tensor) => changed.get(tensor) ?? checkpoint.read(tensor) }
}

describe.each(names)('%s', (name) => {
  const { config, tensors } = tinyModel(name)
  const convolves = name.startsWith('lfm2')

  it.each(['q8', 'q4'] as const)('in %s scores as its blocks’ values do in float32', async (dtype) => {
    const wanted = await openGraph(config, dequantised(tensors, config, dtype), 'reference', 'fp32')
    const scores = await scoreInPieces(wanted, tinySequences, 1000)
    await wanted.release()
    const session = await openGraph(config, tensors, convolves ? 'reference' : 'scoring', dtype)
    const found = convolves ? await scoreInPieces(session, tinySequences, 1000) : await scoreBranches(session, tinySequences, 0)
    const largest = differenceOf(scores, found)
    await session.release()
    console.log(
      `${name} ${dtype} scoring: ${largest.toExponential(1)}, from transformers ${largestDifference(name, all, found).toFixed(3)}`,
    )
    expect(largest).toBeLessThan(1e-4)
  })

  // The reference form in pieces for one, branches for the other.
  it.skipIf(!isLong && !inShort.includes(name)).each(['fp16', 'q4f16'] as const)('in %s scores nearly as float32 does', async (dtype) => {
    const isWhole = dtype === 'fp16' || convolves
    const like = await openGraph(config, dtype === 'fp16' ? tensors : dequantised(tensors, config, 'q4'), 'reference', 'fp32')
    const wanted = await scoreInPieces(like, tinySequences, 1000)
    await like.release()
    const session = await openGraph(config, tensors, isWhole ? 'reference' : 'scoring', dtype)
    const found = isWhole ? await scoreInPieces(session, tinySequences, 30) : await scoreBranches(session, tinySequences, 0)
    await session.release()
    const largest = differenceOf(wanted, found)
    console.log(`${name} ${dtype}: ${largest.toExponential(1)}`)
    // Rounding decides which of two experts is taken where their shares are nearly the same.
    expect(largest).toBeLessThan(name.startsWith('qwen3-moe') ? 1 : 0.1)
  })
})

function differenceOf(wanted: readonly (readonly number[])[], found: readonly (readonly number[])[]): number {
  return Math.max(...wanted.flatMap((own, i) => own.map((value, token) => Math.abs(value - (found[i]?.[token] ?? NaN)))))
}
