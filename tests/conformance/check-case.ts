/** One case of a conformance corpus, run through the core. */
import { str, type PyDict, type PyValue } from '../../src/python/value.ts'
import { checkAggregation } from './check-aggregation.ts'
import { checkFilter } from './check-filter.ts'
import { checkGroup } from './check-group.ts'
import { checkMetrics } from './check-metrics.ts'
import { checkPyrandom } from './check-pyrandom.ts'
import { checkRegex } from './check-regex.ts'
import { checkRequests } from './check-requests.ts'
import { checkYaml, checkYamlInclude } from './check-yaml.ts'
import { parsePythonJson } from './python-json.ts'
import { dict, get } from './values.ts'

const checks: ReadonlyMap<string, (input: PyDict, expected: PyDict) => string | null> = new Map([
  ['requests', checkRequests],
  ['filter', checkFilter],
  ['metrics', checkMetrics],
  ['aggregation', checkAggregation],
  ['group', checkGroup],
  ['yaml', checkYaml],
  ['yaml_include', checkYamlInclude],
  ['pyrandom', checkPyrandom],
  ['regex', checkRegex],
])

/** What differs in a case, given as its line of the corpus; null when nothing does. Never throws: a crash is a difference. */
export function checkCase(line: string): string | null {
  try {
    return checkRow(parsePythonJson(line))
  } catch (error) {
    return `crashed: ${error instanceof Error ? error.message : String(error)}`
  }
}

function checkRow(row: PyValue): string | null {
  const kind = get(row, 'kind')
  const check = checks.get(str(kind))
  if (check === undefined) return `unknown kind ${kind === null ? '(none is given)' : str(kind)}`
  const [input, expected] = [dict(get(row, 'input')), dict(get(row, 'expected'))]
  if (expected.size === 0) return 'nothing is expected'
  return check(input, expected)
}
