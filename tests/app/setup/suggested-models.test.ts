import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { readSuggestedModels } from '../../../src/app/setup/suggested-models.ts'
import { suggestedModel } from '../builders.ts'

describe('public/models.json', () => {
  const json: unknown = JSON.parse(readFileSync('public/models.json', 'utf8'))
  const models = readSuggestedModels(json)

  test('holds what its schema says, each model once', () => {
    expect(models.length).toBeGreaterThanOrEqual(6)
    expect(new Set(models.map(({ id }) => id)).size).toBe(models.length)
  })

  test('begins with a model small enough for a first try', () => {
    expect(models[0]?.bytes).toBeLessThan(300_000_000)
  })

  test('names none of the repositories whose ONNX files are laid out for onnxruntime-genai', () => {
    expect(models.map(({ id }) => id)).not.toContain('onnx-community/Llama-3.2-1B-Instruct-ONNX')
  })
})

test.each([
  ['no list', {}, /'models'/],
  ['an empty list', { models: [] }, /'models'/],
  ['an id without an owner', { models: [suggestedModel({ id: 'model' })] }, /'models\.0\.id'/],
  ['an id that would leave its place in an address', { models: [suggestedModel({ id: 'a/../b' })] }, /'models\.0\.id'/],
  ['a size that is no size', { models: [suggestedModel({ bytes: 0 })] }, /'models\.0\.bytes'/],
  ['parameters that aren’t a count', { models: [suggestedModel({ parameters: 'many' })] }, /'models\.0\.parameters'/],
  ['a key that nobody reads', { models: [{ ...suggestedModel(), licence: 'x' }] }, /'models\.0\.licence'/],
])('%s is refused, naming the place', (_, json, message) => {
  expect(() => readSuggestedModels(json)).toThrow(
    expect.objectContaining({ code: 'hub/corrupt', message: expect.stringMatching(message) as string }),
  )
})
