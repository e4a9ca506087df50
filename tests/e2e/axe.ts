/** What axe says of a page. */
import type { Page } from '@playwright/test'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Every violation that axe finds on the page, as "rule: selector". */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axeSource)
  const found: unknown = await page.evaluate(
    'axe.run(document, { resultTypes: ["violations"] }).then((r) => r.violations.flatMap((v) => v.nodes.map((n) => v.id + ": " + n.target.join(" "))))',
  )
  return Array.isArray(found) ? found.map(String) : ['axe did not answer']
}
