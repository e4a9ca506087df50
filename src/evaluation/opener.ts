/** Opens a model in the model worker, and recognises engines of earlier runs so that kept answers are found without opening it. */
import { EvalError } from '../core/errors.ts'
import type { EngineFacts, RunRow, RunSettings } from '../core/types.ts'
import type { ModelWorkerApi } from '../rpc/apis.ts'
import { engineFactsSchema, checked } from '../rpc/checks.ts'
import type { WorkerHandle } from '../rpc/handle.ts'
import type { ModelOpener, ResolvedModel } from './ports.ts'

export interface OpenerOptions {
  readonly startModelWorker: () => WorkerHandle<ModelWorkerApi>
  readonly appBuild: string
}

export interface WorkerOpener extends ModelOpener {
  /** Ends the model worker, if one was started; frees its memory and the GPU's. */
  close(): void
}

export function workerOpener({ startModelWorker, appBuild }: OpenerOptions): WorkerOpener {
  let handle: WorkerHandle<ModelWorkerApi> | null = null
  const worker = () => (handle ??= startModelWorker())

  const sameEngine = async (row: RunRow, files: string, dtype: string, settings: RunSettings): Promise<boolean> => {
    const { manifest } = row
    const isSameRequest =
      JSON.stringify(manifest.model.files) === files &&
      manifest.engine.dtype === dtype &&
      manifest.settings.device === settings.device &&
      manifest.settings.scoring === settings.scoring &&
      manifest.app.build === appBuild
    if (!isSameRequest) return false
    if (manifest.engine.device === 'wasm') return manifest.engine.threads === expectedThreads()
    const adapter = await worker().api.describeAdapter()
    const known = manifest.engine.adapter
    return (
      adapter !== null &&
      known !== null &&
      adapter.vendor === known.vendor &&
      adapter.architecture === known.architecture &&
      adapter.description === known.description
    )
  }

  return {
    async open(model, dtype, settings, { onBytes, onPhase, signal }) {
      const payload = await model.fetch(dtype, onBytes, signal)
      onPhase('self-check')
      const { api } = worker()
      const facts = await checked(
        engineFactsSchema,
        api.open(payload, { device: settings.device, dtype, scoring: settings.scoring, threads: null }),
        'the model worker’s engine facts',
      )
      return { facts, score: (items) => api.score(items), stats: () => api.stats() }
    },
    async knownFacts(model: ResolvedModel, dtype: string, settings: RunSettings, runs: readonly RunRow[]): Promise<EngineFacts | null> {
      if (runs.length === 0) return null
      const files = JSON.stringify(await model.filesOf(dtype))
      for (const row of runs) if (await sameEngine(row, files, dtype, settings)) return row.manifest.engine
      return null
    },
    close() {
      handle?.terminate(new EvalError('run/stopped', 'The run was stopped. Its answers so far are kept.'))
      handle = null
    },
  }
}

/** The engine's own rule (engines/ort.ts): up to four threads, one without cross-origin isolation. */
function expectedThreads(): number {
  return globalThis.crossOriginIsolated ? Math.max(1, Math.min(4, navigator.hardwareConcurrency)) : 1
}
