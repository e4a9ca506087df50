/** What a repository of safetensors offers, by its list of files and its config.json alone. */
import { decoderWeightBytes } from '../architectures/graph/decoder-graph.ts'
import type { RepoFile } from '../contracts/models.ts'
import { architectureOf, convertedDtypes, graphOptions } from './convert.ts'

const single = 'model.safetensors'
const index = 'model.safetensors.index.json'
const part = /^model-\d{5}-of-\d{5}\.safetensors$/

/** The files of a checkpoint, as transformers names them: one file, or an index and its parts; empty where there is none. The first is the one to name it by. */
export function checkpointFiles(files: readonly RepoFile[]): readonly RepoFile[] {
  const byPath = new Map(files.map((file) => [file.path, file]))
  return checkpointPaths([...byPath.keys()]).flatMap((path) => byPath.get(path) ?? [])
}

/** As `checkpointFiles`, by paths alone. */
export function checkpointPaths(paths: readonly string[]): readonly string[] {
  if (paths.includes(single)) return [single]
  return paths.includes(index) ? [index, ...paths.filter((path) => part.test(path))] : []
}

/**
 * The dtypes that can be made of a checkpoint with this config.json, each with the bytes of its weights as they are run. Throws as `architectureOf`.
 */
export function offeredDtypes(configText: string): readonly { readonly dtype: string; readonly bytes: number }[] {
  const architecture = architectureOf(configText)
  return convertedDtypes.map((dtype) => ({
    dtype,
    bytes: decoderWeightBytes(architecture, { form: 'reference', dtype, ...graphOptions(architecture) }),
  }))
}
