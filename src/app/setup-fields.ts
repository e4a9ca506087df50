/** What the set-up form holds, and its way to run settings, to a link, and back. */
import { EvalError, isEvalError, type Json } from '../core/errors.ts'
import { parseShard, shardText, type Shard } from '../core/shards/shard.ts'
import type { DeviceChoice, RunSettings, TaskFile } from '../core/types.ts'
import { formatKeyValues, parseKeyValues } from './key-values.ts'
import type { Query } from './router.svelte.ts'

/** The form as typed: text stays text until the run starts, so that half-typed numbers are never lost. */
export interface SetupFields {
  model: string
  revision: string
  /** Empty = the model's default. */
  dtype: string
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
}

export type SetupField = keyof SetupFields

/** One field that can't be used as it is; `found` is what was typed. */
export interface FieldProblem {
  readonly field: SetupField
  readonly kind: 'missing' | 'not-a-count' | 'not-a-limit' | 'not-arguments' | 'not-seeds' | 'not-a-shard'
  readonly found: string
}

export type ReadFields =
  { readonly ok: true; readonly settings: RunSettings } | { readonly ok: false; readonly problems: readonly FieldProblem[] }

/** The harness's own defaults (lm_eval 0.4.13 `run` flags). */
export function defaultFields(): SetupFields {
  return {
    model: '',
    revision: 'main',
    dtype: '',
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
  }
}

/** Run settings out of the form, or every field that stands in their way. */
export function readFields(fields: SetupFields, taskFiles: readonly TaskFile[]): ReadFields {
  const problems: FieldProblem[] = []
  const read = <T>(field: SetupField, kind: FieldProblem['kind'], parse: (text: string) => T, otherwise: T): T => {
    const found = String(fields[field])
    try {
      return parse(found.trim())
    } catch (error) {
      if (!isEvalError(error)) throw error
      problems.push({ field, kind, found })
      return otherwise
    }
  }
  if (fields.model.trim() === '') problems.push({ field: 'model', kind: 'missing', found: '' })
  if (fields.tasks.length === 0) problems.push({ field: 'tasks', kind: 'missing', found: '' })
  const noiseItems = read('noiseItems', 'not-a-count', optionalCount, null) ?? 0
  const shard = read('shard', 'not-a-shard', optionalShard, null)
  const settings: RunSettings = {
    model: fields.model.trim(),
    revision: fields.revision.trim() === '' ? 'main' : fields.revision.trim(),
    dtype: fields.dtype === '' ? null : fields.dtype,
    modelArgs: read('modelArgs', 'not-arguments', parseKeyValues, {}),
    device: fields.device,
    scoring: 'fast',
    tasks: [...fields.tasks],
    taskFiles: taskFiles.map(({ path, text }) => ({ path, text })),
    dataFiles: {},
    numFewshot: read('numFewshot', 'not-a-count', optionalCount, null),
    limit: read('limit', 'not-a-limit', optionalLimit, null),
    samples: null,
    applyChatTemplate: chatTemplate(fields),
    fewshotAsMultiturn: fields.fewshotAsMultiturn === 'default' ? null : fields.fewshotAsMultiturn === 'true',
    systemInstruction: fields.systemInstruction === '' ? null : fields.systemInstruction,
    genKwargs: read('genKwargs', 'not-arguments', parseKeyValues, {}),
    seeds: read('seed', 'not-seeds', parseSeeds, { random: 0, numpy: 1234, torch: 1234, fewshot: 1234 }),
    bootstrapIters: read('bootstrapIters', 'not-a-count', (text) => optionalCount(text) ?? 100000, 100000),
    predictOnly: fields.predictOnly,
    metadata: read('metadata', 'not-arguments', parseKeyValues, {}),
    useCache: fields.useCache,
    ...(noiseItems === 0 ? {} : { noiseItems }),
    ...(shard === null ? {} : { shard }),
  }
  return problems.length === 0 ? { ok: true, settings } : { ok: false, problems }
}

/** The query of `#/?…` that fills the form in the same way; the harness's flag names, defaults left out. */
export function settingsToQuery(settings: RunSettings): Query {
  const { random, numpy, torch, fewshot } = settings.seeds
  const seed = [random, numpy, torch, fewshot].join(',')
  const query: { [name: string]: string } = {
    model: settings.model,
    revision: settings.revision === 'main' ? '' : settings.revision,
    tasks: settings.tasks.join(','),
    dtype: settings.dtype ?? '',
    device: settings.device === 'auto' ? '' : settings.device,
    limit: settings.limit === null ? '' : String(settings.limit),
    num_fewshot: settings.numFewshot === null ? '' : String(settings.numFewshot),
    apply_chat_template: settings.applyChatTemplate === false ? '' : String(settings.applyChatTemplate),
    fewshot_as_multiturn: settings.fewshotAsMultiturn === null ? '' : String(settings.fewshotAsMultiturn),
    system_instruction: settings.systemInstruction ?? '',
    model_args: isEmpty(settings.modelArgs) ? '' : formatKeyValues(settings.modelArgs),
    gen_kwargs: isEmpty(settings.genKwargs) ? '' : formatKeyValues(settings.genKwargs),
    seed: seed === defaultFields().seed ? '' : seed,
    predict_only: settings.predictOnly ? 'true' : '',
    metadata: isEmpty(settings.metadata) ? '' : formatKeyValues(settings.metadata),
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

function chatTemplate(fields: SetupFields): boolean | string {
  if (!fields.applyChatTemplate) return false
  return fields.chatTemplateName.trim() === '' ? true : fields.chatTemplateName.trim()
}

function optionalCount(text: string): number | null {
  if (text === '') return null
  if (!/^\d+$/.test(text)) throw new EvalError('settings/invalid', `wanted a whole number, found "${text}"`)
  return Number(text)
}

function optionalShard(text: string): Shard | null {
  if (text === '') return null
  const shard = parseShard(text)
  if (shard === null) throw new EvalError('settings/invalid', `wanted a part such as 1/3, found "${text}"`)
  return shard
}

/** A whole number of docs, or a share of them between 0 and 1, as `--limit` takes it. */
function optionalLimit(text: string): number | null {
  if (text === '') return null
  const value = Number(text)
  const isLimit = value > 0 && (Number.isInteger(value) || value < 1)
  if (!isLimit) throw new EvalError('settings/invalid', `wanted a number of docs or a share below 1, found "${text}"`)
  return value
}

/** One seed for all four generators, or four in the harness's order; `None` isn't offered because it can't be repeated. */
function parseSeeds(text: string): RunSettings['seeds'] {
  const parts = text.split(',').map((part) => part.trim())
  const isSeeds = (parts.length === 1 || parts.length === 4) && parts.every((part) => /^\d+$/.test(part))
  if (!isSeeds) throw new EvalError('settings/invalid', `wanted one or four whole numbers, found "${text}"`)
  const [random = 0, numpy = random, torch = random, fewshot = random] = parts.map(Number)
  return { random, numpy, torch, fewshot }
}

function isEmpty(values: { readonly [key: string]: Json }): boolean {
  return Object.keys(values).length === 0
}
