import type { Page } from '@playwright/test'
import { expect, test, waitForEnd } from './fixtures.ts'
import { hubHost, standInForHub, tinyModel, type StandIn } from './hub-stand-in.ts'

test.use({ allowedHosts: [hubHost] })

let hub: StandIn
test.beforeEach(async ({ context }) => {
  hub = await standInForHub(context)
})
test.afterEach(() => hub.close())

async function openSearch(page: Page, address: string) {
  await page.goto(address)
  await page.getByRole('radio', { name: /^Another model from the Hub/ }).check()
  return page.getByRole('combobox', { name: 'Search the Hub for models' })
}

test('search, pick, look up, see what fits, run: by keyboard, with nothing fetched before it is needed', async ({ page, app }) => {
  const box = await openSearch(page, `${app.address}#/?tasks=yardstick_facts&limit=2&device=wasm`)
  expect(hub.asked).toEqual([])
  await box.pressSequentially('tiny')
  const option = page.getByRole('option', { name: tinyModel })
  await expect(option).toContainText('ONNX (fp32, q8, q4), safetensors · apache-2.0')
  await expect(box).toHaveAttribute('aria-expanded', 'true')
  // Typing is one question, asked when it pauses.
  expect(hub.asked.length).toBe(1)
  expect(hub.asked[0]).toMatch(/^GET \/api\/models\?search=tiny&pipeline_tag=text-generation&/)

  await box.press('ArrowDown')
  await expect(option).toHaveAttribute('aria-selected', 'true')
  await expect(box).toHaveAttribute('aria-activedescendant', (await option.getAttribute('id')) ?? 'none')
  await box.press('Enter')
  await expect(page.getByRole('listbox', { name: 'Models found' })).toBeHidden()
  await expect(page.getByRole('textbox', { name: 'Model id' })).toHaveValue(tinyModel)
  const weights = page.getByRole('list', { name: 'Weights it offers' })
  await expect(weights.getByRole('listitem')).toHaveText([/^fp32 .*fits this device/, /^q8 .*fits this device/, /^q4 .*fits this device/])
  // Looking a model up reads its list of files and config.json: no tokenizer, no weights.
  const fetched = hub.asked.filter((line) => line.includes('/resolve/'))
  expect(fetched.map((line) => line.replace(/^.*\//, ''))).toEqual(['config.json'])
  expect(hub.asked.every((line) => line.startsWith('GET '))).toBe(true)

  const start = page.getByRole('button', { name: /^Run/ })
  await expect(start).toHaveCount(1)
  await start.click()
  await waitForEnd(page, 'complete')
  await expect(page.getByRole('table').first()).toContainText('yardstick_facts')
  expect(hub.asked.some((line) => line.includes('/onnx/'))).toBe(true)
})

test('a search that fails says why and what to do, there, and can be repeated', async ({ page, app }) => {
  const box = await openSearch(page, `${app.address}#/`)
  hub.answer = (route) => route.abort('internetdisconnected')
  await box.fill('tiny')
  const error = page.getByRole('alert')
  await expect(error).toContainText('huggingface.co could not be reached')
  await expect(error).toContainText('Check the network connection')

  hub.answer = null
  await page.getByRole('button', { name: 'Search again' }).click()
  await expect(page.getByRole('listbox').getByRole('option')).toHaveCount(1)
  await expect(error).toHaveCount(0)
})

test('too many searches are counted down, and go on by themselves', async ({ page, app }) => {
  const box = await openSearch(page, `${app.address}#/`)
  const open = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': 'Retry-After' }
  hub.answer = (route) => route.fulfill({ status: 429, headers: { ...open, 'Retry-After': '4' }, body: '' })
  await box.fill('tin')
  await expect(page.getByRole('alert')).toContainText('Try again in 4 s')
  await expect(page.getByText(/asks for a pause of \d s/)).toBeVisible()
  await expect(page.getByRole('button', { name: 'Search again' })).toBeDisabled()
  hub.answer = null
  await box.fill('tiny')
  await expect(page.getByRole('listbox').getByRole('option')).toHaveCount(1)
  expect(hub.asked.length).toBe(2)
})

test('a model that may not be had says so with its page to visit', async ({ page, app }) => {
  await page.goto(`${app.address}#/`)
  const open = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': 'X-Error-Code' }
  hub.answer = (route) => route.fulfill({ status: 403, headers: { ...open, 'X-Error-Code': 'GatedRepo' }, body: '' })
  await page.getByRole('radio', { name: /^Llama 3.2 1B/ }).check()
  const refusal = page.getByRole('alert').filter({ hasText: 'hub/gated' })
  await expect(refusal).toContainText(`https://${hubHost}/onnx-community/Llama-3.2-1B-Instruct`)
  // What helps is open, in its place.
  await expect(page.getByLabel('Access token')).toBeVisible()
})

test('a search finds nothing, or the wrong text: it says what to try', async ({ page, app }) => {
  const box = await openSearch(page, `${app.address}#/`)
  await box.fill('no-such-model-at-all')
  await expect(page.getByText('No model that writes text matches.')).toBeVisible()
  await box.press('Escape')
  await box.press('Escape')
  await expect(box).toHaveValue('')
  // Enter in the search never starts a run.
  await box.press('Enter')
  await expect(page).toHaveURL(/#\/$/)
})

test('opening a link, also to a suggested model, asks the Hub for nothing', async ({ page, app }) => {
  await page.goto(`${app.address}#/?model=HuggingFaceTB/SmolLM2-135M-Instruct&tasks=yardstick_facts&limit=3`)
  await expect(page.getByRole('radio', { name: /^SmolLM2 135M/ })).toBeChecked()
  await expect(page.getByRole('button', { name: /^Run/ })).toBeEnabled()
  await page.waitForTimeout(1000)
  expect(hub.asked).toEqual([])
})

test('a benchmark is one click from running, with its limit and model to see', async ({ page, app }) => {
  await page.goto(`${app.address}#/`)
  await expect(page.getByRole('button', { name: /^Run/ })).toBeEnabled()
  const cards = page.getByRole('list', { name: 'Known benchmarks' }).getByRole('button')
  await expect(cards).toHaveCount(6)
  const card = page.getByRole('button', { name: /^HellaSwag/ })
  for (const one of await cards.all()) await expect(one).toBeEnabled()
  await card.click()
  await expect(card).toHaveAttribute('aria-pressed', 'true')
  await expect(page.getByLabel('Docs per task')).toHaveValue('100')
  await expect(page.getByText('the first 100 docs')).toBeVisible()
  await expect(page.getByRole('radio', { name: /^SmolLM2 135M/ })).toBeChecked()
  await expect(page.getByRole('complementary', { name: 'Start' })).toContainText('hellaswag, limit 100')
  await page.getByRole('button', { name: 'Use all docs' }).click()
  await expect(page.getByRole('complementary', { name: 'Start' })).toContainText('hellaswag, all docs')
  await expect(page.getByRole('button', { name: /^Run/ })).toHaveCount(1)
})
