/** A model repository resolved to one commit: what it offers, what of it can run here, and its files. */
import { EvalError, isEvalError } from '../../base/errors.ts'
import type { Device, DeviceChoice } from '../../contracts/engine.ts'
import type { DtypeOption, ModelDescription, ModelForm, ModelFormat, RepoSnapshot } from '../../contracts/models.ts'
import { sha256Hex } from '../../data/digests.ts'
import type { AdapterFacts } from '../../contracts/model-session.ts'
import { unpackedType } from '../../engines/device.ts'
import { readDecoderConfig, type DecoderConfig } from '../../engines/graph/model-config.ts'
import { requireDecoder } from '../../engines/graph/model-kinds.ts'
import { estimateMemory, refuse } from '../../engines/memory.ts'
import { longestRunOver } from '../../engines/scoring/reference-scoring.ts'
import type { ResolvedModel } from '../ports.ts'
import { filesOf, type FormFacts, type FormReader, type ModelRepo } from './forms/form.ts'
import { formsAmong, takeForm } from './forms/forms.ts'
import { findTokenizer, requireTokenizer } from './forms/model-tokenizer.ts'

export type { ModelRepo } from './forms/form.ts'

export interface Surroundings {
  readonly device: DeviceChoice
  readonly adapter: AdapterFacts | null
  /** Bytes that the origin may still store; null when unknown. */
  readonly storageBytes: number | null
}

/** What of a repository is asked for. */
export interface Wanted {
  /** Null for the first form that there is. */
  readonly format: ModelFormat | null
  /** A dtype, or a file's name; null for the default. */
  readonly dtype: string | null
}

/**
 * What a repository offers, from its list of files and its config.json alone: a tokenizer can take tens of megabytes. `refusal` of each
 * dtype says why it can't run in these surroundings. Throws `model/no-onnx`,
 * `model/no-form`, `model/unsupported` for what is no decoder or keeps more than keys and values, `model/corrupt`, `tokenizer/broken` for a missing
 * tokenizer, and `hub/*`.
 */
export async function describeModel(
  repo: ModelRepo,
  { format, dtype }: Wanted,
  surroundings: Surroundings,
  signal: AbortSignal,
): Promise<{ readonly description: ModelDescription; readonly facts: FormFacts }> {
  const { snapshot } = repo
  const taken = takeForm(snapshot, format)
  const facts = await taken.read(repo, dtype, signal)
  requireTokenizer(snapshot, facts)
  requireDecoder(facts.configText, snapshot.id)
  const form = describeForm(taken, facts, snapshot, surroundings)
  const offered = formsAmong(snapshot.files.map(({ path }) => path))
  const forms = await Promise.all(offered.map(async (one) => (one === taken ? form : describeOther(one, repo, surroundings, signal))))
  const config = readDecoderConfig(facts.configText)
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
  return { description, facts }
}

function describeForm(reader: FormReader, facts: FormFacts, snapshot: RepoSnapshot, surroundings: Surroundings): ModelForm {
  const config = readDecoderConfig(facts.configText)
  // Before a task is known, what any run needs counts: one pass.
  const windowTokens = longestRunOver(config.vocabularySize)
  const dtypes = facts
    .listDtypes(unpackedType(surroundings.device, surroundings.adapter))
    .map((option) => ({ ...option, refusal: refusalOf(option, snapshot, config, surroundings, windowTokens) }))
  const defaultDtype = reader.defaultDtype(dtypes, surroundings.adapter?.hasShaderF16 ?? false)
  return { format: reader.format, dtypes, defaultDtype, refusal: null }
}

/** A form that isn't taken: what is wrong with it is told, and is no reason to refuse the one that is. */
async function describeOther(reader: FormReader, repo: ModelRepo, surroundings: Surroundings, signal: AbortSignal): Promise<ModelForm> {
  try {
    return describeForm(reader, await reader.read(repo, null, signal), repo.snapshot, surroundings)
  } catch (error) {
    if (!isEvalError(error) || !error.code.startsWith('model/')) throw error
    return { format: reader.format, dtypes: [], defaultDtype: null, refusal: error.message }
  }
}

/** Describes a repository and reads its tokenizer. Throws as `describeModel`. */
export async function resolveModel(
  repo: ModelRepo,
  wanted: Wanted,
  surroundings: Surroundings,
  signal: AbortSignal,
): Promise<ResolvedModel> {
  const { snapshot } = repo
  const reader = takeForm(snapshot, wanted.format)
  const { description, facts } = await describeModel(repo, wanted, surroundings, signal)
  const { configText } = facts
  const optionOf = (dtype: string): DtypeOption => {
    const option = description.dtypes.find((one) => one.dtype === dtype)
    if (option === undefined) throw new EvalError('model/unknown-dtype', `${snapshot.id} has no dtype ${dtype}.`)
    return option
  }
  return {
    description,
    ...(await findTokenizer(repo, facts, signal)),
    refusalFor: (dtype, windowTokens) => refusalOf(optionOf(dtype), snapshot, readDecoderConfig(configText), surroundings, windowTokens),
    async filesOf(dtype) {
      const described = filesOf(snapshot, optionOf(dtype)).map(async (file) => ({
        path: file.path,
        bytes: file.bytes,
        // The Hub gives no SHA-256 of files outside LFS; those are small.
        sha256: file.sha256 ?? (await sha256Hex(await repo.fetch(file, () => undefined, signal))),
      }))
      // What a GGUF file's config is stands in the file.
      return Promise.all(reader.format === 'gguf' ? described : [...described, configFile(snapshot, configText)])
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
  snapshot: RepoSnapshot,
  config: DecoderConfig,
  { device, adapter, storageBytes }: Surroundings,
  windowTokens: number,
): string | null {
  const run = { windowTokens, runTokens: longestRunOver(config.vocabularySize) }
  const estimate = estimateMemory(option, config, run)
  const fileBytes = filesOf(snapshot, option).reduce((sum, { bytes }) => sum + bytes, 0)
  const refuseOn = (one: Device) => refuse(option.dtype, { device: one, adapter, estimate, fileBytes, storageBytes })
  if (device !== 'auto') return refuseOn(device)
  const onWasm = refuseOn('wasm')
  return onWasm === null || adapter === null || adapter.isFallback ? onWasm : refuseOn('webgpu')
}
