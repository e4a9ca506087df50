import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { buildTable, renderTable } from '../../../src/harness/results/table.ts'
import { str } from '../../../src/python/value.ts'
import { parsePythonJson } from '../../conformance/python-json.ts'
import { get } from '../../conformance/values.ts'
import { asDict } from '../../support/make-task.ts'

const cases = readFileSync(new URL('../../goldens/table/tables.json', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => asDict(parsePythonJson(line)))

describe('tables print as make_table prints them', () => {
  test.each(cases.map((row) => [get(row, 'id'), row] as const))('%s', (_id, row) => {
    const groups = get(row, 'groups')
    expect(renderTable(asDict(get(row, 'results')))).toBe(`${str(get(row, 'tasks'))}${typeof groups === 'string' ? `\n${groups}` : ''}`)
  })
})

test('rows hold what a page needs, with indented names for members of groups', () => {
  const results = asDict(
    parsePythonJson(
      '{"results": {"t": {"name": "t", "alias": "T", "sample_len": 4, "acc,none": 0.5, "acc_stderr,none": "N/A"}}, "group_subtasks": {"g": ["t"]}, "versions": {"t": 1.0}, "n-shot": {"t": 5}, "higher_is_better": {"t": {"acc": true}}}',
    ),
  )
  expect(buildTable(results)).toEqual({
    tasks: [
      {
        task: 't',
        alias: ' - T',
        version: '1.0',
        filter: 'none',
        nShot: '5',
        metric: 'acc',
        direction: '↑',
        value: 0.5,
        stderr: 'N/A',
        n: 4,
      },
    ],
    groups: [],
  })
})
