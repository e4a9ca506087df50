/** A text worker in a process of its own, so that a test can watch it hang: the real engine, plus scoring of replies that a test makes up. */
import { buildPipelines } from '../../src/harness/filters/filters.ts'
import { collectSamples } from '../../src/harness/results/samples-file.ts'
import { pyFloat } from '../../src/python/value.ts'
import { readYamlMapping } from '../../src/python/yaml/parse.ts'
import { isConfigList, isConfigDict } from '../../src/python/yaml/yaml-value.ts'
import { exposeWorker, tellSteps, type WorkerScope } from '../../src/rpc/expose.ts'
import { TextEngine } from '../../src/text-worker/text-engine.ts'

type Listener = (event: { readonly data: unknown }) => void

const scope = {
  postMessage: (message: unknown) => process.send?.(message),
  addEventListener: (type: string, listener: Listener) => {
    if (type === 'message') process.on('message', (data) => listener({ data }))
  },
  removeEventListener: () => undefined,
} as unknown as WorkerScope // As much of a worker's scope as the border uses.

const watch = tellSteps(scope)

class WatchedEngine extends TextEngine {
  /** Filtered replies of a task's docs, by the `filter_list` of a task file; doc i is the one at `docIds[i]`. */
  async filter(yaml: string, docIds: readonly number[], replies: readonly string[]): Promise<readonly (readonly unknown[])[]> {
    const list = readYamlMapping(yaml, 'task.yaml').get('filter_list') ?? null
    const pipelines = buildPipelines(isConfigList(list) ? list.filter(isConfigDict) : null)
    const docs = replies.map((reply, i) => ({
      docId: docIds[i] ?? i,
      doc: new Map(),
      target: '',
      requests: [{ args: [''], responses: [reply], tokenCount: null }],
    }))
    const score = () => new Map([['acc', pyFloat(1)]])
    return collectSamples(docs, pipelines, score, { task: 'made', watch }).lines.map(({ filtered }) => filtered)
  }
}

exposeWorker(new WatchedEngine(watch), scope)
process.on('disconnect', () => process.exit(0))
