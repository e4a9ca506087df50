/** Files that took minutes or overflowed the stack for their size: each is opened or refused within this test's time, which they all missed. */
import { describe, expect, test } from 'vitest'
import { indexDocs } from '../../../src/analysis/viewer/doc-index.ts'
import { openFiles } from '../../../src/app/open/open-files.ts'
import { limits } from '../../../src/app/open/opened-run.ts'
import { isEvalError } from '../../../src/base/errors.ts'

const samplesName = 'samples_t_2026-01-01T00-00-00.jsonl'

/** Opens the text and indexes its docs; the entries of each task, or the refusal. */
async function openAndIndex(text: string, name = samplesName): Promise<readonly number[] | string> {
  try {
    const runs = await openFiles([{ name, file: new Blob([text]) }], () => 'o')
    return runs.flatMap(({ samples }) => [...samples].map(([task, list]) => indexDocs(task, list).index.count))
  } catch (error) {
    if (isEvalError(error)) return error.message
    throw error
  }
}

const manyLines = (count: number, line: (at: number) => string) => Array.from({ length: count }, (_, at) => line(at)).join('\n')
const pair = '[["-1","True"]]'

describe('a samples file of a few megabytes', () => {
  test('whose string never ends, beside a NaN, is refused without walking it once a quote', async () => {
    expect(await openAndIndex(`{"doc_id":0,"resps":[],"x":NaN,"y":"${'\\"'.repeat(3_000_000)}`)).toContain('Wanted JSON')
  })

  test('with a long string beside a NaN overflows no stack', async () => {
    expect(await openAndIndex(`{"doc_id":0,"resps":[],"x":NaN,"y":"${'\\"'.repeat(3_000_000)}"}`)).toEqual([1])
  })

  test('with millions of faults is refused at the first', async () => {
    expect(await openAndIndex(`{"doc_id":0,"resps":[],"metrics":[${'1,'.repeat(3_000_000)}1]}`)).toContain("wanted string for 'metrics.0'")
  })

  test('with a filter a line, named or not, is refused', async () => {
    const most = `wanted at most ${limits.filters} filters`
    expect(await openAndIndex(manyLines(200_000, () => '{"doc_id":0,"resps":[]}'))).toContain(most)
    expect(await openAndIndex(manyLines(100_000, (at) => `{"doc_id":${at},"filter":"f${at}","resps":[]}`))).toContain(most)
  })

  test('with a metric a line has too many scores', async () => {
    expect(await openAndIndex(manyLines(50_000, (at) => `{"doc_id":${at},"resps":[],"m${at}":1}`))).toContain(
      `at most ${limits.rows} scores`,
    )
  })

  test('with more choices than a page can list is refused, and with the most that are allowed it is not slow', async () => {
    const doc = (at: number, choices: number) =>
      `{"doc_id":${at},"target":"0","resps":[${Array.from({ length: choices }, () => pair).join(',')}],"acc":1}`
    expect(await openAndIndex(doc(0, 200_000))).toContain(`at most ${limits.choices} answers to a doc`)
    // One wide doc doesn't make all others as costly.
    expect(await openAndIndex([doc(0, limits.choices), manyLines(60_000, (at) => doc(at + 1, 2))].join('\n'))).toEqual([60_001])
  })
})

test('a results file of endless digits or of too many scores is refused', async () => {
  expect(await openAndIndex(`{"results": ${'1'.repeat(1_000_000)}x}`, 'results.json')).toContain('Wanted JSON')
  const scores = Array.from({ length: 250_000 }, (_, at) => `"m${at},none":0.5`).join(',')
  expect(await openAndIndex(`{"results":{"t":{${scores}}}}`, 'results.json')).toContain(`at most ${limits.rows} scores`)
})
