/** The task page: a task written, seen word for word, corrected and run; a folder of tasks; a template that never ends. */
import type { Locator, Page } from '@playwright/test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { RunRow } from '../../src/contracts/runs.ts'
import { violations } from './axe.ts'
import { callDriver, expect, isListOf, openDriver, test, waitForEnd } from './fixtures.ts'

const rows = Array.from({ length: 100 }, (_, n) =>
  JSON.stringify({ q: `What is ${n} plus 1?`, options: [`${n + 1}`, `${n}`], gold: 0 }),
).join('\n')
const task = `task: sums
dataset_path: json
dataset_kwargs:
  data_files: "lm_eval/tasks/sums/rows.jsonl"
validation_split: train
output_type: multiple_choice
num_fewshot: 0
doc_to_text: "{{q.strip()}} \\nAnswer: "
doc_to_choice: options
doc_to_target: gold
`
const folderTasks = 300
let folder = ''

test.beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'yardstick-tasks-'))
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, 'tasks', path)), { recursive: true })
    writeFileSync(join(folder, 'tasks', path), text)
  }
  write('sums/_sums_yaml', task.replace('task: sums\n', ''))
  for (let n = 0; n < folderTasks; n++) write(`sums/sums_${n}.yaml`, `include: _sums_yaml\ntask: sums_${n}\ntag: many_sums\n`)
  write('other/utils.py', 'def anything(): ...')
  write('other/other.yaml', 'include: ../sums/_sums_yaml\ntask: other_sums\nprocess_docs: !function utils.nobody_has_this\n')
})
test.afterAll(() => rmSync(folder, { recursive: true }))

/** Chromium's own picker can't be driven: without it the page uses its input. */
test.beforeEach(async ({ page }) => {
  await page.addInitScript(() => Reflect.deleteProperty(window, 'showDirectoryPicker'))
  await page.emulateMedia({ reducedMotion: 'reduce' })
})

const editor = (page: Page) => page.getByRole('textbox', { name: /^Text of/ })
const asked = (page: Page) => page.getByRole('region', { name: 'What the model is asked' })

/** Moves the focus by the keyboard alone until it is there. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    if (await target.evaluate((element) => element === document.activeElement)) return
    await page.keyboard.press('Tab')
  }
  throw new Error('the keyboard does not lead there')
}

async function dropFile(page: Page, name: string, text: string): Promise<void> {
  const transfer = await page.evaluateHandle(
    (file) => {
      const data = new DataTransfer()
      data.items.add(new File([file.text], file.name))
      return data
    },
    { name, text },
  )
  await page.locator('main').dispatchEvent('drop', { dataTransfer: transfer })
}

/** Fails where axe finds something in one of the colour schemes, or where the page is wider than 360 pixels. */
async function expectAccessible(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    expect({ colorScheme, found: await violations(page) }).toEqual({ colorScheme, found: [] })
  }
  await page.setViewportSize({ width: 360, height: 740 })
  expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0)
  expect(await violations(page)).toEqual([])
  await page.setViewportSize({ width: 1280, height: 900 })
}

/** A button that is disabled still takes no key, and the press would be lost. */
async function pressRun(page: Page): Promise<void> {
  const run = page.getByRole('button', { name: /^Run/ })
  await expect(run).toBeEnabled({ timeout: 60_000 })
  await run.press('Enter')
}

test('E: dataset_path: json, data_files, validation_split: train: pasted, with its file dropped, it is seen, corrected and run by keyboard', async ({
  page,
  app,
}) => {
  const requests: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  await page.goto(`${app.address}#/task`)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await tabTo(page, editor(page))
  await page.keyboard.insertText(task.replace('doc_to_choice: options\n', 'doc_to_choice: options\n  stray: [\n'))

  // Broken: the place is told beside the text, which stays as it was typed.
  const place = page.getByRole('button', { name: /^Line 9/ }).first()
  await expect(place).toBeVisible()
  expect(await violations(page)).toEqual([])
  await expect(editor(page)).toHaveValue(/stray: \[/)
  await page.reload()
  await expect(editor(page)).toHaveValue(/stray: \[/)
  await tabTo(page, editor(page))
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.insertText(task)

  // Whole, but its data file isn't there yet.
  await expect(asked(page).getByText('missing', { exact: true })).toBeVisible()
  await dropFile(page, 'rows.jsonl', rows)
  await expect(asked(page).getByText('✓ there')).toBeVisible()
  await expect(asked(page).getByRole('row')).toHaveCount(3)
  await expect(asked(page).getByText('right')).toHaveCount(1)
  // Two spaces at the seam, and one at the end of the first line.
  const lint = page.getByRole('region', { name: 'White space and doubled tokens' })
  await expect(lint.getByText('Two spaces before the answer')).toBeVisible()
  await expect(lint.getByText('sums.yaml:8').or(lint.getByText('my_task.yaml:8')).first()).toBeVisible()
  await expectAccessible(page)

  const hash = asked(page).getByText(/^[0-9a-f]{64}$/)
  const before = await hash.textContent()
  await tabTo(page, lint.getByRole('button', { name: /^Strip/ }))
  await page.keyboard.press('Enter')
  await expect(lint.getByText('Nothing found')).toBeVisible()
  expect(await hash.textContent()).not.toBe(before)

  await page.getByRole('button', { name: 'Next doc' }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('spinbutton', { name: 'Doc' })).toHaveValue('1')
  await expect(asked(page).getByText('What·is·1·plus·1?').or(asked(page).locator('figure')).first()).toContainText('1')
  await page.getByRole('spinbutton', { name: 'Few-shot examples' }).fill('2')
  await expect(
    asked(page)
      .getByText(/can show their own answer|Prompt/)
      .first(),
  ).toBeVisible()

  const take = page.getByRole('region', { name: 'Take it along' })
  await expect(take.locator('pre').first()).toContainText('--include_path my_tasks')
  await expect(take.locator('pre').first()).toContainText('--num_fewshot 2')
  await expect(take.getByText('my_tasks/my_task.yaml')).toBeVisible()

  await tabTo(page, take.getByRole('button', { name: 'Use in a run' }))
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: /^Run/ })).toHaveCount(1)
  await expect(page.getByRole('button', { name: 'Remove sums', exact: true })).toBeVisible()
  await page.getByLabel('Device', { exact: true }).selectOption('wasm')
  await page.getByLabel('Docs per task').fill('2')
  await pressRun(page)
  await waitForEnd(page, 'complete')
  const own = new URL(app.address).origin
  expect(requests.filter((url) => !url.startsWith(own) && !url.startsWith('blob:'))).toEqual([])
})

test('a template that never ends is stopped, and one that takes too long is killed with its worker', async ({ page, app }) => {
  await page.goto(`${app.address}#/task`)
  await page.getByRole('button', { name: 'Begin with an example' }).click()
  await expect(asked(page).getByRole('row')).toHaveCount(5)
  const example = await editor(page).inputValue()
  const withText = (text: string) => example.replace(/doc_to_text: .*/, `doc_to_text: ${JSON.stringify(text)}`)

  await editor(page).fill(withText('{% for a in range(999999999) %}x{% endfor %}'))
  await expect(page.getByText(/the template used more than/).first()).toBeVisible()
  await expect(asked(page).getByText('This is the state before the error above.')).toBeVisible()

  // No step of it is counted while its pattern tries 2^60 ways.
  await editor(page).fill(withText("{{ ('a' * 60) | regex_replace('(a+)+b', '') }}"))
  await expect(page.getByText(/gave no answer within/).first()).toBeVisible({ timeout: 30_000 })

  await editor(page).fill(example)
  await expect(asked(page).getByRole('row')).toHaveCount(5)
  await expect(page.getByRole('alert')).toHaveCount(0)
})

test('any task of a folder can be seen and run by its name, or says which helper it lacks', async ({ page, context, app }) => {
  await page.goto(`${app.address}#/task`)
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.getByRole('button', { name: 'Open a task folder…' }).click()])
  await chooser.setFiles(join(folder, 'tasks'))
  await expect(page.getByText(`Folder tasks: ${folderTasks + 2} tasks`)).toBeVisible()
  await dropFile(page, 'rows.jsonl', rows)

  const find = page.getByRole('searchbox', { name: 'Find a task' })
  await find.fill('sums_217')
  await page.getByRole('list', { name: 'Tasks found' }).getByRole('button').press('Enter')
  await expect(asked(page).getByRole('row')).toHaveCount(3)
  await expect(page.getByRole('cell', { name: '_sums_yaml:7' })).toBeVisible()
  await expect(page.getByText('my_tasks/tasks/sums/_sums_yaml')).toBeVisible()

  await find.fill('other_sums')
  await page.getByRole('list', { name: 'Tasks found' }).getByRole('button').press('Enter')
  await expect(page.getByRole('alert')).toContainText('!function utils.nobody_has_this')

  await find.fill('sums_8')
  await page.getByRole('list', { name: 'Tasks found' }).getByRole('button').first().press('Enter')
  await expect(asked(page).getByRole('row')).toHaveCount(3)
  await page.getByRole('button', { name: 'Use in a run' }).press('Enter')
  await page.getByLabel('Device', { exact: true }).selectOption('wasm')
  await page.getByLabel('Docs per task').fill('1')
  await pressRun(page)
  await waitForEnd(page, 'complete')
  // The run keeps the two files that it needs, not the folder.
  const driver = await context.newPage()
  await openDriver(driver, app.address)
  const [run] = await callDriver(driver, 'listRuns', [], isListOf<RunRow>('manifest'))
  const kept = run?.manifest.settings.taskFiles.map(({ path }) => path)
  expect(kept).toEqual(['tasks/sums/_sums_yaml', 'tasks/sums/sums_8.yaml'])
})

test('C: model config yaml + task config yaml: pasted on the set-up page they fill it in', async ({ page, app }) => {
  await page.goto(app.address)
  await page.getByText('Add a task of your own (YAML)').click()
  const paste = page.getByLabel('Task file')
  await paste.fill(
    'model: hf\nmodel_args: pretrained=yardstick/pico,dtype=float32,parallelize=True\ntasks: [yardstick_facts]\nlimit: 3\nnum_fewshot: 1\n',
  )
  await page.getByRole('button', { name: 'Add task' }).click()
  await expect(page.getByText(/^Taken over from .*: model, model_args, tasks, limit, num_fewshot/)).toBeVisible()
  await expect(page.getByText('Without a meaning here: parallelize.')).toBeVisible()
  await expect(page.getByLabel('Docs per task')).toHaveValue('3')
  await expect(page.getByRole('button', { name: 'Remove yardstick_facts', exact: true })).toBeVisible()
  await paste.fill('task_name: x\ntask_template: yardstick_{{language}}\nlanguages: [swahili, yoruba]\n')
  await page.getByRole('button', { name: 'Add task' }).click()
  await expect(page.getByRole('list', { name: 'Chosen tasks' }).getByRole('button')).toHaveCount(2)
})

test('Arabic, Hebrew and Devanagari read as they are written, with the borders of tokens and without', async ({ page, app }) => {
  const lines = [
    'السؤال: ما هو أكبر محيط في العالم؟',
    'שאלה: מהו האוקיינוס הגדול בעולם?',
    'प्रश्न: क्षितिज किसे कहते हैं?',
    'A. المحيط الهادئ (Pacific)',
  ]
  const row = { q: lines.join('\n'), options: [' المحيط الهادئ', ' האוקיינוס', ' क्षितिज'], gold: 0 }
  await page.goto(`${app.address}#/task`)
  await editor(page).fill(task.replace('{{q.strip()}} \\nAnswer: ', '{{q}}'))
  await dropFile(page, 'rows.jsonl', JSON.stringify(row))
  const prompt = asked(page).getByRole('group', { name: 'Prompt' })
  const borders = asked(page).getByRole('checkbox', { name: 'Token borders' })
  await expect(prompt.locator('.token').first()).toBeVisible()

  /** Of each line, how wide it is and whether its first letter is right of its last. */
  const layout = () =>
    prompt.evaluate((box) => {
      const range = document.createRange()
      const walker = document.createTreeWalker(box, NodeFilter.SHOW_TEXT)
      const found: { left: number; right: number; from: number; to: number }[] = []
      let isNew = true
      for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
        // Set before the text by the tokenizer, and no part of it.
        if (node.parentElement?.closest('.special') !== null) continue
        const text = node.textContent ?? ''
        for (const [at, character] of Array.from(text, (one, place) => [place, one] as const)) {
          if (character === '\n') isNew = true
          if (!/\p{L}/u.test(character)) continue
          range.setStart(node, at)
          range.setEnd(node, at + 1)
          const { left, right } = range.getBoundingClientRect()
          const line = isNew ? { left, right, from: left, to: left } : found.pop()
          isNew = false
          if (line !== undefined)
            found.push({ left: Math.min(line.left, left), right: Math.max(line.right, right), from: line.from, to: left })
        }
      }
      return found.map(({ left, right, from, to }) => ({ width: Math.round(right - left), isRightToLeft: from > to }))
    })
  const bordered = await layout()
  expect(bordered.map(({ isRightToLeft }) => isRightToLeft)).toEqual([true, true, false, false])
  await borders.uncheck()
  await expect(prompt.locator('.token')).toHaveCount(0)
  // Letters that had lost their neighbours would have other forms, and other widths.
  expect(await layout()).toEqual(bordered)
})
