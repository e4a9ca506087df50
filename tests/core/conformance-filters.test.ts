import { describe, expect, test } from 'vitest'
import { isConfigList } from '../../src/core/config-value.ts'
import { buildPipeline } from '../../src/core/filters.ts'
import { isDict, isList } from '../../src/core/python/value.ts'
import type { PyDict, PyValue } from '../../src/core/python/value.ts'
import { get, list, readCorpus, toPlainJson } from './corpus.ts'

const cases = readCorpus('B_filters.jsonl')

describe.skipIf(cases.length === 0)('filters give what the harness gives', () => {
  test.each(cases)('%s', (_id, row) => {
    const steps = get(row, 'input', 'filter')
    const docs = list(get(row, 'input', 'docs')).map((doc): PyDict => (isDict(doc) ? doc : new Map<string, PyValue>()))
    const run = () => buildPipeline(isConfigList(steps) ? steps : [])(list(get(row, 'input', 'resps')), docs)
    const expected = get(row, 'expected')
    if (isDict(expected) && expected.has('error')) expect(run).toThrow()
    else expect(toPlainJson([...run()])).toEqual(toPlainJson(get(row, 'expected', 'filtered')))
  })
})

test('the corpus holds lists', () => {
  for (const [, row] of cases) expect(isList(get(row, 'input', 'resps'))).toBe(true)
})
