import { describe, expect, test } from 'vitest'
import { parseCommandLine } from '../../../src/cli/flags/args.ts'
import { UsageError } from '../../../src/cli/flags/flag-values.ts'
import { sweptDtypes, sweptRevisions } from '../../../src/cli/flags/swept-flags.ts'

describe('a sweep', () => {
  test('over revisions begins with two, and refuses one that is named twice', () => {
    const swept = (revision: string) => sweptRevisions(parseCommandLine(['--revision', revision]))
    expect(swept('step-1, step-20,main')).toEqual(['step-1', 'step-20', 'main'])
    expect(swept('main')).toBeNull()
    expect(sweptRevisions(parseCommandLine([]))).toBeNull()
    expect(() => swept('a,b,a')).toThrow(UsageError)
  })

  test('over dtypes begins with two; not with two revisions as well, one twice, the default, or another command', () => {
    const swept = (...argv: readonly string[]) => sweptDtypes(parseCommandLine(argv))
    expect(swept('--dtype', 'fp32, q8,q4')).toEqual(['fp32', 'q8', 'q4'])
    expect(swept('--dtype', 'q4')).toBeNull()
    expect(swept('--model_args', '{"pretrained":"a/b","dtype":"fp32,q4"}')).toEqual(['fp32', 'q4'])
    expect(swept()).toBeNull()
    for (const argv of [
      ['--dtype', 'q4,q4'],
      ['--dtype', 'q4,auto'],
      ['--dtype', 'q4,q8', '--revision', 'a,b'],
      ['fan', '--dtype', 'q4,q8'],
    ])
      expect(() => swept(...argv)).toThrow(UsageError)
  })
})
