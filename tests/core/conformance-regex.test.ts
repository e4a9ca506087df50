import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { PythonRegexFlag } from '../../src/core/regex.ts'
import { compilePython } from '../../src/core/regex.ts'

interface RegexCase {
  readonly id: string
  readonly input: { readonly pattern: string; readonly flags: readonly PythonRegexFlag[]; readonly strings: readonly string[] }
  readonly expected: { readonly findall: unknown[]; readonly sub_empty: string[]; readonly search: boolean[]; readonly match: boolean[] }
}

const corpus = new URL('../../../shared/conformance/F_regex.jsonl', import.meta.url)
const isPresent = existsSync(corpus)
if (!isPresent) console.log('skipped: the conformance corpus F_regex is not beside this repository')

describe.skipIf(!isPresent)('patterns of shipped tasks match as in Python', () => {
  const cases = isPresent
    ? readFileSync(corpus, 'utf8')
        .trim()
        .split('\n')
        .map((line): RegexCase => JSON.parse(line) as RegexCase) // the corpus's README gives the form
    : []
  test.each(cases)('$id', ({ input, expected }) => {
    const regex = compilePython(input.pattern, input.flags)
    expect(input.strings.map((s) => regex.findall(s))).toEqual(expected.findall)
    expect(input.strings.map((s) => regex.sub('', s))).toEqual(expected.sub_empty)
    expect(input.strings.map((s) => regex.search(s) !== null)).toEqual(expected.search)
    expect(input.strings.map((s) => regex.match(s) !== null)).toEqual(expected.match)
  })
})
