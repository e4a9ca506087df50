/** A model of `--gpu`: where it is, and what rows call it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectFolder } from '../../../../src/cli/browser/build.ts'
import type { BenchModel } from '../../model-files.ts'
import { graphFileOf } from './graph-weights.ts'
import type { MadeForm } from './write-model.ts'

export interface GpuModel extends BenchModel {
  readonly form: MadeForm
  readonly externalFiles: readonly string[]
  readonly vocabularySize: number
}

/** The model in a folder as the Hub has it. `id`: without its form. */
export function gpuModel(folder: string, { id, form, dtype }: Pick<GpuModel, 'id' | 'form' | 'dtype'>): GpuModel {
  // Written here, or by the embedded model's script.
  const { vocab_size: vocabularySize } = JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8')) as { readonly vocab_size: number }
  const file = form === 'own' ? '' : graphFileOf(dtype)
  const names = form === 'own' ? [] : readdirSync(join(folder, 'onnx'))
  return {
    key: `${id}-${form}-${dtype}`.replaceAll('/', '-'),
    id,
    form,
    folder,
    dtype,
    file,
    externalFiles: names.filter((name) => name.startsWith(`${file}_data`)).sort(),
    vocabularySize,
    device: 'webgpu',
    windowTokens: 512,
  }
}

/** The embedded model's two exported families in a dtype; those that are there. */
export function embeddedGpuModels(dtype: 'fp32' | 'q4'): readonly GpuModel[] {
  return (
    [
      ['yardstick/pico', 'decomposed'],
      ['yardstick/pico-gqa', 'gqa'],
    ] as const
  ).flatMap(([id, form]) => {
    const resolved = join(projectFolder, 'public/hub', id, 'resolve')
    const commits = existsSync(resolved) ? readdirSync(resolved) : []
    const commit = commits.find((name) => existsSync(join(resolved, name, 'onnx', graphFileOf(dtype))))
    return commit === undefined ? [] : [gpuModel(join(resolved, commit), { id, form, dtype })]
  })
}
