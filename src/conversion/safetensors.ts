/** Safetensors files as a checkpoint: one, or an index and its parts. */
import { EvalError } from '../base/errors.ts'
import { readSafetensors } from '../weights/safetensors/header.ts'
import { joinIndexedParts, readIndex } from '../weights/safetensors/index-file.ts'
import type { TensorTable } from '../weights/tensor-table.ts'
import { OpenedFiles, type Checkpoint, type CheckpointFile } from './checkpoint.ts'

/** An index is a name a tensor: the largest models have some ten thousand. */
const mostIndexBytes = 64 * 2 ** 20

/** Opens `model.safetensors`, or an index with all its parts. Throws as `readSafetensors`, `readIndex` and `joinIndexedParts`; `model/corrupt` for files without an index that are more than one. */
export async function openSafetensors(files: readonly CheckpointFile[]): Promise<Checkpoint> {
  const indexFile = files.find(({ path }) => path.endsWith('.index.json'))
  const parts = files.filter(({ path }) => path.endsWith('.safetensors'))
  const opened = new OpenedFiles()
  const headers = new Map<string, Awaited<ReturnType<typeof readSafetensors>>>()
  for (const file of parts) headers.set(file.path, await readSafetensors(opened.open(file)))
  return opened.checkpoint(indexFile === undefined ? tensorsOfOne(headers) : joinIndexedParts(readIndexFile(indexFile), headers).tensors)
}

function readIndexFile({ path, bytes }: CheckpointFile) {
  if (bytes.length > mostIndexBytes)
    throw new EvalError('model/corrupt', `wanted an index of at most ${mostIndexBytes} bytes, found ${path} of ${bytes.length}`)
  const index = readIndex(new TextDecoder().decode(bytes.read(0, bytes.length)), path)
  bytes.rest()
  return index
}

function tensorsOfOne(opened: ReadonlyMap<string, { readonly tensors: TensorTable }>): TensorTable {
  const [first, ...others] = opened.values()
  if (first !== undefined && others.length === 0) return first.tensors
  throw new EvalError(
    'model/corrupt',
    `wanted one safetensors file, or several with a model.safetensors.index.json, found ${[...opened.keys()].join(', ') || 'none'} and no index`,
  )
}
