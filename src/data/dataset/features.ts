/** Column types that a dataset repository declares (`dataset_info` of its README, or `dataset_infos.json`), as `datasets` reads them. */
import { EvalError } from '../../base/errors.ts'
import type { DeclaredColumns, DeclaredFeature } from '../../contracts/declared-columns.ts'

/** Declared columns of each config that declares any. */
type DeclaredConfigs = ReadonlyMap<string, DeclaredColumns>

type Dict = { readonly [key: string]: unknown }

/** The `dataset_info` of a README's front matter: one config (`default` when it has no name) or a list. Throws `dataset/malformed`. */
export function readReadmeFeatures(frontMatter: unknown, where: string): DeclaredConfigs {
  const info = isDict(frontMatter) ? frontMatter['dataset_info'] : null
  const infos: readonly unknown[] = Array.isArray(info) ? info : [info]
  const configs = new Map<string, DeclaredColumns>()
  for (const one of infos.filter(isDict)) {
    const name = one['config_name']
    if (Array.isArray(one['features'])) configs.set(configName(name), columnsOfYaml(one['features'], where))
  }
  return configs
}

/** The file `dataset_infos.json` that older versions of `datasets` wrote. A single config counts as `default`. Throws `dataset/malformed`. */
export function readInfosFile(text: string, where: string): DeclaredConfigs {
  let data: unknown
  try {
    data = JSON.parse(text)
  } catch (cause) {
    throw new EvalError('dataset/malformed', `dataset_infos.json of ${where} is no JSON.`, { cause })
  }
  const infos = isDict(data) ? Object.entries(data) : []
  return new Map(
    infos.flatMap(([name, info]) => {
      const features = isDict(info) ? info['features'] : null
      return isDict(features) ? [[infos.length === 1 ? 'default' : name, fieldsOfJson(features, where)] as const] : []
    }),
  )
}

function configName(name: unknown): string {
  return typeof name === 'string' || typeof name === 'number' ? String(name) : 'default'
}

/** A list of `{name, dtype | list | sequence | struct | class_label …}`. */
export function columnsOfYaml(list: readonly unknown[], where: string): DeclaredColumns {
  return list.map((entry) => {
    if (!isDict(entry)) return bad(where, entry)
    const { name, ...type } = entry
    if (name === undefined || name === null) return bad(where, entry)
    return [configName(name), typeOfYaml(type, where)] as const
  })
}

function typeOfYaml(type: unknown, where: string): DeclaredFeature {
  if (Array.isArray(type)) return { kind: 'struct', fields: columnsOfYaml(type, where) }
  if (!isDict(type)) return bad(where, type)
  const [key] = Object.keys(type)
  // An empty record of fields.
  if (key === undefined) return { kind: 'struct', fields: [] }
  const inner = type[key]
  switch (key) {
    case 'dtype':
      return typeof inner === 'string' ? typeOfName(inner) : typeOfYaml(inner, where)
    case 'struct':
      return typeOfYaml(inner, where)
    case 'list':
    case 'large_list':
    case 'sequence': {
      const item = typeof inner === 'string' ? typeOfName(inner) : typeOfYaml(inner, where)
      const length = lengthOf(type['length'])
      // A sequence of several fields is a record of lists, as TensorFlow's is.
      return key === 'sequence' && Array.isArray(inner) ? recordOfLists(item, length) : { kind: 'list', item, length }
    }
    case 'class_label':
      return { kind: 'label', names: isDict(inner) ? labelNames(inner, where) : bad(where, type) }
    default:
      return { kind: 'other', name: key }
  }
}

function fieldsOfJson(features: Dict, where: string): DeclaredColumns {
  return Object.entries(features).map(([name, type]) => [name, typeOfJson(type, where)] as const)
}

/** The form that `Features.to_dict` writes: `{"dtype": "string", "_type": "Value"}`, a list of one type, or a record of fields. */
function typeOfJson(type: unknown, where: string): DeclaredFeature {
  if (Array.isArray(type)) return { kind: 'list', item: typeOfJson(type[0], where), length: null }
  if (!isDict(type)) return bad(where, type)
  const kind = type['_type']
  // A field may be named `_type` itself, and is then no text.
  if (typeof kind !== 'string') return { kind: 'struct', fields: fieldsOfJson(type, where) }
  switch (kind) {
    case 'Value':
      return typeof type['dtype'] === 'string' ? typeOfName(type['dtype']) : bad(where, type)
    case 'ClassLabel':
      return { kind: 'label', names: labelNames(type, where) }
    case 'Json':
      return { kind: 'json' }
    case 'List':
    case 'LargeList':
    case 'Sequence': {
      const item = typeOfJson(type['feature'], where)
      const length = lengthOf(type['length'])
      return kind === 'Sequence' && item.kind === 'struct' ? recordOfLists(item, length) : { kind: 'list', item, length }
    }
    case 'Translation': {
      const languages: readonly unknown[] = Array.isArray(type['languages']) ? type['languages'] : []
      return { kind: 'struct', fields: languages.map((language) => [String(language), { kind: 'value', dtype: 'string' }] as const) }
    }
    default:
      return { kind: 'other', name: kind }
  }
}

function recordOfLists(record: DeclaredFeature, length: number | null): DeclaredFeature {
  if (record.kind !== 'struct') return { kind: 'list', item: record, length }
  return { kind: 'struct', fields: record.fields.map(([name, item]) => [name, { kind: 'list', item, length }] as const) }
}

const arrowTypes =
  /^(?:u?int(?:8|16|32|64)|(?:float|double|halffloat)(?:16|32|64)?|bool|string|utf8|large_string|large_utf8|string_view|date(?:32|64)|binary|large_binary|(?:timestamp|duration|time32|time64)\[.*\]|decimal.*)$/

function typeOfName(dtype: string): DeclaredFeature {
  if (dtype === 'json') return { kind: 'json' }
  return arrowTypes.test(dtype) ? { kind: 'value', dtype } : { kind: 'other', name: dtype }
}

function lengthOf(length: unknown): number | null {
  return typeof length === 'number' && length >= 0 ? length : null
}

/** Names as a list, as a mapping from ids (`'0': neg`), or just their number. */
function labelNames(label: Dict, where: string): readonly string[] {
  const { names, num_classes: count } = label
  if (Array.isArray(names)) return names.map(String)
  if (isDict(names)) {
    const ids = Object.keys(names).sort((a, b) => Number(a) - Number(b))
    if (ids.some((id, at) => Number(id) !== at))
      throw new EvalError('dataset/malformed', `${where}: the ids of a class_label are not 0, 1, 2 …: ${ids.join(', ')}.`)
    return ids.map((id) => String(names[id]))
  }
  return typeof count === 'number' ? Array.from({ length: count }, (_, at) => String(at)) : bad(where, label)
}

function bad(where: string, found: unknown): never {
  throw new EvalError(
    'dataset/malformed',
    `${where}: its dataset_info declares a column type that can't be read: ${JSON.stringify(found)}.`,
  )
}

function isDict(value: unknown): value is Dict {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
