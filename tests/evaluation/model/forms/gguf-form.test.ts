import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { RepoFile } from '../../../../src/contracts/models.ts'
import type { ModelRepo } from '../../../../src/evaluation/model/forms/form.ts'
import { describeModel, resolveModel } from '../../../../src/evaluation/model/model-source.ts'
import { EvalError } from '../../../../src/base/errors.ts'
import { editGguf } from '../../../support/gguf-edit.ts'

const { signal } = new AbortController()
const surroundings = { device: 'wasm', adapter: null, storageBytes: null } as const
const fileOf = (name: string): Uint8Array => new Uint8Array(readFileSync(`tests/goldens/gguf/${name}.gguf`))
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

/** A repository of these files, and the ranges of them that were read. */
function repoOf(files: Readonly<Record<string, Uint8Array>>, others: Readonly<Record<string, Readonly<Record<string, Uint8Array>>>> = {}) {
  const listed = Object.entries(files).map(([path, bytes]): RepoFile => ({ path, bytes: bytes.length, oid: null, sha256: 'a'.repeat(64) }))
  const whole: string[] = []
  const repo: ModelRepo = {
    snapshot: { kind: 'model', id: 'some/model', requestedRevision: 'main', commit: 'c'.repeat(40), license: null, files: listed },
    fetch: async ({ path }) => {
      whole.push(path)
      return new Uint8Array(files[path] ?? [])
    },
    fetchBlob: async ({ path }) => {
      whole.push(path)
      return new Blob([new Uint8Array(files[path] ?? [])])
    },
    readRange: async ({ path }, start, end) => (files[path] ?? new Uint8Array()).slice(start, end),
    openOther: async (id) => {
      const other = others[id]
      if (other === undefined) throw new EvalError('hub/not-found', `no ${id}`)
      return repoOf(other).repo
    },
  }
  return { repo, whole }
}

const sweep = { 'tiny-Q8_0.gguf': fileOf('llama-blocks'), 'tiny-Q4_K_M.gguf': fileOf('llama'), 'mmproj-tiny-F16.gguf': new Uint8Array(9) }
const describeOne = async (files: Readonly<Record<string, Uint8Array>>, dtype: string | null = null) =>
  (await describeModel(repoOf(files).repo, { format: null, dtype }, surroundings, signal)).description

describe('GGUF files of a repository', () => {
  it('are offered by their quantisations, without config.json, tokenizer.json or a download', async () => {
    const { repo, whole } = repoOf(sweep)
    const { description } = await describeModel(repo, { format: null, dtype: null }, surroundings, signal)
    expect(description).toMatchObject({ format: 'gguf', defaultDtype: 'Q8_0', architecture: 'LlamaForCausalLM', maxLength: 64 })
    expect(description.dtypes.map(({ dtype, file }) => [dtype, file])).toEqual([
      ['Q4_K_M', 'tiny-Q4_K_M.gguf'],
      ['Q8_0', 'tiny-Q8_0.gguf'],
    ])
    expect(whole).toEqual([])
  })

  it('are unpacked to fp32 and fp16 too where there is one', async () => {
    const { dtypes } = await describeOne({
      'model.gguf': await editGguf(fileOf('llama'), ({ metadata }) => metadata.set('general.file_type', 0)),
    })
    expect(dtypes.map(({ dtype }) => dtype)).toEqual(['F32', 'fp32', 'fp16'])
    expect(dtypes[0]?.bytes).toBe(dtypes[1]?.bytes)
  })

  it('are fetched by the dtype or by the file’s name, parts together', async () => {
    const parts = { 'm-Q8_0-00001-of-00002.gguf': fileOf('llama'), 'm-Q4_0.gguf': fileOf('llama') }
    await expect(describeOne(parts, 'Q8_0')).rejects.toMatchObject({
      code: 'model/corrupt',
      message: expect.stringContaining('m-Q8_0-00002-of-00002.gguf') as unknown,
    })
    const { repo } = repoOf(sweep)
    const model = await resolveModel(repo, { format: 'gguf', dtype: 'tiny-Q4_K_M.gguf' }, surroundings, signal).catch(
      (error: unknown) => error,
    )
    // The tiny files have a list of tokens and no tokenizer that could be built of it.
    expect(model).toMatchObject({ code: expect.stringMatching(/^model\//) as unknown })
  })

  it('take the tokenizer of the repository that header or card name, at a commit', async () => {
    const files = { ...sweep, 'README.md': utf8('---\nlicense: mit\nbase_model:\n- other/base\n---\n# Card') }
    const published = { 'tokenizer.json': utf8('{"model": {}}'), 'tokenizer_config.json': utf8('{}') }
    const { repo } = repoOf(files, { 'other/base': published })
    const model = await resolveModel(repo, { format: null, dtype: 'Q8_0' }, surroundings, signal)
    expect(model.tokenizerSource).toEqual({ from: 'base repository', id: 'other/base', commit: 'c'.repeat(40) })
    expect(model.tokenizerFiles.tokenizerJson).toBe('{"model": {}}')
    expect((await model.filesOf('Q8_0')).map(({ path }) => path)).toEqual(['tiny-Q8_0.gguf'])
    const fetched = await model.fetch('Q8_0', () => undefined, signal)
    expect(fetched).toMatchObject({ gguf: [{ path: 'tiny-Q8_0.gguf' }] })
  })
})
