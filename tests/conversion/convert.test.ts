/** How graphs are written of a checkpoint, by device. */
import { expect, test } from 'vitest'
import { attentionOn } from '../../src/conversion/convert.ts'
import { readArchitecture } from '../../src/architectures/registry.ts'
import { tinyModel } from '../architectures/tiny-models.ts'

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
