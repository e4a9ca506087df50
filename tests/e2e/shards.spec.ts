/** Past one machine, on the page: parts of a run saved, opened together and merged; a run's folder for a cluster. */
import { unzipSync } from 'fflate'
import { readFileSync } from 'node:fs'
import { expect, test, waitForEnd } from './fixtures.ts'
import { expectGood } from './walk.ts'

test('two parts of a run are saved, opened together and merged; the folder for a cluster is a zip file', async ({ page, app }) => {
  const saved: string[] = []
  const save = async (name: string) => {
    const coming = page.waitForEvent('download')
    await page.getByRole('button', { name, exact: true }).click()
    return (await coming).path()
  }
  for (const part of ['1/2+2', '2/2+2']) {
    await page.goto(
      `${app.address}#/?model=yardstick/pico&tasks=yardstick_facts&limit=4&device=wasm&dtype=fp32&shard=${encodeURIComponent(part)}`,
    )
    await page.getByRole('button', { name: /^Run/ }).click()
    await waitForEnd(page, 'complete')
    await page.getByText('More formats', { exact: true }).click()
    saved.push(await save('Run as one file'))
  }
  const entries = unzipSync(new Uint8Array(readFileSync(await save('Folder for a cluster (zip)'))))
  const paths = Object.keys(entries).map((path) => path.replace(/^[^/]+\//, ''))
  for (const wanted of [
    'README.md',
    'run_vllm.sh',
    'expected.json',
    'tasks/yardstick_facts.yaml',
    'rows/yardstick_facts/test.jsonl',
    'model/model.safetensors',
  ])
    expect(paths).toContain(wanted)

  await page.goto(`${app.address}#/open`)
  await page
    .locator('input[type=file]')
    .setInputFiles(
      saved.map((path, at) => ({ name: `part-${at + 1}.yardstick.gz`, mimeType: 'application/gzip', buffer: readFileSync(path) })),
    )
  await page.getByRole('button', { name: 'Merge 2 parts' }).click()
  await expect(page).toHaveURL(/#\/open\?run=/)
  await expect(page.getByRole('table').first()).toContainText('acc_norm')
  await page.getByRole('link', { name: /All opened runs/ }).click()
  await expect(page.getByRole('heading', { name: 'Parts of one run' })).toBeVisible()
  await expectGood(page, 'parts of a run and the whole one')
})
