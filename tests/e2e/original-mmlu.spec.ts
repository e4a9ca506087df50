/** The original MMLU program's folder in the page: its tasks, its scores, its files. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectFolder } from '../../src/cli/browser/build.ts'
import { violations } from './axe.ts'
import { expect, test, waitForEnd } from './fixtures.ts'

const data = join(projectFolder, 'tests/goldens/original-mmlu/data')

/** Chromium's own picker can't be driven: without it the page uses its input. */
test.beforeEach(async ({ page }) => {
  await page.addInitScript(() => Reflect.deleteProperty(window, 'showDirectoryPicker'))
})

test('a folder of its csv files brings the tasks, and a run of them its tables and its files', async ({ page, app }) => {
  await page.goto(app.address)
  await page.getByText('Data files of your own').click()
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('group', { name: 'Data files of your own' }).getByRole('button', { name: 'Choose a folder…' }).click()
  await (await chooser).setFiles(data)
  const chosen = page.getByRole('list', { name: 'Chosen tasks' }).getByRole('button')
  await expect(chosen.and(page.getByRole('button', { name: / mmlu_original$/ }))).toBeVisible()
  const labels = await chosen.evaluateAll((buttons) => buttons.map((button) => button.getAttribute('aria-label') ?? ''))
  for (const label of labels.filter((one) => !one.endsWith(' mmlu_original')))
    await page.getByRole('button', { name: label, exact: true }).click()
  await page.getByRole('button', { name: /^Run/ }).click()
  await waitForEnd(page, 'complete')

  await expect(page.getByRole('table').first()).toContainText('world_religions')
  const averages = page.getByRole('region', { name: 'Groups, both ways of averaging' })
  await expect(averages.getByRole('row').nth(1)).toContainText(/mmlu_original.*acc.*2\s*8/s)
  await page.getByText('How the tasks of our own were asked').click()
  const recipes = page.getByRole('region', { name: 'How the tasks of our own were asked' })
  await expect(recipes.getByRole('row')).toHaveCount(3)
  await expect(recipes.getByRole('row').nth(1)).toContainText('5 (5)')
  expect(await violations(page)).toEqual([])
  await page.setViewportSize({ width: 360, height: 740 })
  expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0)

  await page.setViewportSize({ width: 1200, height: 900 })
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'world_religions.csv' }).click()
  const lines = readFileSync(await (await download).path(), 'utf8').split('\n')
  expect(lines).toHaveLength(5)
  expect(lines[0]).toMatch(/^0,1,2,3,4,5,(.+)_correct,\1_choiceA_probs,\1_choiceB_probs,\1_choiceC_probs,\1_choiceD_probs$/)
  expect(lines[1]).toMatch(/^Qu’est-ce que le ‘dharma’\?,"Law, duty","A ""text""",A place,A person,A,(True|False)(,[\d.e-]+){4}$/)
  const accuracies = page.waitForEvent('download')
  await page.getByRole('button', { name: /accuracies_.*\.json/ }).click()
  const scores = JSON.parse(readFileSync(await (await accuracies).path(), 'utf8')) as { readonly [key: string]: object | number }
  expect(Object.keys(scores)).toEqual(['subcategories', 'categories', 'weighted_accuracy', 'cost_time'])
  expect(Object.keys(scores['subcategories'] ?? {})).toEqual(['math', 'philosophy'])
})
