import { expect, test } from 'vitest'
import { arraysIn } from '../../src/base/json-arrays.ts'

const text = `{"title": "a [quiz]", "tags": ["x", "y"], "none": [],
  "questions": [{"q": "1, 2: \\"}]", "n": 1.0, "more": [{"deep": 1}]}, {"q": "b"}],
  "data": {"items": [{"q": "c"}], "key": {"a": 2}}}`

test('finds the lists of objects in a nested JSON, how long each is, and its text as written', () => {
  const arrays = arraysIn(text)
  expect(arrays.map(({ path, rows }) => [path, rows])).toEqual([
    ['questions', 2],
    ['data.items', 1],
  ])
  const [questions] = arrays
  expect(text.slice(questions?.start, questions?.end)).toMatch(/^\[\{"q": "1, 2:.*"n": 1\.0, .*\{"q": "b"\}\]$/)
})

test.each([['[{"q": 1}]'], ['{"a": 1}'], ['{"a": [{"b": 1}'], ['{"a": [1, 2]}'], ['{"a": ]'], [''], ['q,a\n1,2']])(
  'has nothing to ask about %j',
  (other) => {
    expect(arraysIn(other)).toEqual([])
  },
)

test('reads a deep and a long text alike', () => {
  const deep = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`
  expect(arraysIn(deep)).toEqual([])
  const long = `{"rows": [${Array.from({ length: 50_000 }, (_, at) => `{"n": ${at}}`).join()}]}`
  expect(arraysIn(long).map(({ rows }) => rows)).toEqual([50_000])
})
