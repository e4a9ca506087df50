/** What every page and part must stand: axe in light and dark, 360 pixels, and the keyboard alone. */
import type { Page } from '@playwright/test'
import { colourRules, violations } from './axe.ts'
import { expect } from './fixtures.ts'

/** How far the page is wider than its window, in pixels. */
function overflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
}

/** Fails where axe finds something in light or dark, or where the page is wider than 360 pixels; ends at 360 pixels, in the dark. */
export async function expectAccessible(page: Page, what: string): Promise<void> {
  for (const [width, colorScheme, rules] of [
    [1200, 'light', null],
    // The same elements in the same places: only their colours are new.
    [1200, 'dark', colourRules],
    [360, 'dark', null],
  ] as const) {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    expect({ what, width, colorScheme, found: await violations(page, rules) }).toEqual({ what, width, colorScheme, found: [] })
  }
  expect({ what, overflow: await overflow(page) }).toEqual({ what, overflow: 0 })
}

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

/** Fails unless the keyboard leads from the page's first link to its last control, each of them in sight. */
export async function expectWalkable(page: Page, what: string): Promise<void> {
  // As after a load: what had the focus has it no more.
  await page.evaluate(() => {
    scrollTo(0, 0)
    document.body.tabIndex = -1
    document.body.focus()
    document.body.removeAttribute('tabindex')
  })
  const unseen: string[] = []
  let reachedLast = false
  for (let presses = 0; presses < 200 && !reachedLast; presses++) {
    await page.keyboard.press('Tab')
    const at = await focused(page)
    if (at === null) continue
    if (presses === 0) expect({ what, first: at.name }).toEqual({ what, first: 'Skip to content' })
    if (!at.isSeen) unseen.push(at.name)
    reachedLast = at.isLast
  }
  expect({ what, unseen, reachedLast }).toEqual({ what, unseen: [], reachedLast: true })
}

/** Both, the walk at 360 and at 1,280 pixels; ends there, in light. */
export async function expectGood(page: Page, what: string): Promise<void> {
  await expectAccessible(page, what)
  await expectWalkable(page, `${what} at 360 pixels`)
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  await expectWalkable(page, `${what} at 1280 pixels`)
}
