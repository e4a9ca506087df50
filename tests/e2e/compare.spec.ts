import { violations } from './axe.ts'
import { expect, makeSettings, openDriver, runToEnd, test } from './fixtures.ts'

test('two dtypes of the embedded model are ticked in the history and compared: verdict, differences, dtype matrix, changed docs', async ({
  page,
  context,
  app,
}) => {
  test.setTimeout(240_000)
  const driver = await context.newPage()
  const events = await openDriver(driver, app.address)
  const runs: string[] = []
  for (const dtype of ['fp32', 'q8']) {
    const settings = makeSettings({ model: 'yardstick/pico', tasks: ['yardstick_facts', 'yardstick_words'], limit: 6, dtype })
    const { runId, status } = await runToEnd(driver, events, settings)
    expect(status).toBe('complete')
    runs.push(runId)
  }
  await driver.close()

  await page.goto(`${app.address}#/runs`)
  const boxes = page.getByRole('checkbox', { name: /^Compare yardstick\/pico/ })
  await expect(boxes).toHaveCount(2)
  // The latest stands first: fp32 is ticked first and so is A.
  await boxes.nth(1).check()
  await boxes.nth(0).check()
  // A run goes only after a question, and the keyboard leads back out of it.
  const remove = page.getByRole('button', { name: /^Delete yardstick\/pico/ })
  await remove.first().press('Enter')
  await expect(page.getByRole('dialog', { name: 'Delete this run?' })).toContainText('yardstick/pico')
  expect(await violations(page)).toEqual([])
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(remove).toHaveCount(2)
  await page
    .getByRole('main')
    .getByRole('link', { name: /^Compare/ })
    .click()
  await expect(page.locator('[data-compare]')).toHaveAttribute('data-compare', 'ready')
  expect(page.url()).toContain(`#/compare?runs=${runs.join(',')}`)

  await expect(page.getByText('comparable with care').first()).toBeVisible()
  const dtypes = page.getByRole('region', { name: 'How each was run' }).getByRole('row', { name: /^Dtype/ })
  await expect(dtypes.getByRole('cell')).toHaveText(['fp32', 'q8'])
  await expect(dtypes).toContainText('differs')
  const scores = page.getByRole('region', { name: 'A – B' }).getByRole('row')
  await expect(scores.first()).toContainText(/Afp32.*Bq8/)
  const [top, below] = [await scores.first().boundingBox(), await dtypes.boundingBox()]
  expect(top?.y).toBeLessThan(below?.y ?? 0)
  await expect(scores.filter({ hasText: 'yardstick_words' }).filter({ hasText: 'McNemar, exact' })).not.toHaveCount(0)
  const all = page.getByRole('region', { name: 'What the dtype costs' }).getByRole('row', { name: /^q8 All tasks/ })
  await expect(all.getByRole('cell').nth(1)).toHaveText('12')
  // Quantised weights score differently, if not by much.
  expect(Number(await all.getByRole('cell').nth(3).textContent())).toBeGreaterThan(0)

  await page.emulateMedia({ reducedMotion: 'reduce' })
  expect(await violations(page)).toEqual([])
  await page.setViewportSize({ width: 360, height: 800 })
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
  expect(await violations(page)).toEqual([])
  expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0)
  const doc = page.getByRole('link', { name: /^doc \d+ in B$/ }).first()
  if ((await doc.count()) === 0) return
  await doc.click()
  await expect(page.locator('.viewer')).toBeVisible()
  expect(page.url()).toContain(`#/run/${runs[1] ?? ''}?`)
})

test('the built-in model’s checkpoints are queued by one button and drawn by step, and leave as SVG, PNG and CSV', async ({
  page,
  app,
}) => {
  test.setTimeout(240_000)
  await page.goto(`${app.address}#/compare`)
  const revisions = page.getByRole('textbox', { name: 'Revisions' })
  await expect(revisions).toHaveValue(/step-000084/)
  await page.getByRole('textbox', { name: 'Tasks' }).fill('yardstick_words')
  await page.getByRole('textbox', { name: 'Docs a task' }).fill('6')
  // Ticked from the list, in any order: the curve goes by step.
  await revisions.fill('step-001088')
  await page.getByRole('button', { name: 'List branches and tags' }).click()
  const steps = page.getByRole('group', { name: 'Branches and tags of yardstick/pico' }).getByRole('checkbox')
  await expect(steps).toHaveCount(5)
  await expect(page.getByRole('checkbox', { name: 'step-001088' })).toBeChecked()
  await page.getByRole('checkbox', { name: 'step-000084' }).check()
  await expect(revisions).toHaveValue('step-001088, step-000084')
  await page.getByRole('button', { name: 'Start the queue' }).click()
  await expect(page.getByRole('img', { name: /by training step/ })).toBeVisible({ timeout: 180_000 })
  const numbers = page.getByRole('region', { name: 'Over training' }).getByRole('row')
  await expect(numbers.nth(1)).toContainText('step-000084')
  await expect(numbers.nth(2)).toContainText('step-001088')
  for (const [button, ending] of [
    ['Save SVG', '.svg'],
    ['Save PNG', '.png'],
    ['Save CSV', '.csv'],
  ] as const) {
    const [saved] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: button }).click()])
    expect(saved.suggestedFilename()).toMatch(new RegExp(`^checkpoints_yardstick__pico.*\\${ending}$`))
  }
  await page.getByRole('checkbox', { name: 'acc_norm' }).uncheck()
  await expect(page.locator('.chart polyline')).toHaveCount(1)
  await page.emulateMedia({ reducedMotion: 'reduce' })
  expect(await violations(page)).toEqual([])
})

test('two forms of the same weights, opened from files: whether the conversion is faithful stands on the page', async ({ page, app }) => {
  const filesOf = (form: string, logprob: string) => {
    const results = {
      results: { made_task: { alias: 'made_task', 'acc,none': 1, 'acc_stderr,none': 'N/A' } },
      configs: { made_task: { task: 'made_task', output_type: 'multiple_choice' } },
      'n-samples': { made_task: { original: 1, effective: 1 } },
      model_name: 'org/model',
      yardstick: { dtype: 'fp32', device: 'wasm', model_format: form },
    }
    const choices = [[['-1.5', 'False']], [[logprob, 'False']]]
    const sample = {
      ...{
        doc_id: 0,
        doc: { q: 'a' },
        target: '0',
        arguments: { gen_args_0: { arg_0: 'Q', arg_1: ' yes' }, gen_args_1: { arg_0: 'Q', arg_1: ' no' } },
        resps: choices,
        filtered_resps: choices.map(([one]) => one),
        filter: 'none',
      },
      ...{ metrics: ['acc'], acc: 1, doc_hash: 'a'.repeat(64), prompt_hash: 'b'.repeat(64), target_hash: 'c'.repeat(64) },
    }
    const file = (name: string, text: string) => ({ name, mimeType: 'application/json', buffer: Buffer.from(text) })
    return [
      file('results_2026-01-02T00-00-00.000000.json', JSON.stringify(results)),
      file('samples_made_task_2026-01-02T00-00-00.000000.jsonl', `${JSON.stringify(sample)}\n`),
    ]
  }
  const ids: string[] = []
  await page.goto(`${app.address}#/open`)
  for (const files of [filesOf('safetensors', '-2.5'), filesOf('onnx', '-2.25')]) {
    await page.locator('input[type=file]').setInputFiles(files)
    await expect(page).toHaveURL(/#\/open\?run=/)
    ids.push(new URL(page.url().replace('#/', '')).searchParams.get('run') ?? '')
    await page.getByRole('link', { name: /All opened runs/ }).click()
  }
  await page.goto(`${app.address}#/compare?runs=${ids.join(',')}`)
  const check = page.locator('[data-conversion]')
  await expect(check).toHaveAttribute('data-conversion', 'unfaithful')
  await expect(check).toContainText('No: A (safetensors, fp32) and B (onnx, fp32) do not compute the same.')
  await expect(page.getByRole('row').filter({ hasText: 'Form of the weights' })).toContainText(/safetensors\s*onnx/)
  await expect(check).toContainText('2 log-probabilities of 1 docs: largest difference 2.5e−1 nats (made_task, doc 0; limit 0.005)')
  expect(await violations(page)).toEqual([])
})
