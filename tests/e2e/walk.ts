/** What every page and part must stand: axe in light and dark, 360 pixels, and the keyboard alone. */
import type { Page } from '@playwright/test'
import { colourRules, violations } from './axe.ts'
import { expect } from './fixtures.ts'
import { isLong } from '../support/long.ts'

/** How far the page is wider than its window, in pixels. */
function overflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
}

/** Fails where axe finds something in light or dark, or where the page is wider than 360 pixels; ends at 360 pixels, in the dark. */
export async function expectAccessible(page: Page, what: string): Promise<void> {
  for (const [width, colorScheme, rules] of [
    [1200, 'light', null],
    // The same elements in the same places: only their colours are new, which the narrow page shows too but for what it has no room for.
    ...(isLong ? ([[1200, 'dark', colourRules]] as const) : []),
    [360, 'dark', null],
  ] as const) {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    expect({ what, width, colorScheme, found: await violations(page, rules) }).toEqual({ what, width, colorScheme, found: [] })
  }
  expect({ what, overflow: await overflow(page) }).toEqual({ what, overflow: 0 })
}

/** What had the focus, as a reader would name it, and whether it could be seen. */
interface Stop {
  readonly name: string
  readonly isSeen: boolean
  /** Nothing that the keyboard reaches comes after it. */
  readonly isLast: boolean
}

declare global {
  var walkedStops: Stop[] | undefined
}

/** As after a load: what had the focus has it no more; and what has it from now on is written down by the page itself. */
function startWalk(): void {
  const isKnown = globalThis.walkedStops !== undefined
  globalThis.walkedStops = []
  scrollTo(0, 0)
  document.body.tabIndex = -1
  document.body.focus()
  document.body.removeAttribute('tabindex')
  if (isKnown) return
  document.addEventListener('focusin', ({ target: element }) => {
    if (!(element instanceof HTMLElement || element instanceof SVGElement) || element === document.body) return
    const { width, height } = element.getBoundingClientRect()
    const reachable = [
      ...document.querySelectorAll<HTMLElement>('a[href], button:not(:disabled), select, input, textarea, summary, [tabindex="0"]'),
    ]
    const last = reachable.findLast((one) => one.checkVisibility() && !(one instanceof HTMLInputElement && one.type === 'radio'))
    globalThis.walkedStops?.push({
      name: (element.getAttribute('aria-label') ?? element.textContent ?? '').trim().slice(0, 40) || element.tagName,
      isSeen: width > 0 && height > 0 && getComputedStyle(element).visibility === 'visible',
      isLast: element === last,
    })
  })
}

/** Fails unless the keyboard leads from the page's first link to its last control, each of them in sight. */
export async function expectWalkable(page: Page, what: string): Promise<void> {
  await page.evaluate(startWalk)
  let stops: readonly Stop[] = []
  for (let presses = 0; presses < 200 && !stops.some(({ isLast }) => isLast); presses += 10) {
    for (let press = 0; press < 10; press++) await page.keyboard.press('Tab')
    stops = await page.evaluate(() => globalThis.walkedStops ?? [])
  }
  const end = stops.findIndex(({ isLast }) => isLast)
  const walked = end < 0 ? stops : stops.slice(0, end + 1)
  expect({
    what,
    first: walked[0]?.name,
    unseen: walked.flatMap(({ name, isSeen }) => (isSeen ? [] : [name])),
    reachedLast: end >= 0,
  }).toEqual({ what, first: 'Skip to content', unseen: [], reachedLast: true })
}

/** Both, the walk at 360 pixels and in the long form at 1,280 too: no control is hidden at either width. Ends at 1,280, in light. */
export async function expectGood(page: Page, what: string): Promise<void> {
  await expectAccessible(page, what)
  await expectWalkable(page, `${what} at 360 pixels`)
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  if (isLong) await expectWalkable(page, `${what} at 1280 pixels`)
}
