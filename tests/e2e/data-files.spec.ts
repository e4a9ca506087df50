import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { distFolder } from '../../src/cli/browser/build.ts'
import { serve, type RunningServer } from '../../src/cli/browser/serve.ts'
import type { PromptPreview } from '../../src/contracts/requests.ts'
import type { RunSettings } from '../../src/contracts/run-settings.ts'
import { callDriver, expect, isListOf, makeSettings, openDriver, test } from './fixtures.ts'

const folder = mkdtempSync(join(tmpdir(), 'yardstick-data-'))

test.afterAll(() => {
  rmSync(folder, { recursive: true })
})
const rows = Array.from({ length: 3000 }, (_, n) => `{"n": ${n}, "q": "question\u2028 ${n} é", "a": ["x", "y"], "gold": ${n % 2}}\n`)
const members = [rows.slice(0, 1), rows.slice(1, 2500), rows.slice(2500)].map((part) => gzipSync(part.join('')))
const whole = Buffer.concat(members)
const files = { 'whole.jsonl.gz': whole, 'cut.jsonl.gz': whole.subarray(0, whole.length - 9) }

function settingsFor(name: string): RunSettings {
  const text = `task: made
dataset_path: json
dataset_kwargs: {data_files: {test: ${name}}}
test_split: test
output_type: multiple_choice
doc_to_text: "{{q}}?"
doc_to_target: gold
doc_to_choice: a
`
  return makeSettings({
    model: 'none',
    tasks: ['made'],
    taskFiles: [{ path: 'made.yaml', text }],
    dataFiles: { [name]: new URL(`${server.secret}/local-files/${name}`, server.address).href },
    limit: null,
  })
}

let server: RunningServer
test.beforeAll(async () => {
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, name), bytes)
  const localFiles = new Map(Object.keys(files).map((name) => [`/local-files/${name}`, join(folder, name)]))
  server = await serve({ folder: distFolder, port: 0, localFiles })
})
test.afterAll(() => server.close())

const isPreviews = isListOf<PromptPreview>('requests')

test('a gzip file of several members gives all its rows through the data worker', async ({ page }) => {
  await openDriver(page, server.address)
  const settings = settingsFor('whole.jsonl.gz')
  const previews = await callDriver(page, 'previewPrompts', [settings, 5000], isPreviews)
  expect(previews.map(({ docId }) => docId)).toEqual(rows.map((_, n) => n))
  for (const n of [0, 1, 2499, 2500, 2999])
    expect(previews[n]?.requests[0]).toMatchObject({ type: 'loglikelihood', context: `question\u2028 ${n} é?` })
  expect(page.workers().length).toBeGreaterThan(0)
})

test('a gzip file that is cut off gives an error with its offset and no rows', async ({ page }) => {
  await openDriver(page, server.address)
  const settings = settingsFor('cut.jsonl.gz')
  const reply = await page.evaluate(async (given) => globalThis.yardstick?.call('previewPrompts', [given, 5000]), settings as object)
  expect(reply).toMatchObject({
    ok: false,
    error: { code: 'dataset/malformed', details: { file: 'cut.jsonl.gz', offset: whole.length - 9 } },
  })
})
