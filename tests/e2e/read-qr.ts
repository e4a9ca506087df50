/** Reads a QR code off the screen, as a camera would: a screenshot, decoded by another library than the one that made it. */
import type { Locator, Page } from '@playwright/test'
import jsQrModule from 'jsqr'

// The package is CommonJS with a `default`; Node's import of it is the module itself.
const jsQr = 'default' in jsQrModule ? (jsQrModule.default as typeof jsQrModule) : jsQrModule

/** The text of the code in `element`; null when none is found. */
export async function readQr(page: Page, element: Locator): Promise<string | null> {
  const png = (await element.screenshot()).toString('base64')
  // The page unpacks the picture, since Node has nothing for it.
  const image = await page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
    const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }))
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height)
    const context = canvas.getContext('2d')
    if (context === null) throw new Error('no 2d context')
    context.drawImage(bitmap, 0, 0)
    const { data, width, height } = context.getImageData(0, 0, bitmap.width, bitmap.height)
    return { text: Array.from(data, (value) => String.fromCharCode(value)).join(''), width, height }
  }, png)
  return jsQr(Uint8ClampedArray.from(Buffer.from(image.text, 'latin1')), image.width, image.height)?.data ?? null
}
