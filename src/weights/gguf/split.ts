/** A model in several GGUF files, as llama.cpp's gguf-split writes them: NAME-00001-of-00003.gguf, with all metadata in the first. */
import { EvalError } from '../../base/errors.ts'
import type { TensorEntry, TensorTable } from '../tensor-table.ts'
import type { GgufFile } from './header.ts'
import type { GgufValue } from './values.ts'

/** A model out of one GGUF file or several. */
export interface GgufModel {
  /** The first part's; the others hold only their place in the whole. */
  readonly metadata: ReadonlyMap<string, GgufValue>
  readonly tensors: TensorTable
}

const splitName = /^(.*)-([0-9]{5})-of-([0-9]{5})\.gguf$/s

/** The names of all parts, by the name of one, in their order; null when it isn't a part's. Throws `model/corrupt` for a part that can't be: the fourth of three. */
export function namesOfParts(name: string): readonly string[] | null {
  const [, prefix = '', own = '', all = ''] = splitName.exec(name) ?? []
  if (all === '') return null
  const count = Number(all)
  if (Number(own) < 1 || Number(own) > count)
    throw new EvalError('model/corrupt', `wanted a part from 1 to ${count}, found the file name ${name}`)
  return Array.from({ length: count }, (_, at) => `${prefix}-${String(at + 1).padStart(5, '0')}-of-${all}.gguf`)
}

/**
 * Puts parts together, in whatever order they come; one file that isn't a part is a model by itself. Throws `model/corrupt` for no file, parts that are missing (by the names that they would have, also as
 * `details.missing`), that come twice or belong to another model's split, for a tensor in two parts, and for another number of tensors than `split.tensors.count` says.
 */
export function joinSplitParts(files: readonly GgufFile[]): GgufModel {
  const [first] = files
  if (first === undefined) throw new EvalError('model/corrupt', 'wanted the parts of a GGUF model, found none')
  const count = splitNumber(first, 'split.count') ?? 1
  if (count === 1 && files.length === 1) return first
  const parts = new Map<number, GgufFile>()
  for (const file of files) {
    const no = splitNumber(file, 'split.no')
    if (no === null || splitNumber(file, 'split.count') !== count || no >= count)
      throw new EvalError(
        'model/corrupt',
        `wanted a part of ${count} as ${first.source.name} is, found split.no ${no ?? 'missing'} of ${splitNumber(file, 'split.count') ?? 'none'} in ${file.source.name}`,
      )
    const other = parts.get(no)
    if (other !== undefined)
      throw new EvalError(
        'model/corrupt',
        `wanted part ${no + 1} of ${count} once, found it in ${other.source.name} and in ${file.source.name}`,
      )
    parts.set(no, file)
  }
  requireAll(parts, count, first)
  const ordered = [...parts].sort(([one], [other]) => one - other).map(([, file]) => file)
  return { metadata: ordered[0]?.metadata ?? first.metadata, tensors: joinTensors(ordered) }
}

function requireAll(parts: ReadonlyMap<number, GgufFile>, count: number, first: GgufFile): void {
  if (parts.size === count) return
  const [, prefix = first.source.name] = splitName.exec(first.source.name) ?? []
  const missing: string[] = []
  for (let no = 0; no < count; no++)
    if (!parts.has(no)) missing.push(`${prefix}-${String(no + 1).padStart(5, '0')}-of-${String(count).padStart(5, '0')}.gguf`)
  throw new EvalError(
    'model/corrupt',
    `wanted ${count} parts, found ${missing.length} missing: ${missing.slice(0, 5).join(', ')}${missing.length > 5 ? ` and ${missing.length - 5} more` : ''}`,
    { details: { missing: missing.slice(0, 100) } },
  )
}

function joinTensors(parts: readonly GgufFile[]): TensorTable {
  const tensors = new Map<string, TensorEntry>()
  for (const part of parts)
    for (const [name, entry] of part.tensors) {
      const other = tensors.get(name)
      if (other !== undefined)
        throw new EvalError(
          'model/corrupt',
          `wanted the tensor ${name} in one part, found it in ${other.source.name} and in ${part.source.name}`,
        )
      tensors.set(name, entry)
    }
  for (const part of parts) {
    const said = splitNumber(part, 'split.tensors.count')
    if (said !== null && said !== tensors.size)
      throw new EvalError('model/corrupt', `wanted ${said} tensors in all parts, as ${part.source.name} says, found ${tensors.size}`)
  }
  return tensors
}

/** A whole number of a part's place, whatever type it has; null when it isn't there. */
function splitNumber(file: GgufFile, key: string): number | null {
  const value = file.metadata.get(key)
  if (value === undefined) return null
  if (
    typeof value === 'number' &&
    Number.isInteger(value) &&
    value >= (key === 'split.count' ? 1 : 0) &&
    (key === 'split.tensors.count' || value <= 99_999)
  )
    return value
  throw new EvalError(
    'model/corrupt',
    `wanted a whole number as ${key} of ${file.source.name}, found ${typeof value === 'object' ? 'an array' : String(value).slice(0, 40)}`,
  )
}
