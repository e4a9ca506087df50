import { describe, expect, it } from 'vitest'
import { ignoredModelArgs } from '../../src/settings/model-args.ts'

describe('model arguments without an effect', () => {
  it('are named, truncation with its reason, and those that apply are not', () => {
    expect(ignoredModelArgs({ max_length: 512, add_bos_token: true })).toBeNull()
    expect(ignoredModelArgs({ parallelize: true, max_length: 512 })).toBe('Model arguments without an effect here: parallelize.')
    expect(ignoredModelArgs({ truncation: true })).toMatch(
      /^Model arguments without an effect here: truncation \(truncation: .*cut from the left/,
    )
  })
})
