/** Narrow versions of real models' graphs, by the exporters that know them and in all dtypes, and Python's scores of them (tools/model-matrix). */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { EngineFacts, ScoringPath } from '../../src/contracts/engine.ts'
import type { ForwardAnswer, ForwardItem } from '../../src/contracts/items.ts'
import { ModelEngine, type EngineModel } from '../../src/engines/engine.ts'
import { planTree, sequenceOf } from '../../src/planning/token-tree.ts'
import { loadNodeOrt } from './node-runtime.ts'

const folder = 'tests/goldens/matrix'
const files: { readonly [dtype: string]: string } = {
  fp32: 'model.onnx',
  fp16: 'model_fp16.onnx',
  q8: 'model_quantized.onnx',
  q4: 'model_q4.onnx',
  q4f16: 'model_q4f16.onnx',
}

/** The dtypes that the matrix has, in the table's order. */
export const matrixDtypes = Object.keys(files)

/** One graph of the matrix. */
export interface MatrixCell {
  readonly shape: string
  readonly exporter: string
  readonly dtype: string
  /** Of each sequence, the log-probability of each token but the first. */
  readonly logprobs: readonly Float32Array[]
}

export interface Matrix {
  /** Each sequence as a request: all its tokens but the last, of which each is followed by its target. */
  readonly items: readonly ForwardItem[]
  readonly cells: readonly MatrixCell[]
}

export function readMatrix(): Matrix {
  // Our own script wrote the file; a missing key shows as a failing test.
  const { sequences, cells } = JSON.parse(readFileSync(join(folder, 'matrix.json'), 'utf8')) as {
    sequences: readonly (readonly number[])[]
    cells: readonly { shape: string; exporter: string; dtype: string; logprobs: string }[]
  }
  return {
    items: sequences.map((tokens) => ({ input: Int32Array.from(tokens.slice(0, -1)), targets: [Int32Array.from(tokens.slice(1))] })),
    cells: cells.map(({ logprobs, ...cell }) => ({ ...cell, logprobs: splitByLength(logprobs, sequences) })),
  }
}

function splitByLength(packed: string, sequences: readonly (readonly number[])[]): Float32Array[] {
  const all = new Float32Array(Uint8Array.from(Buffer.from(packed, 'base64')).buffer)
  let start = 0
  return sequences.map(({ length }) => all.slice(start, (start += length - 1)))
}

export function readMatrixModel({ shape, exporter, dtype }: MatrixCell): EngineModel {
  const model = join(folder, `${shape}-${exporter}`)
  return {
    graph: new Uint8Array(gunzipSync(readFileSync(join(model, `${files[dtype] ?? dtype}.gz`)))),
    externalData: [],
    config: readFileSync(join(model, 'config.json'), 'utf8'),
  }
}

/** Opens a graph on WASM and scores all sequences, the fast path in the batches of its plan. */
export async function scoreCell(
  cell: MatrixCell,
  items: readonly ForwardItem[],
  scoring: ScoringPath,
): Promise<{ readonly facts: EngineFacts; readonly answers: readonly ForwardAnswer[] }> {
  const engine = new ModelEngine({ loadOrt: loadNodeOrt, gpu: undefined })
  const facts = await engine.open(readMatrixModel(cell), { device: 'wasm', dtype: cell.dtype, scoring, threads: 1 })
  const answers: ForwardAnswer[] = []
  const whole = [{ items: items.map((_, index) => index), prefixes: [] }]
  for (const batch of facts.fast === undefined ? whole : planTree(items.map(sequenceOf), facts.fast.layout)) {
    const scored = await engine.score(
      batch.items.flatMap((index) => items[index] ?? []),
      batch.prefixes,
    )
    batch.items.forEach((index, place) => {
      const one = scored[place]
      if (one !== undefined) answers[index] = one
    })
  }
  await engine.close()
  return { facts, answers }
}

/** Differences of the tokens' log-probabilities from Python's, in nats; infinite where one is missing. */
export function differencesFrom(
  cell: MatrixCell,
  answers: readonly { readonly tokenLogprobs: readonly (readonly number[] | Float32Array)[] }[],
): { readonly largest: number; readonly mean: number } {
  let [largest, sum, count] = [0, 0, 0]
  cell.logprobs.forEach((wanted, index) => {
    const found = answers[index]?.tokenLogprobs[0]
    wanted.forEach((value, at) => {
      const difference = Math.abs((found?.[at] ?? Infinity) - value)
      largest = Math.max(largest, difference)
      sum += difference
      count += 1
    })
  })
  return { largest, mean: sum / count }
}
