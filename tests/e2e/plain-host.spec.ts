import { expect, openDriver, readBundled, test, waitForEnd } from './fixtures.ts'

test('works from a sub-path of a host without headers, and says that it has one thread', async ({ page, context, plainHost }) => {
  const driver = await context.newPage()
  await openDriver(driver, plainHost.address)
  const { models, task } = await readBundled(driver)
  const failed: string[] = []
  context.on('response', (response) => {
    if (response.status() >= 400) failed.push(`${response.status()} ${response.url()}`)
  })
  await page.goto(
    `${plainHost.address}#/?model=${encodeURIComponent(models[0]?.id ?? '')}&tasks=${encodeURIComponent(task)}&dtype=fp32&device=wasm&limit=2`,
  )
  await expect(page.getByText(/one thread/i).first()).toBeVisible()
  await page.getByRole('button', { name: /^Run/ }).click()
  await waitForEnd(page, 'complete')
  await expect(page.getByRole('table').first()).toContainText('acc')
  expect(failed).toEqual([])
})

test('opening a link starts no run and no download', async ({ page, app }) => {
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await page.goto(`${app.address}#/?model=some/model&tasks=some_task&dtype=q4&limit=5`)
  await expect(page.getByRole('button', { name: /^Run/ })).toBeVisible()
  await page.waitForTimeout(1500)
  expect(asked.filter((url) => /\.onnx|tokenizer\.json/.test(url))).toEqual([])
  await expect(page.locator('main')).toHaveAttribute('data-run-status', 'idle')
})
