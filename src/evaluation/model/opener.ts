/** Opens a model in the model worker, and recognises engines of earlier runs so that kept answers are found without opening it. */
import { EvalError } from '../../base/errors.ts'
import type { DeviceChoice, EngineFacts } from '../../contracts/engine.ts'
import type { ForwardItem } from '../../contracts/items.ts'
import type { RunEvent } from '../../contracts/progress.ts'
import type { RunSettings } from '../../contracts/run-settings.ts'
import type { RunRow } from '../../contracts/runs.ts'
import { asksForMore, kernelFeatures } from '../../engines/device.ts'
import type { ModelPayload, ModelWorkerApi } from '../../rpc/model-worker-api.ts'
import { engineFactsSchema, checked } from '../../rpc/checks.ts'
import { sleep } from '../../rpc/deadline.ts'
import type { Called, WorkerHandle } from '../../rpc/handle.ts'
import { asksForCap } from '../../settings/attention.ts'
import { gpuLockName, type HeldLock } from '../../storage/locks.ts'
import type { ModelOpener, OpenModel, ResolvedModel } from '../ports.ts'
import { batchDeadline } from './batch-deadline.ts'
import { adapterDeadlineMs, bytesOf, neverAnswered, neverOpened, openDeadlineMs } from './open-deadline.ts'
import { isSameAdapter, recoveringModel } from './recovery.ts'
import { writeTexts, type TextEngineSteps } from './write-text.ts'

interface OpenerOptions {
  readonly startModelWorker: () => WorkerHandle<ModelWorkerApi>
  readonly appBuild: string
  readonly emit: (event: RunEvent) => void
  /** Of the browser's GPU, where they are known. */
  readonly switches?: readonly string[] | undefined
  /** Waits for a lock that other tabs may hold; `onWait` is called when it isn't free at once. */
  readonly acquireLock: (name: string, onWait: () => void, signal: AbortSignal) => Promise<HeldLock>
}

interface WorkerOpener extends ModelOpener {
  /** Ends the model worker, if one was started; frees its memory and the GPU's. */
  close(): void
}

export function workerOpener({ startModelWorker, appBuild, emit, switches, acquireLock }: OpenerOptions): WorkerOpener {
  let handle: WorkerHandle<ModelWorkerApi> | null = null
  let gpuLock: HeldLock | null = null
  const worker = () => (handle ??= startModelWorker())
  const discard = (): void => {
    handle?.terminate()
    handle = null
  }
  const now = () => performance.now()
  const describeAdapter = () => worker().callWithDeadline(adapterDeadlineMs, (api) => api.describeAdapter())

  /** Opens the payload in the current worker; its scores come under a deadline that grows with their tokens. */
  const openInWorker = async (
    payload: ModelPayload,
    device: DeviceChoice,
    dtype: string,
    { model: id, scoring, modelArgs, keepsPacked }: RunSettings,
    { checkItems, runTokens }: { readonly checkItems: readonly ForwardItem[]; readonly runTokens: number | undefined },
  ): Promise<OpenModel> => {
    const current = worker()
    const bytes = bytesOf(payload)
    const facts = await current.callWithDeadline(
      openDeadlineMs(bytes),
      (api) => {
        const options = {
          device,
          dtype,
          scoring,
          threads: null,
          keepsCap: asksForCap(modelArgs),
          keepsPacked: keepsPacked === true,
          checkItems,
          ...(runTokens === undefined ? {} : { runTokens }),
          ...(switches === undefined ? {} : { switches }),
        }
        return checked(engineFactsSchema, api.open(payload, options), 'the model worker’s engine facts')
      },
      () => neverOpened({ id, dtype, bytes, device }, current.doing()),
    )
    const deadline = batchDeadline(now)
    const within = <T>(tokens: number, use: (api: Called<ModelWorkerApi>) => Promise<T>): Promise<T> =>
      deadline.within(tokens, (milliseconds) =>
        current.callWithDeadline(milliseconds, use, () => neverAnswered(id, dtype, tokens, milliseconds)),
      )
    return {
      facts,
      score: (items, prefixes) => within(countTokens(items), (api) => api.score(items, prefixes)),
      generate: (items, watcher, prefixes, drafts) => {
        const steps: TextEngineSteps = {
          begin: (texts, written) => {
            const tokens = countTokens(texts) + written.reduce((sum, { length }) => sum + length, 0)
            return within(tokens, (api) => api.beginGeneration(texts, prefixes, written))
          },
          next: (limit, ended) => within(limit.tokens * items.length, (api) => api.continueGeneration(limit, ended)),
          end: () => current.api.endGeneration(),
        }
        return writeTexts(items, watcher, steps, drafts)
      },
      stats: () => current.api.stats(),
    }
  }

  /** The GPU is one run's at a time: two models at once may not fit, and a lost device takes both along. */
  const reserveGpu = async (device: DeviceChoice, signal: AbortSignal): Promise<void> => {
    if (gpuLock !== null || device === 'wasm') return
    const adapter = await describeAdapter()
    // `auto` leaves a software adapter alone (engines/device.ts), and without an adapter there is nothing to wait for.
    if (adapter === null || (device === 'auto' && adapter.isFallback)) return
    const message = 'Another tab or window is using the GPU. This run begins when that one has ended.'
    gpuLock = await acquireLock(gpuLockName, () => emit({ type: 'waiting', what: 'gpu', message, seconds: null }), signal)
  }

  const releaseGpu = (): void => {
    gpuLock?.release()
    gpuLock = null
  }

  const sameEngine = async (row: RunRow, files: string, dtype: string, settings: RunSettings): Promise<boolean> => {
    const { manifest } = row
    const isSameRequest =
      JSON.stringify(manifest.model.files) === files &&
      manifest.engine.dtype === dtype &&
      manifest.settings.device === settings.device &&
      manifest.settings.scoring === settings.scoring &&
      asksForCap(manifest.settings.modelArgs) === asksForCap(settings.modelArgs) &&
      manifest.app.build === appBuild
    if (!isSameRequest) return false
    if (manifest.engine.device === 'wasm') return manifest.engine.threads === expectedThreads()
    const adapter = await describeAdapter()
    return (
      adapter !== null &&
      isSameAdapter(adapter, manifest.engine.adapter) &&
      JSON.stringify(kernelFeatures(adapter.features)) === JSON.stringify(manifest.engine.adapter?.features) &&
      asksForMore(switches ?? []) === asksForMore(manifest.engine.switches ?? [])
    )
  }

  return {
    async open(model, dtype, settings, { checkItems, asBefore, onBytes, onPhase, signal }) {
      const payload = await model.fetch(dtype, onBytes, signal)
      const device = asBefore?.device ?? settings.device
      await reserveGpu(device, signal)
      onPhase('self-check')
      const opened = await openInWorker(payload, device, dtype, settings, { checkItems, runTokens: asBefore?.fast?.layout.tokens })
      if (opened.facts.device === 'wasm') releaseGpu()
      return recoveringModel({
        opened,
        // The files are kept, so they are read again rather than held in memory twice. Device and layout are named: a run never changes them.
        reopen: async () => {
          const again = await model.fetch(dtype, () => undefined, signal)
          return openInWorker(again, opened.facts.device, dtype, settings, { checkItems, runTokens: opened.facts.fast?.layout.tokens })
        },
        describeAdapter,
        discard,
        emit,
        signal,
        now,
        sleep,
      })
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
      releaseGpu()
    },
  }
}

/** The engine's own rule (engines/ort.ts): up to four threads, one without cross-origin isolation. */
function expectedThreads(): number {
  return globalThis.crossOriginIsolated ? Math.max(1, Math.min(4, navigator.hardwareConcurrency)) : 1
}

function countTokens(items: readonly Pick<ForwardItem, 'input'>[]): number {
  return items.reduce((sum, { input }) => sum + input.length, 0)
}
