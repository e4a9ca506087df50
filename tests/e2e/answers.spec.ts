/** Tasks that write, in the page: what no answer was found in is counted by category, and guessed only on request. */
import { serve } from '../../src/cli/browser/serve.ts'
import { violations } from './axe.ts'
import { appWithLine, endOf, removeFolders, slowModel } from './faults.ts'
import { callDriver, expect, isSummary, isText, makeSettings, openDriver, runToEnd, test, waitForEnd } from './fixtures.ts'

const category = (name: string, dataset: string, extra: string): string => `task: ${name}
task_alias: ${dataset}
dataset_path: yardstick/bench
dataset_name: ${dataset}
test_split: test
output_type: generate_until
doc_to_text: "Question: {{question}}\\nThe"
doc_to_target: "{{['A', 'B', 'C', 'D'][answer]}}"
generation_kwargs: {until: ["\\n"], max_gen_toks: 8, do_sample: false}
filter_list:
  - name: custom-extract
    filter:
      - {function: regex, regex_pattern: "answer is \\\\(?([A-J])\\\\)?"}
      - {function: take_first}
metric_list:
  - {metric: exact_match, aggregation: mean, higher_is_better: true}
${extra}`

test('B: MMLU-Pro: up to 10 options, CoT, regex `answer is \\(?([A-J])\\)?`: failures stand by category, guesses beside them', async ({
  page,
  app,
}) => {
  await page.goto(app.address)
  await page.getByText('Add a task of your own (YAML)').click()
  const chosen = page.getByRole('list', { name: 'Chosen tasks' }).getByRole('button')
  for (const [name, dataset] of [
    ['made_facts', 'facts'],
    ['made_words', 'words'],
  ] as const) {
    await page.getByLabel('Task file').fill(category(name, dataset, name === 'made_facts' ? 'yardstick: {guess_seed: 7}\n' : ''))
    await page.getByRole('button', { name: 'Add task' }).click()
    await expect(chosen.and(page.getByRole('button', { name: new RegExp(` ${name}$`) }))).toBeVisible()
  }
  const labels = await chosen.evaluateAll((buttons) => buttons.map((button) => button.getAttribute('aria-label') ?? ''))
  for (const label of labels.filter((one) => !/ made_/.test(one))) await page.getByRole('button', { name: label, exact: true }).click()
  await page.getByLabel('Docs per task').fill('4')
  await page.getByRole('button', { name: /^Run/ }).click()
  await waitForEnd(page, 'complete')

  const failures = page.getByRole('region', { name: 'Replies without an answer' })
  // The little model never says "answer is": every reply fails, each category has its row, and only one was to be guessed.
  await expect(failures.getByRole('row')).toHaveCount(3)
  await expect(failures.getByRole('row').nth(1)).toContainText(/facts.*custom-extract.*4\s*4\s*100\.0%\s*0\.0000\s*0\.\d{4}/s)
  await expect(failures.getByRole('row').nth(2)).toContainText(/words.*custom-extract.*4\s*4\s*100\.0%\s*0\.0000\s*$/s)
  await expect(page.getByText('drawn with seed 7')).toBeVisible()
  expect(await violations(page)).toEqual([])
  await page.setViewportSize({ width: 360, height: 740 })
  expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0)
})

test.afterAll(removeFolders)

const isLines = (value: unknown): value is { readonly text: string } => typeof value === 'object' && value !== null && 'text' in value

const sampled = makeSettings({
  model: 'yardstick/pico',
  tasks: ['yardstick_wordproblems'],
  limit: 5,
  genKwargs: { do_sample: true, temperature: 0.9, max_gen_toks: 64 },
  // One text after the other.
  scoring: 'reference',
  useCache: false,
})

test('sampled texts are the same for the same seed, others for another, and a tab killed in the middle of a text changes nothing', async ({
  page,
  app,
}) => {
  const events = await openDriver(page, app.address)
  const samplesOf = async (runId: string): Promise<string> =>
    (await callDriver(page, 'sampleLines', [runId, 'yardstick_wordproblems', 0, 100], isLines)).text
  const first = await runToEnd(page, events, sampled)
  expect(first.status).toBe('complete')
  const wanted = await samplesOf(first.runId)
  // One line each for its two filters.
  expect(wanted.trim().split('\n')).toHaveLength(10)
  const other = await runToEnd(page, events, { ...sampled, seeds: { ...sampled.seeds, torch: 7 } })
  expect(await samplesOf(other.runId)).not.toBe(wanted)

  slowModel(page, 100)
  // The same again, killed while the third of five texts is being written: two are kept, and what was cut off begins anew.
  const from = events.length
  const runId = await callDriver(page, 'start', [sampled], isText)
  const isWriting = () => events.slice(from).some((event) => event.type === 'generating' && event.docId === 2)
  await expect.poll(isWriting, { timeout: 60_000, intervals: [20] }).toBe(true)
  await page.reload()
  await page.waitForFunction(() => globalThis.yardstick !== undefined)
  const resumedFrom = events.length
  await callDriver(page, 'resume', [runId], (value): value is unknown => value !== undefined)
  expect(await endOf(events, resumedFrom)).toMatchObject({ runId, status: 'complete' })
  const kept = events.slice(resumedFrom).findLast((event) => event.type === 'progress')
  expect(kept?.requestsKept).toBeGreaterThanOrEqual(2)
  expect(kept?.requestsKept).toBeLessThan(5)
  expect(await samplesOf(runId)).toBe(wanted)
})

/** A filter that never ends on the first doc's reply, " 3 * 7 = 25\n#### 25", and fails at once on others: 8^13 ways to read what follows the 7. */
const stuckOnTheFirst = {
  path: 'stuck.yaml',
  text: [
    'include: yardstick/yardstick_wordproblems.yaml',
    'task: stuck',
    'filter_list:',
    '  - name: slow',
    '    filter:',
    "      - {function: regex, regex_pattern: '3 \\* 7 (?:[^z]|[^y]|[^x]|[^w]|[^v]|[^u]|[^t]|[^s])*zz'}",
    '      - {function: take_first}',
  ].join('\n'),
}

/** A filter's deadline of ten seconds passes four times as fast, and all others of the run worker. */
const faster = `{
  const set = globalThis.setTimeout, now = performance.now.bind(performance)
  performance.now = () => now() * 4
  globalThis.setTimeout = (run, ms, ...more) => set(run, ms / 4, ...more)
}`

test('a written reply on which a filter never ends is left out and named; the scores are those of the other docs', async ({ page }) => {
  const server = await serve({ folder: appWithLine(faster), port: 0 })
  try {
    const events = await openDriver(page, server.address)
    const settings = makeSettings({ model: 'yardstick/pico', tasks: ['stuck'], taskFiles: [stuckOnTheFirst], limit: 3 })
    const { runId, status, error } = await runToEnd(page, events, settings)
    expect({ status, error }).toEqual({ status: 'complete', error: null })
    const { table, resultsFile } = await callDriver(page, 'loadResults', [runId], isSummary)
    expect(table.tasks.map(({ task, n }) => [task, n])).toEqual([['stuck', 2]])
    expect(resultsFile['yardstick']).toMatchObject({ left_out: [{ task: 'stuck', doc_id: 0, filter: 'slow' }] })

    await page.goto(`${server.address}#/run/${runId}`)
    await expect(page.locator('main')).toHaveAttribute('data-run-status', 'complete')
    await expect(page.getByText(/doc 0 of stuck|stuck.*doc 0/i).first()).toBeVisible()
    await expect(page.locator('.viewer')).toHaveAttribute('data-docs', '2')
  } finally {
    await server.close()
  }
})
