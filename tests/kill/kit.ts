/** The pieces of a kill test together: a built app, its witness, a profile, and a browser that is started again whenever it is gone. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startBrowser, type KillableBrowser } from './browser.ts'
import { openTab, type Tab } from './tab.ts'
import { remoteHub } from './task.ts'
import { tearLog } from './torn-log.ts'
import { startWitness, type Witness } from './witness.ts'

export interface Kit {
  readonly witness: Witness
  readonly profile: string
  /** The browser that lives now; null when none does. */
  browser(): KillableBrowser | null
  /** A fresh driver page, in a fresh browser when the last one is gone. */
  tab(): Promise<Tab>
  /** SIGKILL to the browser. */
  kill(): void
  /** Waits until the killed browser is gone. */
  settled(): Promise<void>
  close(): Promise<void>
}

/** `folder` is the built app, which `close` removes. */
export async function openKit(folder: string): Promise<Kit> {
  const witness = await startWitness(folder)
  const profile = mkdtempSync(join(tmpdir(), 'yardstick-kill-profile-'))
  let browser: KillableBrowser | null = null
  const kit: Kit = {
    witness,
    profile,
    browser: () => (browser?.isAlive() === true ? browser : null),
    tab: async () => {
      if (browser?.isAlive() !== true) {
        await browser?.gone
        // A kill seldom hits the middle of a write by itself; after this, each has.
        if (browser !== null) tearLog(profile)
        browser = await startBrowser(profile)
      }
      const old = browser.context.pages()
      const tab = await openTab(browser.context, witness.address)
      await tab.call('configure', { base: `${witness.address}${remoteHub}`, token: null, localModels: {} })
      for (const page of old) await page.close().catch(() => undefined)
      return tab
    },
    kill: () => browser?.kill(),
    settled: async () => {
      await browser?.gone
      // The last files of a process that is gone are the kernel's by now; its children take a moment.
      await sleep(50)
    },
    close: async () => {
      browser?.kill()
      await browser?.gone
      await witness.close()
      rmSync(folder, { recursive: true, force: true })
      rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
  }
  return kit
}
