import { describe, expect, test } from 'vitest'
import { readSafetensors, type SafetensorsFile } from '../../../src/weights/safetensors/header.ts'
import { joinIndexedParts, readIndex } from '../../../src/weights/safetensors/index-file.ts'
import { sourceOfBytes } from '../../support/byte-source.ts'

const name = 'model.safetensors.index.json'
const read = (text: string) => readIndex(text, name)
const first = 'model-00001-of-00002.safetensors'
const second = 'model-00002-of-00002.safetensors'

function part(file: string, tensors: readonly string[]): Promise<SafetensorsFile> {
  const header = JSON.stringify(
    Object.fromEntries(tensors.map((tensor, at) => [tensor, { dtype: 'F32', shape: [1], data_offsets: [4 * at, 4 * at + 4] }])),
  )
  const bytes = new Uint8Array(8 + header.length + 4 * tensors.length)
  new DataView(bytes.buffer).setUint32(0, header.length, true)
  bytes.set(new TextEncoder().encode(header), 8)
  return readSafetensors(sourceOfBytes(file, bytes))
}

describe('readIndex', () => {
  test('gives each tensor its file, whatever the metadata holds', () => {
    const index = read(`{"metadata":{"total_size":1.5e9,"x":[]},"weight_map":{"b":"${second}","a":"${first}","c":"${second}"}}`)
    expect([...index.fileByTensor]).toEqual([
      ['b', second],
      ['a', first],
      ['c', second],
    ])
    expect(index.files).toEqual([first, second])
  })

  test.each([
    ['no JSON', '{"weight_map":', /wanted a value at character 14 of model.safetensors.index.json, found its end/],
    ['a list', '[]', /wanted '{'/],
    ['no map', '{"metadata":{}}', /wanted a weight_map in model.safetensors.index.json, found none/],
    ['a map that is none', '{"weight_map":[]}', /wanted files by tensor as weight_map/],
    ['a tensor twice', `{"weight_map":{"a":"${first}","a":"${second}"}}`, /wanted no second entry for the key "a"/],
    ['two maps', '{"weight_map":{},"weight_map":{}}', /wanted no second entry for the key "weight_map"/],
    ['a number for a file', '{"weight_map":{"a":1}}', /for the tensor a, found 1/],
    ['a file elsewhere', '{"weight_map":{"a":"../x.safetensors"}}', /found "..\/x.safetensors"/],
    ['a file of another kind', '{"weight_map":{"a":"model.bin"}}', /found "model.bin"/],
    ['no file name', '{"weight_map":{"a":""}}', /found ""/],
  ])('refuses %s', (_, text, message) => {
    expect(() => read(text)).toThrow(message)
    expect(() => read(text)).toThrow(expect.objectContaining({ code: 'model/corrupt' }))
  })
})

describe('joinIndexedParts', () => {
  const index = read(`{"weight_map":{"a":"${first}","b":"${second}"}}`)

  test('takes each tensor from its file, and tells what else the parts hold', async () => {
    const parts = new Map([
      [first, await part(first, ['a', 'b'])],
      [second, await part(second, ['b', 'rotary'])],
    ])
    const { tensors, unlisted } = joinIndexedParts(index, parts)
    expect([...tensors].map(([tensor, { source }]) => [tensor, source.name])).toEqual([
      ['a', first],
      ['b', second],
    ])
    expect(unlisted).toEqual([`${first}: b`, `${second}: rotary`])
  })

  test('names the parts that are missing', async () => {
    const parts = new Map([[first, await part(first, ['a'])]])
    expect(() => joinIndexedParts(index, parts)).toThrow(
      expect.objectContaining({
        code: 'model/corrupt',
        message: `wanted the 2 files that ${name} names, found 1 missing: ${second}`,
        details: { missing: [second] },
      }),
    )
  })

  test('names the tensor that its part does not have', async () => {
    const parts = new Map([
      [first, await part(first, ['a'])],
      [second, await part(second, ['c'])],
    ])
    expect(() => joinIndexedParts(index, parts)).toThrow(`wanted the tensor b in ${second}, as ${name} says, found none`)
  })
})
