/** `npx tsx tools/pages/icons.ts`: the pictures of the installed app, `public/icon-SIZE.png`, drawn from `public/favicon.svg` on a full square, so that any mask fits. */
import { chromium } from '@playwright/test'
import { readFileSync } from 'node:fs'
import { findBrowser, playwrightOptions } from '../../src/cli/browser/browser.ts'

const sizes = [192, 512] as const
/** Of the width that stays clear around the drawing: a mask may cut a tenth off each side. */
const margin = 0.1

async function main(): Promise<void> {
  const { path } = findBrowser((line) => process.stderr.write(`${line}\n`))
  const browser = await chromium.launch(playwrightOptions(path, 'hardware'))
  const svg = readFileSync('public/favicon.svg', 'utf8').replace(' rx="7"', '')
  try {
    for (const size of sizes) {
      const page = await browser.newPage({ viewport: { width: size, height: size } })
      const inset = Math.round(size * margin)
      const drawing = svg.replace('<svg ', `<svg width="${size - 2 * inset}" height="${size - 2 * inset}" `)
      await page.setContent(`<body style="margin:0;padding:${inset}px;background:#1d5b8f">${drawing}`)
      await page.screenshot({ path: `public/icon-${size}.png`, clip: { x: 0, y: 0, width: size, height: size } })
      await page.close()
    }
  } finally {
    await browser.close()
  }
}

await main()
