/** The list of models that ship with the page, `hub/embedded.json`. */
import { EvalError } from '../../base/errors.ts'
import { isRecord } from '../../base/guards.ts'

/** A model under `hub/`, ready without any download from elsewhere. */
export interface EmbeddedModel {
  readonly id: string
  /** Newest first; the first one is taken unless another is asked for. */
  readonly revisions: readonly string[]
  readonly dtypes: readonly string[]
  readonly family: string
  readonly title: string
  readonly description: string
  readonly parameters: number | null
  readonly license: string | null
  readonly defaultDtype: string | null
  /** Tasks that the page ticks when this model is preselected; empty = the page chooses. */
  readonly defaultTasks: readonly string[]
  readonly isDefault: boolean
}

/**
 * The models of `hub/embedded.json`, the default first.
 *
 * Takes `{models: [...], default: {model, tasks}}` or a bare list; only `id` is required of an entry. Throws `hub/corrupt` for anything else.
 */
export function readEmbeddedModels(json: unknown): EmbeddedModel[] {
  const list = Array.isArray(json) ? json : isRecord(json) ? json['models'] : null
  if (!Array.isArray(list)) throw new EvalError('hub/corrupt', 'hub/embedded.json: wanted a list of models')
  const preset = isRecord(json) && isRecord(json['default']) ? json['default'] : {}
  const models = list.map((entry: unknown, index) => readModel(entry, index, preset))
  return [...models.filter((model) => model.isDefault), ...models.filter((model) => !model.isDefault)]
}

function readModel(entry: unknown, index: number, preset: { readonly [key: string]: unknown }): EmbeddedModel {
  if (!isRecord(entry) || typeof entry['id'] !== 'string') {
    throw new EvalError('hub/corrupt', `hub/embedded.json: entry ${index} has no "id"`)
  }
  const id = entry['id']
  return {
    id,
    revisions: names(entry['revisions'], 'revision'),
    dtypes: names(entry['dtypes'], 'dtype'),
    family: text(entry['family']) ?? 'other',
    title: text(entry['title']) ?? id,
    description: text(entry['description']) ?? '',
    parameters: typeof entry['parameters'] === 'number' ? entry['parameters'] : null,
    license: text(entry['license']),
    defaultDtype: text(entry['default_dtype']),
    defaultTasks: names(preset['tasks'], 'name'),
    isDefault: id === preset['model'],
  }
}

/** Names out of a list of strings or of objects that carry the name under `key`, or out of an object's keys. */
function names(value: unknown, key: string): string[] {
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown) => {
      const name = isRecord(item) ? (item[key] ?? item['name']) : item
      return typeof name === 'string' ? [name] : []
    })
  }
  return isRecord(value) ? Object.keys(value) : []
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
