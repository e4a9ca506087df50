/** A test whose page is watched for anything that a hostile text became: elements, handlers, code, dialogs, requests, refusals of the policy. */
import type { Page } from '@playwright/test'
import { expect, test as base } from './fixtures.ts'

declare global {
  /** What the page's own code never makes, below an element: elements, handlers, addresses and names out of a payload. */
  var findIntruders: ((root: Element) => readonly string[]) | undefined
}

interface Watch {
  /** Fails, naming the view, when anything came of a text in the page that is shown now. */
  readonly check: (where: string) => Promise<void>
}

export const test = base.extend<Watch>({
  check: async ({ page, context }, use) => {
    const dialogs: string[] = []
    const errors: string[] = []
    context.on('dialog', (dialog) => {
      dialogs.push(dialog.message())
      dialog.dismiss().catch(() => undefined)
    })
    context.on('weberror', (error) => errors.push(error.error().message))
    // What the policy has to stop was markup already.
    context.on('console', (message) => {
      if (/Content Security Policy|Refused to|foreign\.example/.test(message.text())) errors.push(message.text())
    })
    await context.addInitScript(installFinder)
    await use(async (where) => {
      expect(await intruders(page), where).toEqual([])
      expect([dialogs, errors], where).toEqual([[], []])
    })
  },
})

async function intruders(page: Page): Promise<readonly string[] | undefined> {
  return page.evaluate(() => {
    for (const details of document.querySelectorAll('details')) details.open = true
    return globalThis.findIntruders?.(document.documentElement)
  })
}

/** Runs in the page before its own code. */
function installFinder(): void {
  Object.defineProperty(globalThis, 'xss', { value: () => Object.defineProperty(globalThis, 'xssRan', { value: true }) })
  globalThis.findIntruders = (root) => {
    const foreign =
      'script,iframe,object,embed,base,meta,link,style,img,picture,video,audio,track,form,math,marquee,template,portal,area,frameset,animate,set,use,image,foreignObject,noscript,b,keygen,isindex,dialog:not([aria-labelledby])'
    const found: string[] = [...root.querySelectorAll(foreign)]
      .filter((element) => !element.matches('head > *, body > noscript, form[novalidate][class^="svelte-"]'))
      .map((element) => element.outerHTML.slice(0, 200))
    for (const element of root.querySelectorAll('*')) {
      for (const { name, value } of element.attributes) {
        const isAddress = ['href', 'src', 'action', 'formaction', 'data', 'xlink:href', 'srcset', 'poster', 'background'].includes(name)
        const isOwn = !isAddress || /^(?:#|\.?\/|https?:\/\/127\.0\.0\.1|[\w./-]+$)/.test(value)
        if (/^on|xss|^srcdoc$/i.test(name) || !isOwn || (name === 'id' && /xss/i.test(value)))
          found.push(`${element.tagName} ${name}=${value.slice(0, 120)}`)
      }
    }
    if ('xssRan' in globalThis) found.push('code of a payload ran')
    return found
  }
}
