import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readGguf, type GgufFile } from '../../../src/weights/gguf/header.ts'
import { joinSplitParts, namesOfParts } from '../../../src/weights/gguf/split.ts'
import { sourceOfBytes } from '../../support/byte-source.ts'

interface Golden {
  readonly parts: readonly (readonly [name: string, base64: string, metadata: unknown, tensors: readonly (readonly [name: string])[]])[]
}
const golden = JSON.parse(readFileSync(join(import.meta.dirname, '../../goldens/weights/gguf-files.json'), 'utf8')) as Golden
const parts = await Promise.all(
  golden.parts.map(([name, base64]) => readGguf(sourceOfBytes(name, new Uint8Array(Buffer.from(base64, 'base64'))))),
)
const [first, second, third] = parts as [GgufFile, GgufFile, GgufFile]

function withMetadata(file: GgufFile, changes: { readonly [key: string]: number | string }): GgufFile {
  return { ...file, metadata: new Map([...file.metadata, ...Object.entries(changes)]) }
}

describe('namesOfParts', () => {
  test('are known from one of them', () => {
    expect(namesOfParts('Q4/model-00002-of-00003.gguf')).toEqual([1, 2, 3].map((no) => `Q4/model-0000${no}-of-00003.gguf`))
    expect(namesOfParts('model-Q4_K_M.gguf')).toBeNull()
    expect(namesOfParts('model-1-of-3.gguf')).toBeNull()
  })

  test.each(['model-00004-of-00003.gguf', 'model-00000-of-00003.gguf', 'model-00000-of-00000.gguf'])('there is no %s', (name) => {
    expect(() => namesOfParts(name)).toThrow(/wanted a part from 1 to \d, found the file name/)
  })
})

describe('joinSplitParts', () => {
  test('puts the parts of gguf’s writer together, in any order', () => {
    const wanted = golden.parts.flatMap(([, , , tensors]) => tensors.map(([name]) => name))
    for (const files of [parts, [third, first, second]]) {
      const model = joinSplitParts(files)
      expect([...model.tensors.keys()]).toEqual(wanted)
      expect(model.metadata.get('general.architecture')).toBe('llama')
      expect(model.tensors.get('blk.4.weight')?.source.name).toBe('model-00003-of-00003.gguf')
    }
  })

  test('one file that is no part is a model', () => {
    const alone = { ...first, metadata: new Map() }
    expect(joinSplitParts([alone]).tensors).toBe(alone.tensors)
  })

  test('names the parts that are missing', () => {
    expect(() => joinSplitParts([second])).toThrow(
      expect.objectContaining({
        code: 'model/corrupt',
        message: 'wanted 3 parts, found 2 missing: model-00001-of-00003.gguf, model-00003-of-00003.gguf',
        details: { missing: ['model-00001-of-00003.gguf', 'model-00003-of-00003.gguf'] },
      }),
    )
  })

  test.each<readonly [string, readonly GgufFile[], RegExp]>([
    ['no file', [], /found none/],
    [
      'a part twice',
      [first, second, second],
      /wanted part 2 of 3 once, found it in model-00002-of-00003.gguf and in model-00002-of-00003.gguf/,
    ],
    [
      'another model’s part',
      [first, second, withMetadata(third, { 'split.count': 4 })],
      /found split.no 2 of 4 in model-00003-of-00003.gguf/,
    ],
    [
      'a whole model beside parts',
      [first, { ...second, metadata: new Map() }],
      /found split.no missing of none in model-00002-of-00003.gguf/,
    ],
    ['a part behind the last', [first, second, withMetadata(third, { 'split.no': 3 })], /found split.no 3 of 3/],
    [
      'a text for a number',
      [withMetadata(first, { 'split.count': 'x' })],
      /wanted a whole number as split.count of model-00001-of-00003.gguf, found x/,
    ],
    ['no parts at all', [withMetadata(first, { 'split.count': 0 })], /found 0/],
    [
      'a tensor in two parts',
      [first, second, { ...third, tensors: first.tensors }],
      /wanted the tensor blk.0.weight in one part, found it in/,
    ],
    [
      'fewer tensors than said',
      [first, second, { ...third, tensors: new Map() }],
      /wanted 5 tensors in all parts, as model-00001-of-00003.gguf says, found 4/,
    ],
  ])('refuses %s', (_, files, message) => {
    expect(() => joinSplitParts(files)).toThrow(message)
  })
})
