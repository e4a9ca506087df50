/** Python functions in results files: the same code is the same, however it is printed. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, test } from 'vitest'
import { compareFunctions } from '../../../../src/analysis/compare/agreement/same-function.ts'
import { compareTask } from '../../../../src/analysis/compare/comparability.ts'
import type { ResultFile } from '../../../../src/analysis/compare/result-file.ts'
import type { Json } from '../../../../src/base/errors.ts'
import { readTaskFolder } from '../../../../src/cli/files/task-folder.ts'
import { dumpTaskConfig } from '../../../../src/harness/results/config-entry.ts'
import { buildRegistry } from '../../../../src/harness/tasks/registry.ts'
import { readTaskConfig } from '../../../../src/harness/tasks/task-config.ts'
import { bundledRoot } from '../../../../src/harness/tasks/task-files.ts'
import { functionsIn, signaturesOf } from '../../../../src/ports/functions/function-signatures.ts'
import { loadSignatures } from '../../../../src/ports/functions/signatures/signatures.ts'
import { toJson } from '../../../../src/python/value.ts'
import { findShared } from '../../../data/shared.ts'

beforeAll(loadSignatures)

const source = `def process_results(doc, results):
    """Says whether the reply is the answer."""
    reply = results[0].strip()  # without blanks
    return {"right": int(reply == doc["answer"])}
`
const respelt = `def process_results(
    doc: dict, results: list[str],
) -> dict:
    said = results[0].strip()
    return {'right': int(said == doc['answer'])}
`
const changed = source.replace('.strip()', '.strip().lower()')
const printed = '<function utils.process_results>'

/** What a task file with this Python beside it says of its functions. */
function signaturesWith(python: string | null): readonly string[] {
  const yaml = { path: 'made/t.yaml', text: 'task: t\ndataset_path: d\nprocess_results: !function utils.process_results\n' }
  const files = python === null ? [yaml] : [yaml, { path: 'made/utils.py', text: `import re\n\n${python}` }]
  const [task] = buildRegistry([{ name: 'given', files }]).resolve(['t']).tasks
  return functionsIn(task?.config ?? new Map()).flatMap(signaturesOf)
}

describe('a function by its name here and by its source there', () => {
  const verdict = (left: Json, right: Json, python: string | null = source) => compareFunctions(left, right, () => signaturesWith(python))

  it('is the same for the same code, whatever its names, quotes, comments and annotations', () => {
    expect([verdict(printed, source), verdict(source, printed), verdict(source, respelt), verdict(printed, respelt)]).toEqual(
      Array.from({ length: 4 }, () => 'same'),
    )
    expect(verdict(printed, `    ${source.trim().replaceAll('\n', '\n    ')}\n`)).toBe('same')
    expect(verdict(printed, '<function process_results at 0x7f0a1b2c3d40>')).toBe('same')
  })

  it('is another for other code and for another name, and unknown where one file doesn’t say', () => {
    expect([verdict(printed, changed), verdict(source, changed)]).toEqual(['other', 'other'])
    expect(verdict('<function utils.process_results_mc2>', source)).toBe('other')
    expect(verdict(printed, source, null)).toBe('unknown')
    expect([verdict('a text', 'another'), verdict(printed, 'a text'), verdict(printed, null)]).toEqual(['other', 'other', 'other'])
  })

  it('counts within lists and mappings, where all else must be equal', () => {
    const metrics = (aggregation: string, better = true): Json => [{ metric: 'right', aggregation, higher_is_better: better }]
    expect(verdict(metrics(printed), metrics(source))).toBe('same')
    expect(verdict(metrics(printed), metrics(changed))).toBe('other')
    expect(verdict(metrics(printed), metrics(source, false))).toBe('other')
    expect(verdict(metrics(printed), [])).toBe('other')
  })
})

test('the verdict on two runs is green for the same function, amber with the reason for one that isn’t known, red for another', () => {
  const file = (name: string, process_results: string, functions: Json = null): ResultFile => ({
    name,
    results: { t: { 'right,none': 0.5 } },
    configs: { t: { process_results } },
    whole: { chat_template_sha: null, yardstick: { functions } },
  })
  const ours = file('ours', printed, { t: { 'utils.process_results': [...signaturesWith(source)] } })
  expect(compareTask(ours, file('theirs', source), 't')).toEqual({ verdict: 'green', reasons: [] })
  expect(compareTask(file('theirs', source), ours, 't').verdict).toBe('green')
  expect(compareTask(file('older', printed), file('theirs', source), 't')).toMatchObject({
    verdict: 'amber',
    reasons: [{ key: 'process_results', sentence: expect.stringContaining('of the same name in both') as string }],
  })
  expect(compareTask(ours, file('theirs', changed), 't')).toMatchObject({
    verdict: 'red',
    reasons: [{ key: 'process_results', about: 'metric' }],
  })
})

const goldens = findShared('goldens')
const folder = goldens === null ? null : join(goldens, 'smollm2-135m-instruct')
if (folder === null) console.log('skipped: no results of the harness in ../shared/goldens')

describe.skipIf(folder === null)('the harness’s own results files', () => {
  const registry = buildRegistry([{ name: bundledRoot, files: readTaskFolder('public/tasks') }])

  it.each([
    ['ifeval', ['process_results', 'metric_list']],
    ['wikitext', ['doc_to_target', 'process_results']],
    ['hellaswag', ['process_docs']],
    ['truthfulqa_mc2', ['process_results']],
  ])('%s: its functions are those that are bundled here, by their source', (name, keys) => {
    const path = join(folder ?? '', name, 'results.json')
    if (!existsSync(path)) return
    // Written by the harness; what is read of it is compared.
    const theirs = (JSON.parse(readFileSync(path, 'utf8')) as { configs: { [task: string]: { [key: string]: Json } } }).configs[name]
    const [task] = registry.resolve([name]).tasks
    if (task === undefined || theirs === undefined) throw new Error(`no task ${name}`)
    const refs = functionsIn(task.config)
    const signatures = (wanted: string) => refs.filter((ref) => ref.name.endsWith(`.${wanted}`)).flatMap(signaturesOf)
    const ours = toJson(
      dumpTaskConfig(readTaskConfig(task.config, task.file), { numFewshot: 0, generationKwargs: null, predictOnly: false }),
    )
    for (const key of keys) {
      const own = (ours as { readonly [key: string]: Json })[key] ?? null
      expect(JSON.stringify(own), key).not.toBe(JSON.stringify(theirs[key]))
      expect(compareFunctions(own, theirs[key] ?? null, signatures), key).toBe('same')
      const other = JSON.parse(JSON.stringify(theirs[key]).replace('return ', 'return not ')) as Json
      expect(compareFunctions(own, other, signatures), key).toBe('other')
    }
  })
})
