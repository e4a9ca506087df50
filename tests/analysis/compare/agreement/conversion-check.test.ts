import { describe, expect, test } from 'vitest'
import { conversionCheck, conversionSentence } from '../../../../src/analysis/compare/agreement/conversion-check.ts'
import type { ComparedRun } from '../../../../src/analysis/compare/compared-run.ts'
import { madeRun, type MadeTask } from '../made-runs.ts'

const logprobs = [
  [-3, -1, -2],
  [-4, -5, -6],
]
const task: MadeTask = { acc: [1, 0], logprobs }
const moved = (by: number): MadeTask => ({ ...task, logprobs: logprobs.map(([first = 0, ...rest]) => [first + by, ...rest]) })

/** A run of this program on one form of the weights, or one of lm_eval's. */
function run(tasks: { readonly [task: string]: MadeTask }, form: string | null, dtype = 'fp32'): ComparedRun {
  const made = madeRun('made', tasks, { dtype })
  const own = form === 'lm_eval' ? { lm_eval_version: '0.4.13' } : { yardstick: form === null ? {} : { dtype, model_format: form } }
  return { ...made, file: { ...made.file, whole: { ...made.file.whole, ...own } } }
}
const held = (by: number, [form, dtype]: readonly [string | null, string?] = ['onnx']) =>
  conversionCheck(run({ t: task }, 'safetensors'), run({ t: moved(by) }, form, dtype))

describe('whether two forms of the same weights compute the same', () => {
  test('they do within 5e-3 nats a request in float32', () => {
    expect(held(4e-3)).toEqual({
      verdict: 'faithful',
      forms: ['safetensors', 'onnx'],
      dtypes: ['fp32', 'fp32'],
      rounding: 'float32',
      limit: 5e-3,
      docs: 2,
      logprobs: 6,
      maxAbsDiff: expect.closeTo(4e-3, 9) as number,
      meanAbsDiff: expect.closeTo(8e-3 / 6, 9) as number,
      worst: expect.objectContaining({ task: 't' }) as object,
      picks: 2,
      picksDiffering: 0,
    })
  })

  test('they don’t beyond it, and the picks that differ are counted', () => {
    expect(held(6e-3)).toMatchObject({ verdict: 'unfaithful', picksDiffering: 0 })
    expect(held(2.5)).toMatchObject({ verdict: 'unfaithful', picksDiffering: 1 })
  })

  test('the coarser side sets the limit, by the names of torch and GGUF too', () => {
    expect(held(0.09, ['onnx', 'fp16'])).toMatchObject({ verdict: 'faithful', rounding: '16-bit' })
    expect(held(0.2, ['onnx', 'fp16'])).toMatchObject({ verdict: 'unfaithful' })
    expect(held(0.09, ['gguf', 'F16'])).toMatchObject({ rounding: '16-bit' })
    expect(held(0.09, ['gguf', 'BF16'])).toMatchObject({ verdict: 'unfaithful', rounding: 'float32' })
    expect(held(0.009, ['lm_eval', 'torch.float32'])).toMatchObject({
      verdict: 'unfaithful',
      rounding: 'float32',
      forms: ['safetensors', 'lm_eval'],
    })
    expect(held(0.009, ['lm_eval', 'torch.bfloat16'])).toMatchObject({ verdict: 'faithful', rounding: '16-bit' })
    expect(held(0.009, ['lm_eval', ''])).toMatchObject({ rounding: '16-bit' })
  })

  test.each(['q4', 'q8', 'q4f16', 'Q4_K_M', 'Q8_0', 'MXFP4'])('of %s nothing is said beyond what equal blocks differ by', (dtype) => {
    expect(held(0.009, ['gguf', dtype])).toMatchObject({ verdict: 'faithful', rounding: 'blocks' })
    expect(held(0.02, ['gguf', dtype])).toMatchObject({ verdict: 'undecided' })
    expect(held(NaN, ['gguf', dtype])).toMatchObject({ verdict: 'unfaithful', maxAbsDiff: Infinity })
  })

  test('docs that were asked otherwise are left out', () => {
    const others = { t: moved(1), u: task }
    const two = (changes: Partial<MadeTask>) =>
      conversionCheck(run({ t: task, u: task }, 'safetensors'), run({ ...others, t: { ...others.t, ...changes } }, 'onnx'))
    expect(two({})).toMatchObject({ verdict: 'unfaithful', docs: 4, worst: { task: 't' } })
    expect(two({ prompt: 'q' })).toMatchObject({ verdict: 'faithful', docs: 2 })
    expect(two({ docs: 'v' })).toMatchObject({ verdict: 'faithful', docs: 2 })
  })

  test('it is no question of one form, of a form that isn’t told, or without scored choices', () => {
    expect(held(1, ['safetensors'])).toBeNull()
    expect(held(1, [null])).toBeNull()
    expect(conversionCheck(run({ t: { acc: [1] } }, 'safetensors'), run({ t: { acc: [1] } }, 'onnx'))).toBeNull()
  })

  test('equal infinities are no difference', () => {
    const low: MadeTask = { acc: [1], logprobs: [[-Infinity, -1]] }
    expect(conversionCheck(run({ t: low }, 'safetensors'), run({ t: low }, 'onnx'))).toMatchObject({ verdict: 'faithful', maxAbsDiff: 0 })
  })

  test('a sentence says it with its numbers', () => {
    const check = held(2.5)
    if (check === null) throw new Error('no check')
    expect(conversionSentence(check, 'A', 'B')).toBe(
      'Is this conversion faithful? No, if both are of the same weights: A (safetensors, fp32) and B (onnx, fp32) do not compute the same. Of 6 log-probabilities the largest difference is 2.5e+0 nats (t, doc 0; limit 0.005 nats, float32), the mean 8.3e-1; 1 of 2 picks differ.',
    )
  })
})
