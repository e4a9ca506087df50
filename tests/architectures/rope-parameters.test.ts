/** config.json of transformers 5 says the same as that of version 4 (tests/make-goldens/make_newer_config_goldens.py). */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readArchitecture } from '../../src/architectures/registry.ts'
import { tinyModel } from './tiny-models.ts'

// Our own script wrote the file; a missing key shows as a failing test.
const { models } = JSON.parse(readFileSync('tests/goldens/architectures/transformers-5.json', 'utf8')) as {
  models: readonly {
    name: string
    config: { readonly [key: string]: unknown }
    tensors: readonly (readonly [string, readonly number[]])[]
  }[]
}

describe('what transformers 5 writes', () => {
  it.each(models)('$name is the architecture that version 4 describes, over tensors of the same names', ({ name, config, tensors }) => {
    const { config: before, tensors: known } = tinyModel(name)
    expect(config).not.toHaveProperty('rope_theta')
    expect(readArchitecture(config)).toEqual(readArchitecture(before))
    for (const [tensor, shape] of tensors) expect(known.read(tensor).shape).toEqual(shape)
    expect(tensors).toHaveLength(known.names.length)
  })
})

describe('rope_parameters', () => {
  const { config } = models.find(({ name }) => name === 'llama') ?? { config: {} }

  it.each([
    ['another base beside it', { ...config, rope_theta: 10_000 }, '"rope_theta"'],
    ['a list', { ...config, rope_parameters: [1] }, 'an object'],
    ['no base', { ...config, rope_parameters: { rope_type: 'default' } }, '"rope_theta"'],
    ['another kind', { ...config, rope_parameters: { rope_type: 'yarn', rope_theta: 1e4, factor: 4 } }, '"rope_scaling"'],
    ['two kinds', { ...config, rope_parameters: { rope_type: 'linear', type: 'yarn', rope_theta: 1e4, factor: 4 } }, '"rope_type"'],
    [
      'an unknown key',
      { ...config, rope_parameters: { rope_type: 'default', rope_theta: 1e4, attention_factor: 2 } },
      '"attention_factor"',
    ],
    [
      'layers that differ',
      { ...config, rope_parameters: { full_attention: { rope_theta: 1e4 }, sliding_attention: { rope_theta: 1e3 } } },
      'full_attention',
    ],
  ])('is refused with %s', (_, changed, named) => {
    expect(() => readArchitecture(changed)).toThrow(named)
  })
})
