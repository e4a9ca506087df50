/** What the set-up form holds, and its way from run settings to a link and back; its way to run settings is `read-fields.ts`. */
import type { Json } from '../../base/errors.ts'
import type { DeviceChoice } from '../../contracts/engine.ts'
import { modelFormats, type ModelFormat } from '../../contracts/models.ts'
import type { RunSettings } from '../../contracts/run-settings.ts'
import { shardText } from '../../contracts/shard.ts'
import { argumentsText } from '../../settings/arguments-text.ts'
import { withoutNaming } from '../../settings/model-args.ts'
import type { Query } from '../router.svelte.ts'

/** The form as typed: text stays text until the run starts, so that half-typed numbers are never lost. */
export interface SetupFields {
  model: string
  revision: string
  /** Empty = the model's default. */
  dtype: string
  /** Empty = the first form that the model has. */
  modelFormat: ModelFormat | ''
  device: DeviceChoice
  tasks: string[]
  limit: string
  numFewshot: string
  applyChatTemplate: boolean
  chatTemplateName: string
  fewshotAsMultiturn: 'default' | 'true' | 'false'
  systemInstruction: string
  modelArgs: string
  genKwargs: string
  seed: string
  /** `1/3`, or `1/3+5` with docs that all parts ask; empty = all docs. */
  shard: string
  bootstrapIters: string
  predictOnly: boolean
  /** As `--metadata` takes it. */
  metadata: string
  /** Items to compute again once the run is done; empty for none. */
  noiseItems: string
  useCache: boolean
  /** Weights of 4 and 8 bits stay packed on WASM. */
  keepsPacked: boolean
}

export type SetupField = keyof SetupFields

/** One field that can't be used as it is; `found` is what was typed. */
export interface FieldProblem {
  readonly field: SetupField
  readonly kind: 'missing' | 'missing-file' | 'not-a-count' | 'not-a-limit' | 'not-arguments' | 'naming' | 'not-seeds' | 'not-a-shard'
  readonly found: string
}

/** The harness's own defaults (lm_eval 0.4.13 `run` flags). */
export function defaultFields(): SetupFields {
  return {
    model: '',
    revision: 'main',
    dtype: '',
    modelFormat: '',
    device: 'auto',
    tasks: [],
    limit: '',
    numFewshot: '',
    applyChatTemplate: false,
    chatTemplateName: '',
    fewshotAsMultiturn: 'default',
    systemInstruction: '',
    modelArgs: '',
    genKwargs: '',
    seed: '0,1234,1234,1234',
    shard: '',
    bootstrapIters: '100000',
    predictOnly: false,
    metadata: '',
    noiseItems: '',
    useCache: true,
    keepsPacked: false,
  }
}

/** The query of `#/?…` that fills the form in the same way; the harness's flag names, defaults left out. */
export function settingsToQuery(settings: RunSettings): Query {
  const { random, numpy, torch, fewshot } = settings.seeds
  const seed = [random, numpy, torch, fewshot].join(',')
  const modelArgs = withoutNaming(settings.modelArgs)
  const query: { [name: string]: string } = {
    model: settings.model,
    revision: settings.revision === 'main' ? '' : settings.revision,
    tasks: settings.tasks.join(','),
    dtype: settings.dtype ?? '',
    model_format: settings.modelFormat ?? '',
    device: settings.device === 'auto' ? '' : settings.device,
    limit: settings.limit === null ? '' : String(settings.limit),
    num_fewshot: settings.numFewshot === null ? '' : String(settings.numFewshot),
    apply_chat_template: settings.applyChatTemplate === false ? '' : String(settings.applyChatTemplate),
    fewshot_as_multiturn: settings.fewshotAsMultiturn === null ? '' : String(settings.fewshotAsMultiturn),
    system_instruction: settings.systemInstruction ?? '',
    model_args: isEmpty(modelArgs) ? '' : argumentsText(modelArgs),
    gen_kwargs: isEmpty(settings.genKwargs) ? '' : argumentsText(settings.genKwargs),
    seed: seed === defaultFields().seed ? '' : seed,
    predict_only: settings.predictOnly ? 'true' : '',
    metadata: isEmpty(settings.metadata) ? '' : argumentsText(settings.metadata),
    noise: String(settings.noiseItems ?? ''),
    shard: settings.shard === undefined ? '' : shardText(settings.shard),
  }
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''))
}

/** The fields that a link's query names; unknown names are ignored, values are taken as typed and checked when the run starts. */
export function queryToFields(query: Query): Partial<SetupFields> {
  const given: Partial<SetupFields> = {}
  const texts: readonly (readonly [
    string,
    (
      | 'model'
      | 'revision'
      | 'dtype'
      | 'limit'
      | 'numFewshot'
      | 'systemInstruction'
      | 'modelArgs'
      | 'genKwargs'
      | 'seed'
      | 'metadata'
      | 'noiseItems'
      | 'shard'
    ),
  ])[] = [
    ['model', 'model'],
    ['revision', 'revision'],
    ['dtype', 'dtype'],
    ['limit', 'limit'],
    ['num_fewshot', 'numFewshot'],
    ['system_instruction', 'systemInstruction'],
    ['model_args', 'modelArgs'],
    ['gen_kwargs', 'genKwargs'],
    ['seed', 'seed'],
    ['metadata', 'metadata'],
    ['noise', 'noiseItems'],
    ['shard', 'shard'],
  ]
  for (const [name, field] of texts) {
    const value = query[name]
    if (value !== undefined && value !== '') given[field] = value
  }
  const format = modelFormats.find((one) => one === query['model_format'])
  if (format !== undefined) given.modelFormat = format
  const { device, tasks, apply_chat_template: template, fewshot_as_multiturn: multiturn } = query
  if (device === 'webgpu' || device === 'wasm' || device === 'auto') given.device = device
  if (tasks !== undefined) given.tasks = [...new Set(tasks.split(',').filter((name) => name !== ''))]
  if (template !== undefined && !/^(false|0|)$/i.test(template)) {
    given.applyChatTemplate = true
    if (!/^(true|1)$/i.test(template)) given.chatTemplateName = template
  }
  if (multiturn !== undefined && /^(true|false)$/i.test(multiturn)) given.fewshotAsMultiturn = /^true$/i.test(multiturn) ? 'true' : 'false'
  if (query['predict_only'] === 'true') given.predictOnly = true
  return given
}

function isEmpty(values: { readonly [key: string]: Json }): boolean {
  return Object.keys(values).length === 0
}
