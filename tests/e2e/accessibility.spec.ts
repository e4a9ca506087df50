import type { Page } from '@playwright/test'
import { violations } from './axe.ts'
import { expect, makeSettings, openDriver, readBundled, runToEnd, test } from './fixtures.ts'
import { hubHost, standInForHub } from './hub-stand-in.ts'

/** How far the page is wider than its window, in pixels. */
function overflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
}

test('every page passes axe in light and dark, and fits 360 pixels', async ({ page, context, app }) => {
  const driver = await context.newPage()
  const events = await openDriver(driver, app.address)
  const { models, task } = await readBundled(driver)
  const { runId, error } = await runToEnd(driver, events, makeSettings({ model: models[0]?.id ?? '', tasks: [task], limit: 2 }))
  expect(error).toBeNull()

  for (const hash of [
    '#/',
    '#/runs',
    `#/run/${runId}`,
    '#/about',
    '#/storage',
    '#/lab',
    '#/lab?class=1&step=sum',
    '#/task',
    '#/no-such-page',
    '#/run/no-such-run',
  ]) {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width: 1200, height: 900 })
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.goto('about:blank')
      await page.goto(app.address + hash)
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      await expect(page.getByText(/loading|reading the task list/i)).toHaveCount(0)
      expect({ hash, colorScheme, found: await violations(page) }).toEqual({ hash, colorScheme, found: [] })
    }
    await page.setViewportSize({ width: 360, height: 740 })
    expect({ hash, overflow: await overflow(page), narrow: await violations(page) }).toEqual({ hash, overflow: 0, narrow: [] })
  }
})

/** What has the focus, as a reader would name it, and whether it can be seen; null on the page itself. */
function focused(page: Page): Promise<{ readonly name: string; readonly isSeen: boolean; readonly isLast: boolean } | null> {
  return page.evaluate(() => {
    const element = document.activeElement
    if (!(element instanceof HTMLElement || element instanceof SVGElement) || element === document.body) return null
    const { width, height } = element.getBoundingClientRect()
    const reachable = [
      ...document.querySelectorAll<HTMLElement>('a[href], button:not(:disabled), select, input, textarea, summary, [tabindex="0"]'),
    ]
    const seen = reachable.filter((one) => one.checkVisibility() && !(one instanceof HTMLInputElement && one.type === 'radio'))
    return {
      name: (element.getAttribute('aria-label') ?? element.textContent ?? '').trim().slice(0, 40) || element.tagName,
      isSeen: width > 0 && height > 0 && getComputedStyle(element).visibility === 'visible',
      isLast: element === seen.at(-1),
    }
  })
}

for (const width of [360, 1280] as const) {
  test(`the keyboard alone walks each page from its first link to its last control at ${width} pixels`, async ({ page, app }) => {
    for (const [hash, scheme] of [
      ['#/', 'light'],
      ['#/lab', 'dark'],
      ['#/lab?class=1', 'light'],
      ['#/task', 'dark'],
      ['#/runs', 'light'],
      ['#/about', 'dark'],
      ['#/storage', 'light'],
    ] as const) {
      await page.setViewportSize({ width, height: 900 })
      await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
      await page.goto('about:blank')
      await page.goto(app.address + hash)
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      await expect(page.getByText(/loading|reading the task list|opening the recorded run/i)).toHaveCount(0)
      const unseen: string[] = []
      let reachedLast = false
      for (let presses = 0; presses < 200 && !reachedLast; presses++) {
        await page.keyboard.press('Tab')
        const at = await focused(page)
        if (at === null) continue
        if (presses === 0) expect(at.name).toBe('Skip to content')
        if (!at.isSeen) unseen.push(at.name)
        reachedLast = at.isLast
      }
      expect({ hash, unseen, reachedLast }).toEqual({ hash, unseen: [], reachedLast: true })
    }
  })
}

test.describe('choosing', () => {
  test.use({ allowedHosts: [hubHost] })

  /** Ways to bring the set-up page into a state, each ending when the state is there to see. */
  const states: readonly (readonly [string, (page: Page) => Promise<unknown>])[] = [
    [
      'a search with results',
      async (page) => {
        await page.getByRole('radio', { name: /^Another model/ }).check()
        const box = page.getByRole('combobox', { name: 'Search the Hub for models' })
        await box.fill('tiny')
        await expect(page.getByRole('listbox').getByRole('option')).toHaveCount(1)
        await box.press('ArrowDown')
      },
    ],
    [
      'a model looked up',
      async (page) => {
        await page.getByRole('listbox').getByRole('option').click()
        await expect(page.getByRole('list', { name: 'Weights it offers' })).toBeVisible()
      },
    ],
    [
      'a search without results',
      async (page) => {
        await page.getByRole('combobox', { name: 'Search the Hub for models' }).fill('nothing-like-it')
        await expect(page.getByText('No model with ONNX files matches.')).toBeVisible()
      },
    ],
    [
      'a model that isn’t there',
      async (page) => {
        await page.getByRole('radio', { name: /^SmolLM2 135M/ }).check()
        await expect(page.getByRole('alert')).toContainText('hub/not-found')
      },
    ],
    [
      'tasks unfolded and searched',
      async (page) => {
        await page.getByRole('button', { name: 'Tasks of yardstick', exact: true }).click()
        await expect(page.getByRole('checkbox', { name: /^yardstick_facts/ }).first()).toBeVisible()
      },
    ],
  ]

  test('passes axe in every state, light and dark, and fits 360 pixels', async ({ page, context, app }) => {
    const hub = await standInForHub(context)
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await page.goto(`${app.address}#/`)
    for (const [state, reach] of states) {
      await page.setViewportSize({ width: 1200, height: 900 })
      await reach(page)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        expect({ state, colorScheme, found: await violations(page) }).toEqual({ state, colorScheme, found: [] })
      }
      await page.setViewportSize({ width: 360, height: 740 })
      expect({ state, overflow: await overflow(page), narrow: await violations(page) }).toEqual({ state, overflow: 0, narrow: [] })
    }
    await hub.close()
  })
})
