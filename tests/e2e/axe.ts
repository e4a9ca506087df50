/** What axe says of a page. */
import type { Page } from '@playwright/test'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The rules that look at colours, which are all that a colour scheme changes. */
export const colourRules: readonly string[] = ['color-contrast', 'link-in-text-block']

/** Every violation that axe finds on the page, as "rule: selector"; of all rules that axe runs by default, or of those named. */
export async function violations(page: Page, rules: readonly string[] | null = null): Promise<string[]> {
  // Half a megabyte of script, which a page needs once.
  if (await page.evaluate(() => !('axe' in globalThis))) await page.evaluate(axeSource)
  const options = JSON.stringify({ resultTypes: ['violations'], ...(rules === null ? {} : { runOnly: { type: 'rule', values: rules } }) })
  const found: unknown = await page.evaluate(
    `axe.run(document, ${options}).then((r) => r.violations.flatMap((v) => v.nodes.map((n) => v.id + ": " + n.target.join(" "))))`,
  )
  return Array.isArray(found) ? found.map(String) : ['axe did not answer']
}
