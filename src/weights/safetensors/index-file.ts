/** A model in several safetensors files: `model.safetensors.index.json` says which tensor is in which. */
import { EvalError } from '../../base/errors.ts'
import type { TensorEntry, TensorTable } from '../tensor-table.ts'
import type { SafetensorsFile } from './header.ts'
import { jsonEntries, type JsonNode } from './strict-json.ts'

export interface SafetensorsIndex {
  /** Names the index in errors. */
  readonly name: string
  /** The file of each tensor, beside the index. */
  readonly fileByTensor: ReadonlyMap<string, string>
  /** The files, each once, sorted. */
  readonly files: readonly string[]
}

/** The largest index known has 90,000 tensors and 9 MB. */
const maxIndexCharacters = 100_000_000

/**
 * Reads an index; `name` names it in errors. Throws `model/corrupt` for a text that is no JSON, has no `weight_map`, maps a tensor twice, or names a file that
 * isn't a safetensors file of the same folder.
 */
export function readIndex(text: string, name: string): SafetensorsIndex {
  if (text.length > maxIndexCharacters)
    throw new EvalError('model/corrupt', `wanted at most ${maxIndexCharacters} characters in ${name}, found ${text.length}`)
  let map: ReadonlyMap<string, JsonNode> | null = null
  for (const [key, value] of jsonEntries(text, name)) {
    if (key !== 'weight_map') continue
    if (!(value instanceof Map))
      throw new EvalError('model/corrupt', `wanted files by tensor as weight_map of ${name}, found something else`)
    map = value as ReadonlyMap<string, JsonNode>
  }
  if (map === null) throw new EvalError('model/corrupt', `wanted a weight_map in ${name}, found none`)
  const fileByTensor = new Map<string, string>()
  for (const [tensor, file] of map) {
    if (typeof file !== 'string' || !/^[^/\\]{1,200}\.safetensors$/.test(file) || file.startsWith('.'))
      throw new EvalError(
        'model/corrupt',
        `wanted the name of a safetensors file beside ${name} for the tensor ${tensor.slice(0, 200)}, found ${JSON.stringify(file).slice(0, 80)}`,
      )
    fileByTensor.set(tensor, file)
  }
  return { name, fileByTensor, files: [...new Set(fileByTensor.values())].sort() }
}

/** The tensors of an index, and what lies in its parts beside them. */
export interface JoinedParts {
  readonly tensors: TensorTable
  /** Tensors in a part that the index gives no or another place, as `file: tensor`. */
  readonly unlisted: readonly string[]
}

/**
 * The tensors that the index lists, out of its parts by file name. Throws `model/corrupt` that names files which are missing (also as `details.missing`), or a tensor that its
 * part doesn't have.
 */
export function joinIndexedParts(index: SafetensorsIndex, parts: ReadonlyMap<string, SafetensorsFile>): JoinedParts {
  const missing = index.files.filter((file) => !parts.has(file))
  if (missing.length > 0)
    throw new EvalError(
      'model/corrupt',
      `wanted the ${index.files.length} files that ${index.name} names, found ${missing.length} missing: ${listed(missing)}`,
      { details: { missing: missing.slice(0, 100) } },
    )
  const tensors = new Map<string, TensorEntry>()
  for (const [tensor, file] of index.fileByTensor) {
    const entry = parts.get(file)?.tensors.get(tensor)
    if (entry === undefined)
      throw new EvalError('model/corrupt', `wanted the tensor ${tensor.slice(0, 200)} in ${file}, as ${index.name} says, found none`)
    tensors.set(tensor, entry)
  }
  const unlisted: string[] = []
  for (const [file, part] of parts)
    for (const tensor of part.tensors.keys()) if (index.fileByTensor.get(tensor) !== file) unlisted.push(`${file}: ${tensor}`)
  return { tensors, unlisted }
}

function listed(names: readonly string[]): string {
  return names.length > 5 ? `${names.slice(0, 5).join(', ')} and ${names.length - 5} more` : names.join(', ')
}
