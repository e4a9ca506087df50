import { describe, expect, it } from 'vitest'
import { asksForCap } from '../../src/settings/attention.ts'
import { effectiveArgs, ignoredModelArgs, namingArgs } from '../../src/settings/model-args.ts'

describe('model arguments without an effect', () => {
  it('are named, truncation with its reason, and those that apply are not', () => {
    expect(ignoredModelArgs({ max_length: 512, add_bos_token: true })).toBeNull()
    expect(ignoredModelArgs({ parallelize: true, max_length: 512 })).toBe('Model arguments without an effect here: parallelize.')
    expect(ignoredModelArgs({ truncation: true })).toMatch(
      /^Model arguments without an effect here: truncation \(truncation: .*cut from the left/,
    )
  })
})

describe('attn_implementation', () => {
  it.each([
    ['eager', true],
    ['flash_attention_2', true],
    ['flex_attention', true],
    ['sdpa', false],
  ])('%s is one of transformers’ own ways: a link may have it, and exports keep it', (value, caps) => {
    const args = { attn_implementation: value }
    expect([asksForCap(args), namingArgs(args), effectiveArgs(args), ignoredModelArgs(args)]).toEqual([caps, [], args, null])
  })

  it('with a kernel’s repository names code: it has no effect, and counts on a typed command line alone', () => {
    const args = { attn_implementation: 'kernels-community/flash-attn' }
    expect([asksForCap(args), namingArgs(args), effectiveArgs(args)]).toEqual([false, ['attn_implementation'], {}])
    expect(ignoredModelArgs(args)).toMatch(/attn_implementation/)
  })
})
