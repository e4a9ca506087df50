/** From what the set-up form holds to run settings. A file of its own: it is wanted when a run starts, not when the page opens. */
import { EvalError, isEvalError, type Json } from '../../base/errors.ts'
import type { RunSettings, TaskFile } from '../../contracts/run-settings.ts'
import { parseShard, type Shard } from '../../contracts/shard.ts'
import { parseKeyValues } from '../../settings/key-values.ts'
import { namedAsHflm, namingArgs } from '../../settings/model-args.ts'
import type { FieldProblem, SetupField, SetupFields } from './setup-fields.ts'

type ReadFields = { readonly ok: true; readonly settings: RunSettings } | { readonly ok: false; readonly problems: readonly FieldProblem[] }

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
  const readArguments = (field: 'modelArgs' | 'genKwargs' | 'metadata'): { readonly [key: string]: Json } => {
    const given = read(field, 'not-arguments', parseKeyValues, {})
    const names = namingArgs(given, field === 'metadata' ? field : undefined)
    if (names.length > 0) problems.push({ field, kind: 'naming', found: names.join(', ') })
    return given
  }
  if (fields.model.trim() === '') problems.push({ field: 'model', kind: 'missing', found: '' })
  if (fields.tasks.length === 0) problems.push({ field: 'tasks', kind: 'missing', found: '' })
  const noiseItems = read('noiseItems', 'not-a-count', optionalCount, null) ?? 0
  const shard = read('shard', 'not-a-shard', optionalShard, null)
  const settings: RunSettings = {
    model: fields.model.trim(),
    revision: fields.revision.trim() === '' ? 'main' : fields.revision.trim(),
    dtype: fields.dtype === '' ? null : fields.dtype,
    ...(fields.modelFormat === '' ? {} : { modelFormat: fields.modelFormat }),
    modelArgs: namedAsHflm(readArguments('modelArgs')),
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
    genKwargs: readArguments('genKwargs'),
    seeds: read('seed', 'not-seeds', parseSeeds, { random: 0, numpy: 1234, torch: 1234, fewshot: 1234 }),
    bootstrapIters: read('bootstrapIters', 'not-a-count', (text) => optionalCount(text) ?? 100000, 100000),
    predictOnly: fields.predictOnly,
    metadata: readArguments('metadata'),
    useCache: fields.useCache,
    ...(fields.keepsPacked ? { keepsPacked: true } : {}),
    ...(noiseItems === 0 ? {} : { noiseItems }),
    ...(shard === null ? {} : { shard }),
  }
  return problems.length === 0 ? { ok: true, settings } : { ok: false, problems }
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
