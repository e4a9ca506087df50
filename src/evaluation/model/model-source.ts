/** A model repository resolved to one commit: what it offers, what of it can run here, and its files. */
import { EvalError, isEvalError } from '../../base/errors.ts'
import type { Device, DeviceChoice } from '../../contracts/engine.ts'
import type { DtypeOption, ModelDescription, ModelForm, ModelFormat, RepoSnapshot, TokenizerFiles } from '../../contracts/models.ts'
import { sha256Hex } from '../../data/digests.ts'
import type { AdapterFacts } from '../../contracts/model-session.ts'
import { readDecoderConfig, type DecoderConfig } from '../../engines/graph/model-config.ts'
import { requireDecoder } from '../../engines/graph/model-kinds.ts'
import { estimateMemory, refuse } from '../../engines/memory.ts'
import { longestRunOver } from '../../engines/scoring/reference-scoring.ts'
import type { ResolvedModel } from '../ports.ts'
import { filesOf, type FormReader, type ModelRepo } from './forms/form.ts'
import { formsAmong, takeForm } from './forms/forms.ts'
import { readText } from './forms/repo-texts.ts'

export type { ModelRepo } from './forms/form.ts'

export interface Surroundings {
  readonly device: DeviceChoice
  readonly adapter: AdapterFacts | null
  /** Bytes that the origin may still store; null when unknown. */
  readonly storageBytes: number | null
}

const tokenizerPaths = ['tokenizer.json', 'tokenizer_config.json'] as const

/**
 * What a repository offers, from its list of files and its config.json alone: a tokenizer can take tens of megabytes. `refusal` of each
 * dtype says why it can't run in these surroundings. `wanted` is the form to take; null for the first that there is. Throws `model/no-onnx`,
 * `model/no-form`, `model/unsupported` for what is no decoder or keeps more than keys and values, `model/corrupt`, `tokenizer/broken` for a missing
 * tokenizer, and `hub/*`.
 */
export async function describeModel(
  repo: ModelRepo,
  wanted: ModelFormat | null,
  surroundings: Surroundings,
  signal: AbortSignal,
): Promise<{ readonly description: ModelDescription; readonly configText: string }> {
  const { snapshot } = repo
  const taken = takeForm(snapshot, wanted)
  const configText = await taken.readConfig(repo, signal)
  if (!snapshot.files.some(({ path }) => path === 'tokenizer.json')) throw noTokenizer(snapshot)
  requireDecoder(configText, snapshot.id)
  const form = describeForm(taken, snapshot, configText, surroundings)
  const offered = formsAmong(snapshot.files.map(({ path }) => path))
  const forms = await Promise.all(offered.map(async (one) => (one === taken ? form : describeOther(one, repo, surroundings, signal))))
  const config = readDecoderConfig(configText)
  const description: ModelDescription = {
    id: snapshot.id,
    revision: snapshot.requestedRevision,
    commit: snapshot.commit,
    license: snapshot.license,
    architecture: config.architecture,
    maxLength: config.maxPositions ?? 2048,
    format: taken.format,
    forms,
    dtypes: form.dtypes,
    defaultDtype: form.defaultDtype,
  }
  return { description, configText }
}

function describeForm(reader: FormReader, snapshot: RepoSnapshot, configText: string, surroundings: Surroundings): ModelForm {
  const config = readDecoderConfig(configText)
  // Before a task is known, what any run needs counts: one pass.
  const windowTokens = longestRunOver(config.vocabularySize)
  const dtypes = reader
    .listDtypes(snapshot, configText)
    .map((option) => ({ ...option, refusal: refusalOf(option, config, surroundings, windowTokens) }))
  const defaultDtype = reader.defaultDtype(dtypes, surroundings.adapter?.hasShaderF16 ?? false)
  return { format: reader.format, dtypes, defaultDtype, refusal: null }
}

/** A form that isn't taken: what is wrong with it is told, and is no reason to refuse the one that is. */
async function describeOther(reader: FormReader, repo: ModelRepo, surroundings: Surroundings, signal: AbortSignal): Promise<ModelForm> {
  try {
    return describeForm(reader, repo.snapshot, await reader.readConfig(repo, signal), surroundings)
  } catch (error) {
    if (!isEvalError(error) || !error.code.startsWith('model/')) throw error
    return { format: reader.format, dtypes: [], defaultDtype: null, refusal: error.message }
  }
}

/** Describes a repository and reads its tokenizer. Throws as `describeModel`. */
export async function resolveModel(
  repo: ModelRepo,
  wanted: ModelFormat | null,
  surroundings: Surroundings,
  signal: AbortSignal,
): Promise<ResolvedModel> {
  const { snapshot } = repo
  const reader = takeForm(snapshot, wanted)
  const { description, configText } = await describeModel(repo, wanted, surroundings, signal)
  const optionOf = (dtype: string): DtypeOption => {
    const option = description.dtypes.find((one) => one.dtype === dtype)
    if (option === undefined) throw new EvalError('model/unknown-dtype', `${snapshot.id} has no dtype ${dtype}.`)
    return option
  }
  return {
    description,
    tokenizerFiles: await readTokenizerFiles(repo, configText, signal),
    refusalFor: (dtype, windowTokens) => refusalOf(optionOf(dtype), readDecoderConfig(configText), surroundings, windowTokens),
    async filesOf(dtype) {
      const described = filesOf(snapshot, optionOf(dtype)).map(async (file) => ({
        path: file.path,
        bytes: file.bytes,
        // The Hub gives no SHA-256 of files outside LFS; those are small.
        sha256: file.sha256 ?? (await sha256Hex(await repo.fetch(file, () => undefined, signal))),
      }))
      return Promise.all([...described, configFile(snapshot, configText)])
    },
    fetch: (dtype, onBytes, abort) => reader.fetch(repo, optionOf(dtype), configText, onBytes, abort),
  }
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
