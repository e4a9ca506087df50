import { expect, test } from 'vitest'
import { quantisationInMetadata, quantisationInName } from '../../../src/conversion/gguf/quantisation.ts'

test.each([
  ['SmolLM2-135M-Instruct.Q4_1.gguf', 'Q4_1'],
  ['folder/Qwen3-0.6B-Q4_K_M.gguf', 'Q4_K_M'],
  ['Llama-3.2-1B-Instruct-UD-Q4_K_XL.gguf', 'UD-Q4_K_XL'],
  ['gemma-3-1b-it-q4_0.gguf', 'Q4_0'],
  ['model-IQ2_XXS.gguf', 'IQ2_XXS'],
  ['model.i1-IQ3_M.gguf', 'IQ3_M'],
  ['gpt-oss-20b-mxfp4.gguf', 'MXFP4'],
  ['gpt-oss-20b-MXFP4_MOE.gguf', 'MXFP4_MOE'],
  ['model-fp16.gguf', 'F16'],
  ['model-BF16-00001-of-00002.gguf', 'BF16'],
  ['ggml-model-f32.gguf', 'F32'],
  ['Q8_0-Q6_K.gguf', 'Q6_K'],
  ['Q8_0.gguf', 'Q8_0'],
  ['Bitnet-TQ1_0.gguf', 'TQ1_0'],
  ['model.gguf', null],
  ['SQ4_0.gguf', null],
  ['mmproj-model.gguf', null],
])('%s is of %s', (path, wanted) => {
  expect(quantisationInName(path)).toBe(wanted)
})

test('the metadata say it by a number', () => {
  expect(quantisationInMetadata(new Map([['general.file_type', 15]]))).toBe('Q4_K_M')
  expect(quantisationInMetadata(new Map([['general.file_type', 4]]))).toBeNull()
  expect(quantisationInMetadata(new Map([['general.file_type', '15']]))).toBeNull()
  expect(quantisationInMetadata(new Map())).toBeNull()
})
