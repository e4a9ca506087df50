import { describe, expect, it } from 'vitest'
import type { DtypeOption, RepoFile } from '../../../src/contracts/models.ts'
import { defaultDtype, listDtypes, resolveDtype } from '../../../src/engines/graph/dtypes.ts'

const file = (path: string, bytes = 10): RepoFile => ({ path, bytes, oid: null, sha256: null })
const options = (...dtypes: readonly string[]): DtypeOption[] =>
  dtypes.map((dtype) => ({ dtype, file: `onnx/${dtype}`, externalFiles: [], bytes: 1, refusal: null }))

describe('listDtypes', () => {
  it('lists what the repository has, with external data in order and summed', () => {
    const files = [
      'model.onnx',
      'model.onnx_data',
      'model.onnx_data_10',
      'model.onnx_data_2',
      'model_q4.onnx',
      'model_q4.onnx_data',
      'model_q4f16.onnx',
      'model_quantized.onnx',
    ]
    const found = listDtypes([file('config.json'), ...files.map((name) => file(`onnx/${name}`))], 'a/b')
    expect(found.map((option) => [option.dtype, option.externalFiles.length, option.bytes])).toEqual([
      ['fp32', 3, 40],
      ['q8', 0, 10],
      ['q4', 1, 20],
      ['q4f16', 0, 10],
    ])
    expect(found[0]?.externalFiles).toEqual(['onnx/model.onnx_data', 'onnx/model.onnx_data_2', 'onnx/model.onnx_data_10'])
  })

  it('says what it found and what to do when there is no ONNX file', () => {
    expect(() => listDtypes([file('model.safetensors')], 'a/b')).toThrow(/a\/b, found weights in another format.*optimum-cli/)
    expect(() => listDtypes([file('onnx/encoder.onnx')], 'a/b')).toThrow(/only onnx\/encoder.onnx/)
    expect(() => listDtypes([], 'a/b')).toThrow(expect.objectContaining({ code: 'model/no-onnx' }))
  })
})

describe('defaultDtype', () => {
  it.each([
    [['fp32', 'fp16', 'q8', 'q4'], true, 'q4'],
    [['fp32', 'fp16', 'q8'], true, 'fp16'],
    [['fp32', 'fp16', 'q8'], false, 'fp32'],
    [['fp32', 'q8'], true, 'fp32'],
    [['q8', 'int8', 'bnb4'], false, 'bnb4'],
    [['q8'], false, 'q8'],
  ])('of %j with shader-f16 %j is %s', (dtypes, hasShaderF16, wanted) => {
    expect(defaultDtype(options(...dtypes), hasShaderF16)).toBe(wanted)
  })

  it('passes over what is refused', () => {
    const [q4, fp32] = options('q4', 'fp32')
    expect(defaultDtype([...(q4 === undefined ? [] : [{ ...q4, refusal: 'too big' }]), ...(fp32 === undefined ? [] : [fp32])], false)).toBe(
      'fp32',
    )
  })
})

describe('resolveDtype', () => {
  const all = options('fp32', 'fp16', 'q4')
  it('takes own names without a note and torch names with one', () => {
    expect(resolveDtype('q4', all, 'q4')).toMatchObject({ option: { dtype: 'q4' }, note: null })
    expect(resolveDtype('torch.float16', all, 'q4')).toMatchObject({ option: { dtype: 'fp16' } })
    expect(resolveDtype('bfloat16', all, 'q4').note).toBe(
      'The torch dtype bfloat16 was taken as fp32, which holds every bfloat16 value exactly; browsers have no bfloat16.',
    )
    expect(resolveDtype('bfloat16', options('fp16'), 'fp16').note).toContain('fp16, the nearest that this repository has')
    expect(resolveDtype('auto', all, 'q4')).toMatchObject({ option: { dtype: 'q4' }, note: 'The dtype auto was taken as q4.' })
    expect(resolveDtype(null, all, 'fp32')).toMatchObject({ option: { dtype: 'fp32' }, note: null })
  })

  it('names what there is when asked for something else', () => {
    expect(() => resolveDtype('q8', all, 'q4')).toThrow(/"q8", found fp32, fp16, q4/)
    expect(() => resolveDtype('float32', options('q4'), 'q4')).toThrow(expect.objectContaining({ code: 'model/unknown-dtype' }))
  })

  it('gives all reasons when everything is refused', () => {
    const refused = options('fp32').map((option) => ({ ...option, refusal: 'Too large.' }))
    expect(() => resolveDtype(null, refused, null)).toThrow(/fp32: Too large\./)
  })
})
