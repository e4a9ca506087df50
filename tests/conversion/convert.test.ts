/** How graphs are written of a checkpoint, by device. */
import { expect, test } from 'vitest'
import { writeDecoderGraph } from '../../src/architectures/graph/decoder-graph.ts'
import { readArchitecture } from '../../src/architectures/registry.ts'
import { attentionOn, convertModel, type ConversionTarget } from '../../src/conversion/convert.ts'
import { tinyModel } from '../architectures/tiny-models.ts'
import { safetensorsFile } from '../support/safetensors-file.ts'

test('attention is the fused kernel on WebGPU alone, where it takes the heads and no layer convolves', () => {
  const { config } = tinyModel('llama-wide')
  const wide = readArchitecture(config)
  expect([attentionOn('webgpu', wide), attentionOn('wasm', wide)]).toEqual(['grouped', 'split'])
  expect(attentionOn('webgpu', readArchitecture(tinyModel('llama').config))).toBe('split')

  // Three heads of 16, which the kernel takes.
  const convolving = readArchitecture({ ...tinyModel('lfm2').config, hidden_size: 48, num_attention_heads: 3, num_key_value_heads: 3 })
  const sizes = convolving.layers.flatMap(({ mixer }) => (mixer.kind === 'attention' ? [mixer.headSize] : []))
  expect(new Set(sizes)).toEqual(new Set([16]))
  expect(attentionOn('webgpu', convolving)).toBe('split')
  expect(attentionOn('webgpu', { layers: convolving.layers.filter(({ mixer }) => mixer.kind === 'attention') })).toBe('grouped')
})

/** A tied Llama whose head takes 34 MiB in float32, and one whose head is a weight of its own. */
const tied = { ...tinyModel('llama-tied').config, vocab_size: 35_000, hidden_size: 256, num_hidden_layers: 1 }
const untied = { ...tied, tie_word_embeddings: false }

const wasmAlone = { device: 'wasm', keepsHalves: true } as const

/** The embedding and the head that graphs have, of a checkpoint whose tensors are all of one dtype; nothing is read of them here. */
async function tablesOf(config: { readonly [key: string]: unknown }, stored: 'F32' | 'F16' | 'BF16', target: ConversionTarget) {
  const plan = writeDecoderGraph(readArchitecture(config), { form: 'reference', dtype: 'fp32' }).initializers
  const pieces = plan.flatMap(({ make }) => (make.kind === 'rotary' ? [] : make.source.pieces))
  const tensors = new Map(pieces.map(({ tensor, shape }) => [tensor, shape]))
  const file = safetensorsFile(
    [...tensors].map(([name, shape]) => {
      const values = shape.reduce((product, dim) => product * dim, 1)
      return { name, dtype: stored, shape, bytes: new Uint8Array(values * (stored === 'F32' ? 4 : 2)) }
    }),
  )
  const bytes = { length: file.length, read: (start: number, end: number) => file.subarray(start, end), rest: () => undefined }
  const { reference, scoring } = await convertModel([{ path: 'model.safetensors', bytes }], JSON.stringify(config), 'fp32', target)
  expect(scoring?.initializers).toEqual(reference.initializers)
  return reference.initializers
    .filter(({ tensor }) => /embed|lm_head/.test(tensor))
    .map(({ name, dtype, shape }) => ({ name, dtype, shape }))
}

test.each([
  ['F16', 'float16'],
  ['BF16', 'bfloat16'],
] as const)('an embedding of %s stays so on WASM, and the head is made in parts', async (stored, dtype) => {
  const [table, ...head] = await tablesOf(untied, stored, wasmAlone)
  expect(table).toEqual({ name: 'model.embed_tokens.weight.table', dtype, shape: [35_000, 256] })
  expect(head.map(({ shape }) => shape)).toEqual([
    [11_712, 256],
    [11_712, 256],
    [11_576, 256],
  ])
  expect(head.every((part) => part.dtype === 'float32')).toBe(true)
})

test('an embedding and the head that is tied to it are one weight: on WASM with columns first, whatever the checkpoint has', async () => {
  const turned = [{ name: 'model.embed_tokens.weight.turned', dtype: 'float32', shape: [256, 35_000] }]
  expect(await tablesOf(tied, 'F32', wasmAlone)).toEqual(turned)
  expect(await tablesOf(tied, 'BF16', wasmAlone)).toEqual(turned)
  expect(await tablesOf(tied, 'BF16', { device: 'wasm', keepsHalves: false })).toEqual(turned)
  expect(await tablesOf(tied, 'BF16', { device: 'webgpu', keepsHalves: true })).toEqual([
    { name: 'model.embed_tokens.weight', dtype: 'float32', shape: [35_000, 256] },
  ])
})
