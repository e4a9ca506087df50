import type { RunRow } from '../../src/contracts/runs.ts'
import { callDriver, expect, isListOf, openDriver, test } from './fixtures.ts'

test('a link whose arguments name another model is refused by name, and starts nothing', async ({ page, context, app }) => {
  const foreign = encodeURIComponent('pretrained=evil/backdoor,trust_remote_code=True')
  await page.goto(`${app.address}#/?model=yardstick/pico&tasks=yardstick_words&limit=1&model_args=${foreign}`)
  const refusal = page.getByText(/^Not taken here: pretrained, trust_remote_code\. /)
  // Told as the link opens, not only when it is run.
  await expect(refusal).toBeVisible()
  await page.getByRole('button', { name: /^Run/ }).click()
  await expect(refusal).toBeVisible()
  await expect(page.locator('main')).toHaveAttribute('data-run-status', 'idle')
  const driver = await context.newPage()
  await openDriver(driver, app.address)
  expect(await callDriver(driver, 'listRuns', [], isListOf<RunRow>('manifest'))).toEqual([])
})

test('a pasted configuration names no model by its arguments, and says which it names', async ({ page, app }) => {
  await page.goto(app.address)
  await page.getByText('Add a task of your own (YAML)').click()
  await page
    .getByLabel('Task file')
    .fill('model: hf\nmodel_args: {pretrained: evil/backdoor, trust_remote_code: true}\ntasks: [yardstick_facts]\nlimit: 3\n')
  await page.getByRole('button', { name: 'Add task' }).click()
  await expect(page.getByText(/^Not taken: pretrained=evil\/backdoor, trust_remote_code=true\. /)).toBeVisible()
  await expect(page.getByLabel('Docs per task')).toHaveValue('3')
  await expect(page.locator('input[value="evil/backdoor"]')).toHaveCount(0)
})
