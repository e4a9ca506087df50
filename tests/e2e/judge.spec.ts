/** A judge on a run's page, with the embedded model as its own judge. */
import type { RunRow } from '../../src/contracts/runs.ts'
import { violations } from './axe.ts'
import { callDriver, expect, isListOf, makeSettings, openDriver, runToEnd, test } from './fixtures.ts'
import { expectGood } from './walk.ts'

/** Short enough for the embedded model's window. */
const template = 'Same?\n7/2 and 3.5: [Yes]\n7/2 and 4: [No]\n{obj_gold} and {prediction}: '

test('D: two rounds: infer then judge: the answers of a run are judged on its page, go on after a reload, and are shown again', async ({
  page,
  app,
}) => {
  test.slow()
  page.setDefaultTimeout(30_000)
  const events = await openDriver(page, app.address)
  const settings = makeSettings({ model: 'yardstick/pico', dtype: 'q4', tasks: ['yardstick_wordproblems'], limit: 4 })
  const { runId, status } = await runToEnd(page, events, settings)
  expect(status).toBe('complete')

  await page.goto(`${app.address}#/run/${runId}`)
  const part = page.locator('details', { has: page.getByText('Judge these answers') }).last()
  await part.getByText('Judge these answers').click()
  const prompt = part.getByLabel('Prompt', { exact: true })
  await expect(prompt).toHaveValue(/\{obj_gold\}[^]*\{prediction\}/)
  await expect(part.getByRole('button', { name: 'Judge', exact: true })).toBeDisabled()

  const fillIn = async () => {
    await part.getByLabel('Judge model').fill('yardstick/pico')
    await part.getByLabel('Dtype').fill('q4')
    await part.getByLabel('Decided by').selectOption('loglikelihood')
    await part.getByLabel('Answers go through').selectOption('number')
    await part.getByLabel('References go through').selectOption('number')
    await prompt.fill(template)
  }
  await fillIn()
  await expect(part.getByText('it marks its own work')).toBeVisible()
  await prompt.fill('{obj_gold} and {answer}')
  await expect(part.getByText('has no {prediction} and has {answer}')).toBeVisible()
  expect(await violations(page)).toEqual([])
  await prompt.fill(template)
  await part.getByRole('button', { name: 'Judge', exact: true }).click()
  await expect(part.getByText('Trying the judge on 44 labelled pairs.')).toBeVisible()
  await expect(part.getByRole('progressbar')).toBeVisible({ timeout: 60_000 })

  // The tab dies in the first stage; the same judge asked again goes on with it.
  await page.reload()
  await part.getByText('Judge these answers').click()
  await fillIn()
  await part.getByRole('button', { name: 'Judge', exact: true }).click()
  await expect(part.getByText(/^Quiz: \d+ of 44 labelled pairs right/)).toBeVisible({ timeout: 120_000 })
  await expect(part.getByText(/McNemar’s exact p = /)).toBeVisible({ timeout: 120_000 })
  const cells = (await part.getByRole('region', { name: 'Verdicts, docs' }).locator('td.num').allInnerTexts()).map(Number)
  expect(cells).toHaveLength(4)
  expect(cells.reduce((sum, one) => sum + one, 0)).toBe(4)
  const [, judgeOnly = 0, naiveOnly = 0] = cells
  const differing = part.getByRole('link', { name: /^doc \d+$/ })
  await expect(differing).toHaveCount(judgeOnly + naiveOnly)
  await expect(part.getByText('0 of 4 verdicts are invalid (0.0%)')).toBeVisible()

  await expectGood(page, 'the judge’s verdicts')

  // The verdicts are kept: shown again without asking the judge.
  await page.reload()
  await part.getByText('Judge these answers').click()
  await part.getByRole('button', { name: 'Show' }).click()
  await expect(part.getByText(/McNemar’s exact p = /)).toBeVisible({ timeout: 30_000 })
  await expect(prompt).toHaveValue(template)
  await expect(part.getByRole('button', { name: /^Save summary_\d{8}T\d{6}Z\.csv$/ })).toBeVisible()

  await page.goto(`${app.address}driver.html`)
  await page.waitForFunction(() => globalThis.yardstick !== undefined)
  const rows = await callDriver(page, 'listRuns', [], isListOf<RunRow>('runId'))
  expect(rows.map(({ manifest, status: state }) => `${manifest.settings.tasks.join()} ${state}`).sort()).toEqual([
    'judge_quiz complete',
    'judge_yardstick_wordproblems complete',
    'yardstick_wordproblems complete',
  ])
})
