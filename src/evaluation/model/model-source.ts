/** A model repository resolved to one commit: what it offers, what of it can run here, and its files. */
import { EvalError } from '../../base/errors.ts'
import type { Device, DeviceChoice } from '../../contracts/engine.ts'
import type { DtypeOption, ModelDescription, RepoFile, RepoSnapshot, TokenizerFiles } from '../../contracts/models.ts'
import { checkpointFiles, offeredDtypes } from '../../conversion/offered-dtypes.ts'
import { sha256Hex } from '../../data/digests.ts'
import type { AdapterFacts } from '../../contracts/model-session.ts'
import { defaultDtype, dtypesAmong, listDtypes } from '../../engines/graph/dtypes.ts'
import { readGraphFacts } from '../../engines/graph/graph-facts.ts'
import { requireDecoderGraph } from '../../engines/graph/graph-support.ts'
import { readDecoderConfig, type DecoderConfig } from '../../engines/graph/model-config.ts'
import { requireDecoder } from '../../engines/graph/model-kinds.ts'
import { estimateMemory, refuse } from '../../engines/memory.ts'
import { longestRunOver } from '../../engines/scoring/reference-scoring.ts'
import type { ResolvedModel } from '../ports.ts'

type OnBytes = (file: string, loaded: number, total: number | null) => void

/** One repository at one commit; `data/hub/hub.ts` gives both functions. */
export interface ModelRepo {
  readonly snapshot: RepoSnapshot
  fetch(file: RepoFile, onBytes: OnBytes, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>>
  /** As `fetch`, for weights: nothing of them stays in this worker's memory. */
  fetchBlob(file: RepoFile, onBytes: OnBytes, signal: AbortSignal): Promise<Blob>
}

export interface Surroundings {
  readonly device: DeviceChoice
  readonly adapter: AdapterFacts | null
  /** Bytes that the origin may still store; null when unknown. */
  readonly storageBytes: number | null
}

const tokenizerPaths = ['tokenizer.json', 'tokenizer_config.json'] as const

/**
 * What a repository offers, from its list of files and its config.json alone: a tokenizer can take tens of megabytes. `refusal` of each
 * dtype says why it can't run in these surroundings. Throws `model/no-onnx`, `model/unsupported` for what is no decoder or keeps more than keys and
 * values, `model/corrupt`, `tokenizer/broken` for a missing tokenizer, and `hub/*`.
 */
export async function describeModel(
  repo: ModelRepo,
  surroundings: Surroundings,
  signal: AbortSignal,
): Promise<{ readonly description: ModelDescription; readonly configText: string }> {
  const { snapshot } = repo
  const isCheckpoint = checkpointOf(snapshot).length > 0
  const exported = isCheckpoint ? [] : listDtypes(snapshot.files, snapshot.id)
  const configText = await readText(repo, 'config.json', signal)
  if (configText === null) throw new EvalError('model/corrupt', `${snapshot.id} has no config.json at commit ${snapshot.commit}.`)
  if (!snapshot.files.some(({ path }) => path === 'tokenizer.json')) throw noTokenizer(snapshot)
  requireDecoder(configText, snapshot.id)
  const config = readDecoderConfig(configText)
  const options = isCheckpoint ? madeHere(snapshot, configText) : exported
  // Before a task is known, what any run needs counts: one pass.
  const windowTokens = longestRunOver(config.vocabularySize)
  const dtypes = options.map((option) => ({ ...option, refusal: refusalOf(option, config, surroundings, windowTokens) }))
  const description: ModelDescription = {
    id: snapshot.id,
    revision: snapshot.requestedRevision,
    commit: snapshot.commit,
    license: snapshot.license,
    architecture: config.architecture,
    maxLength: config.maxPositions ?? 2048,
    dtypes,
    defaultDtype: isCheckpoint ? widestDtype(dtypes) : defaultDtype(dtypes, surroundings.adapter?.hasShaderF16 ?? false),
  }
  return { description, configText }
}

/** The files of a repository's weights where it has no ONNX files; empty where it has. */
function checkpointOf({ files }: RepoSnapshot): readonly RepoFile[] {
  return dtypesAmong(files.map(({ path }) => path)).length > 0 ? [] : checkpointFiles(files)
}

/** The dtypes that a checkpoint is made into here; `bytes` as they are run, of whatever dtype the checkpoint is. */
function madeHere(snapshot: RepoSnapshot, configText: string): DtypeOption[] {
  const [first, ...others] = checkpointOf(snapshot).map(({ path }) => path)
  if (first === undefined) return []
  return offeredDtypes(configText).map(({ dtype, bytes }) => ({ dtype, file: first, externalFiles: others, bytes, refusal: null }))
}

/** Of a checkpoint the dtype with the harness's own numbers, where it can run. */
function widestDtype(options: readonly DtypeOption[]): string | null {
  return options.find(({ refusal }) => refusal === null)?.dtype ?? null
}

/** Describes a repository and reads its tokenizer. Throws as `describeModel`. */
export async function resolveModel(repo: ModelRepo, surroundings: Surroundings, signal: AbortSignal): Promise<ResolvedModel> {
  const { snapshot } = repo
  const { description, configText } = await describeModel(repo, surroundings, signal)
  const { dtypes } = description
  const filesOf = (dtype: string): readonly RepoFile[] => {
    const option = dtypes.find((one) => one.dtype === dtype)
    if (option === undefined) throw new EvalError('model/unknown-dtype', `${snapshot.id} has no dtype ${dtype}.`)
    return snapshot.files.filter((file) => file.path === option.file || option.externalFiles.includes(file.path))
  }
  return {
    description,
    hasShaderF16: surroundings.adapter?.hasShaderF16 ?? false,
    tokenizerFiles: await readTokenizerFiles(repo, configText, signal),
    refusalFor(dtype, windowTokens) {
      const option = dtypes.find((one) => one.dtype === dtype)
      return option === undefined ? null : refusalOf(option, readDecoderConfig(configText), surroundings, windowTokens)
    },
    async filesOf(dtype) {
      const described = filesOf(dtype).map(async (file) => ({
        path: file.path,
        bytes: file.bytes,
        // The Hub gives no SHA-256 of files outside LFS; those are small.
        sha256: file.sha256 ?? (await sha256Hex(await repo.fetch(file, () => undefined, signal))),
      }))
      return Promise.all([...described, configFile(snapshot, configText)])
    },
    async fetch(dtype, onBytes, abort) {
      const option = dtypes.find((one) => one.dtype === dtype)
      const files = filesOf(dtype)
      if (checkpointOf(snapshot).length > 0) {
        for (const file of files) onBytes(file.path, 0, file.bytes)
        const contents = await fetchAll(repo, files, onBytes, abort)
        return { checkpoint: named(files, contents), config: configText }
      }
      const graph = files.find((file) => file.path === option?.file)
      if (graph === undefined) throw new EvalError('model/corrupt', `${snapshot.id} lists dtype ${dtype} without its graph.`)
      // The whole of the download is known before its first byte.
      for (const file of files) onBytes(file.path, 0, file.bytes)
      const weights = files.filter((file) => file !== graph)
      const graphBytes = await repo.fetchBlob(graph, onBytes, abort)
      // Without its weights a graph is small, and says what it wants before they are fetched.
      if (weights.length > 0 && graphBytes.size <= mostGraphBytes)
        requireDecoderGraph(readGraphFacts(new Uint8Array(await graphBytes.arrayBuffer())), readDecoderConfig(configText))
      const contents = await fetchAll(repo, weights, onBytes, abort)
      return { graph: graphBytes, externalData: named(weights, contents), config: configText }
    },
  }
}

/** Contents by their files' names without folders. */
function named(files: readonly RepoFile[], contents: readonly Blob[]): { readonly path: string; readonly bytes: Blob }[] {
  return files.flatMap((file, index) => {
    const bytes = contents[index]
    return bytes === undefined ? [] : [{ path: file.path.slice(file.path.lastIndexOf('/') + 1), bytes }]
  })
}

/** Graphs that are read here: larger ones hold weights. */
const mostGraphBytes = 64 * 2 ** 20

/** The files' contents in their order, fetched side by side. When one fails the others are stopped, and have ended before this fails. */
async function fetchAll(repo: ModelRepo, files: readonly RepoFile[], onBytes: OnBytes, signal: AbortSignal): Promise<readonly Blob[]> {
  const failed = new AbortController()
  const either = AbortSignal.any([signal, failed.signal])
  const ends = await Promise.allSettled(
    files.map(async (file) => {
      try {
        return await repo.fetchBlob(file, onBytes, either)
      } catch (error) {
        // The first error is the cause; the others only hear that they were stopped.
        if (!either.aborted) failed.abort(error)
        throw error
      }
    }),
  )
  if (failed.signal.aborted) throw failed.signal.reason
  return ends.map((end) => {
    if (end.status === 'rejected') throw end.reason
    return end.value
  })
}

async function configFile(snapshot: RepoSnapshot, text: string): Promise<{ path: string; bytes: number; sha256: string }> {
  const bytes = snapshot.files.find((file) => file.path === 'config.json')?.bytes ?? text.length
  return { path: 'config.json', bytes, sha256: await sha256Hex(text) }
}

/** A dtype is refused under `auto` only when neither device can run it. */
function refusalOf(
  option: DtypeOption,
  config: DecoderConfig,
  { device, adapter, storageBytes }: Surroundings,
  windowTokens: number,
): string | null {
  const run = { windowTokens, runTokens: longestRunOver(config.vocabularySize) }
  const estimate = estimateMemory(option, config, run)
  const refuseOn = (one: Device) => refuse(option.dtype, { device: one, adapter, estimate, storageBytes })
  if (device !== 'auto') return refuseOn(device)
  const onWasm = refuseOn('wasm')
  return onWasm === null || adapter === null || adapter.isFallback ? onWasm : refuseOn('webgpu')
}

async function readText(repo: ModelRepo, path: string, signal: AbortSignal): Promise<string | null> {
  const file = repo.snapshot.files.find((one) => one.path === path)
  if (file === undefined) return null
  return new TextDecoder().decode(await repo.fetch(file, () => undefined, signal))
}

async function readTokenizerFiles(repo: ModelRepo, config: string, signal: AbortSignal): Promise<TokenizerFiles> {
  const [tokenizerJson, tokenizerConfig] = await Promise.all(tokenizerPaths.map((path) => readText(repo, path, signal)))
  if (tokenizerJson === null || tokenizerJson === undefined) throw noTokenizer(repo.snapshot)
  const [specialTokensMap, chatTemplate, generationConfig] = await Promise.all(
    ['special_tokens_map.json', 'chat_template.jinja', 'generation_config.json'].map((path) => readText(repo, path, signal)),
  )
  return {
    tokenizerJson,
    tokenizerConfig: tokenizerConfig ?? '{}',
    specialTokensMap: specialTokensMap ?? null,
    chatTemplate: chatTemplate ?? null,
    generationConfig: generationConfig ?? null,
    config,
  }
}

function noTokenizer({ id, commit }: RepoSnapshot): EvalError {
  return new EvalError('tokenizer/broken', `${id} has no tokenizer.json at commit ${commit}: the tokenizer can't be built without it.`)
}
