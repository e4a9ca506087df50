/** Which form of a repository's weights is described and taken. */
import { describe, expect, it } from 'vitest'
import type { ModelFormat, RepoFile } from '../../../../src/contracts/models.ts'
import type { ModelRepo } from '../../../../src/evaluation/model/forms/form.ts'
import { otherFormsNote } from '../../../../src/evaluation/model/forms/other-forms.ts'
import { describeModel, resolveModel } from '../../../../src/evaluation/model/model-source.ts'
import { tinyModel } from '../../../architectures/tiny-models.ts'

const llama = tinyModel('llama').config
const basics = ['config.json', 'tokenizer.json']
const onnx = ['onnx/model.onnx', 'onnx/model_q4.onnx', 'onnx/model_q4.onnx_data']
const single = ['model.safetensors']
const parts = ['model.safetensors.index.json', 'model-00001-of-00002.safetensors', 'model-00002-of-00002.safetensors']

function repoOf(paths: readonly string[], config: object = llama): { readonly repo: ModelRepo; readonly fetched: string[] } {
  const fetched: string[] = []
  const files: RepoFile[] = [...basics, ...paths].map((path) => ({ path, bytes: 100, oid: null, sha256: 'a'.repeat(64) }))
  const read = ({ path }: RepoFile) => {
    fetched.push(path)
    return Promise.resolve(new TextEncoder().encode(path === 'config.json' ? JSON.stringify(config) : '{}'))
  }
  const snapshot = { kind: 'model', id: 'some/model', requestedRevision: 'main', commit: 'c'.repeat(40), license: null, files } as const
  return {
    repo: {
      snapshot,
      fetch: read,
      fetchBlob: async (file) => new Blob([await read(file)]),
      readRange: () => Promise.reject(new Error('no range was expected')),
      openOther: (id) => Promise.reject(new Error(`${id} was asked for`)),
    },
    fetched,
  }
}

const surroundings = { device: 'wasm', adapter: null, storageBytes: null } as const
const { signal } = new AbortController()
const describeOf = async (paths: readonly string[], wanted: ModelFormat | null = null, config: object = llama) =>
  (await describeModel(repoOf(paths, config).repo, { format: wanted, dtype: null }, surroundings, signal)).description

describe('the form that is taken', () => {
  it('is ONNX where a repository has both, and the other is told of with its own dtypes', async () => {
    const description = await describeOf([...onnx, ...single])
    expect(description).toMatchObject({ format: 'onnx', defaultDtype: 'q4' })
    expect(description.dtypes.map(({ dtype }) => dtype)).toEqual(['fp32', 'q4'])
    expect(description.forms.map(({ format, defaultDtype, refusal }) => ({ format, defaultDtype, refusal }))).toEqual([
      { format: 'onnx', defaultDtype: 'q4', refusal: null },
      { format: 'safetensors', defaultDtype: 'fp32', refusal: null },
    ])
    expect(otherFormsNote(description)).toBe(
      'Weights: the repository’s ONNX files are taken; it has safetensors (--model_format safetensors) too.',
    )
  })

  it('is the one that was asked for', async () => {
    const description = await describeOf([...onnx, ...single], 'safetensors')
    expect(description).toMatchObject({ format: 'safetensors', defaultDtype: 'fp32' })
    expect(description.dtypes.map(({ dtype }) => dtype)).toEqual(['fp32', 'fp16', 'q8', 'q4', 'q4f16'])
  })

  it('takes the room of its files, whatever its weights take as they are run', async () => {
    const { repo } = repoOf(single)
    const describeWith = async (storageBytes: number) =>
      (await describeModel(repo, { format: null, dtype: null }, { ...surroundings, storageBytes }, signal)).description.dtypes
    const [file = { bytes: 0 }] = repo.snapshot.files.filter(({ path }) => path === single[0])
    const fits = await describeWith(file.bytes)
    // In fp32 they are larger than the file.
    expect(fits.map(({ bytes }) => bytes > file.bytes)).toContain(true)
    expect(fits.map(({ refusal }) => refusal)).toEqual(fits.map(() => null))
    for (const { refusal } of await describeWith(file.bytes - 1)) expect(refusal).toMatch(/^Its files take/)
  })

  it.each([
    ['in one file', single],
    ['in parts', parts],
  ])('is safetensors %s where there is nothing else, and no more is said', async (_, paths) => {
    const description = await describeOf(paths)
    expect(description.format).toBe('safetensors')
    expect(description.dtypes[0]).toMatchObject({ dtype: 'fp32', file: paths[0], externalFiles: paths.slice(1) })
    expect(otherFormsNote(description)).toBeNull()
  })

  it.each([
    ['safetensors', onnx, 'onnx'],
    ['onnx', single, 'safetensors'],
  ] as const)('can’t be %s where there is none: the error names what there is', async (wanted, paths, found) => {
    const { repo, fetched } = repoOf(paths)
    await expect(describeModel(repo, { format: wanted, dtype: null }, surroundings, signal)).rejects.toMatchObject({
      code: 'model/no-form',
      message: `wanted the weights of some/model as ${wanted}, found ${found}`,
    })
    expect(fetched).toEqual([])
  })

  it('isn’t the worse for another one that can’t be read: that one’s reason is told', async () => {
    const novel = { ...llama, model_type: 'novel' }
    const description = await describeOf([...onnx, ...single], null, novel)
    expect(description).toMatchObject({ format: 'onnx', defaultDtype: 'q4' })
    expect(description.forms[1]).toMatchObject({ format: 'safetensors', dtypes: [], defaultDtype: null })
    expect(description.forms[1]?.refusal).toMatch(/found "novel"/)
    await expect(describeOf([...onnx, ...single], 'safetensors', novel)).rejects.toMatchObject({ code: 'model/unsupported' })
  })
})

describe('a model of safetensors', () => {
  it('fetches config.json and the tokenizer before its weights, and names both among its files', async () => {
    const { repo, fetched } = repoOf([...onnx, ...parts])
    const model = await resolveModel(repo, { format: 'safetensors', dtype: null }, surroundings, signal)
    expect(new Set(fetched)).toEqual(new Set(basics))
    expect((await model.filesOf('q4')).map(({ path }) => path)).toEqual([...parts, 'config.json'])
    const payload = await model.fetch('q4', () => undefined, signal)
    expect('checkpoint' in payload ? payload.checkpoint.map(({ path }) => path) : []).toEqual(parts)
  })

  it.each([
    ['Granite 4 H', { model_type: 'granitemoehybrid', layer_types: ['mamba', 'attention'] }, /mamba/],
    ['Qwen3.5', { model_type: 'qwen3_5', layer_types: ['linear_attention', 'full_attention'] }, /linear_attention/],
    ['LFM2-MoE', { model_type: 'lfm2_moe', layer_types: ['conv', 'full_attention'] }, /conv/],
  ])('of %s is refused by its layers, by config.json alone', async (_, change, reason) => {
    for (const paths of [onnx, single, [...onnx, ...single]]) {
      const { repo, fetched } = repoOf(paths, { ...llama, ...change })
      await expect(describeModel(repo, { format: null, dtype: null }, surroundings, signal)).rejects.toMatchObject({
        code: 'model/unsupported',
        message: expect.stringMatching(reason) as string,
      })
      expect(fetched).toEqual(['config.json'])
    }
  })
})
