/** Corpus F: patterns of shipped tasks as Python's `re` matches them. */
import { compilePython, type PythonRegexFlag } from '../../src/python/regex/compile.ts'
import type { PyDict, PyValue } from '../../src/python/value.ts'
import { findDifference } from './compare.ts'
import { expectedError, judge } from './outcome.ts'
import { get, texts } from './values.ts'

const flagNames: ReadonlyMap<string, PythonRegexFlag> = new Map(
  (['IGNORECASE', 'MULTILINE', 'DOTALL', 'VERBOSE', 'ASCII', 'UNICODE'] as const).map((name) => [name, name]),
)

/** What differs from Python's matches, or null. */
export function checkRegex(input: PyDict, expected: PyDict): string | null {
  return judge(
    () => matchAll(input),
    expectedError(expected),
    (found) => findDifference(found, expected),
  )
}

function matchAll(input: PyDict): PyValue {
  const [pattern = ''] = texts([get(input, 'pattern')])
  const strings = texts(get(input, 'strings'))
  const regex = compilePython(pattern, texts(get(input, 'flags')).map(readFlag))
  return new Map<string, PyValue>([
    ['findall', strings.map((text) => regex.findall(text))],
    ['sub_empty', strings.map((text) => regex.sub('', text))],
    ['search', strings.map((text) => regex.search(text) !== null)],
    ['match', strings.map((text) => regex.match(text) !== null)],
  ])
}

function readFlag(name: string): PythonRegexFlag {
  const flag = flagNames.get(name)
  if (flag === undefined) throw new Error(`unknown flag ${name}`)
  return flag
}
