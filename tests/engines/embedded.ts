/** The embedded models and Python's scores of them, for tests. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ForwardItem } from '../../src/contracts/items.ts'
import type { ExportedModel } from '../../src/engines/engine.ts'

const files: { readonly [dtype: string]: string } = { fp32: 'model.onnx', q4: 'model_q4.onnx', q8: 'model_quantized.onnx' }

/** Folder of the newest revision that has all dtypes, below `public/hub`; null when the models aren't built. */
export function embeddedFolder(model: string): string | null {
  const resolved = join('public/hub/yardstick', model, 'resolve')
  if (!existsSync(resolved)) return null
  const commit = readdirSync(resolved).find((candidate) => existsSync(join(resolved, candidate, 'onnx', 'model_q4.onnx')))
  return commit === undefined ? null : join(resolved, commit)
}

/** File names of a dtype: the graph, and its external data where there is any. */
export function embeddedFiles(folder: string, dtype: string): { readonly graph: string; readonly external: readonly string[] } {
  const graph = files[dtype]
  if (graph === undefined) throw new Error(`wanted fp32, q4 or q8, found ${dtype}`)
  return { graph, external: existsSync(join(folder, 'onnx', `${graph}_data`)) ? [`${graph}_data`] : [] }
}

export function readEmbedded(folder: string, dtype: string): ExportedModel {
  const { graph, external } = embeddedFiles(folder, dtype)
  const read = (name: string) => new Uint8Array(readFileSync(join(folder, 'onnx', name)))
  return {
    graph: read(graph),
    externalData: external.map((path) => ({ path, bytes: read(path) })),
    config: readFileSync(join(folder, 'config.json'), 'utf8'),
  }
}

export interface Golden {
  readonly item: ForwardItem
  readonly logprob: number
  readonly isGreedy: boolean
}

/** Python's scores of requests to an embedded model, in the file's order. */
export function readGoldens(model: string, dtype: string): Golden[] {
  const parsed: unknown = JSON.parse(readFileSync(join('tests/goldens/embedded/ort', `${model}_${dtype}.json`), 'utf8'))
  // Our own script wrote the file; a missing key shows as a failing test.
  const { requests } = parsed as {
    requests: readonly { context: readonly number[]; continuation: readonly number[]; logprob: number; greedy: boolean }[]
  }
  return requests.map(({ context, continuation, logprob, greedy }) => ({
    item: { input: Int32Array.from([...context, ...continuation.slice(0, -1)]), targets: [Int32Array.from(continuation)] },
    logprob,
    isGreedy: greedy,
  }))
}
