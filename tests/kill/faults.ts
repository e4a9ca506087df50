/** The ways in which the kill test ends or disturbs a run. */
import type { CDPSession } from '@playwright/test'
import { setTimeout as sleep } from 'node:timers/promises'
import { devtools } from './browser.ts'
import type { Kit } from './kit.ts'
import type { Tab } from './tab.ts'

export const faultKinds = [
  'sigkill',
  'page-crash',
  'worker-terminate',
  'close-model-worker',
  'page-close',
  'quit',
  'freeze',
  'quota',
  'network-cut',
] as const

export type FaultKind = (typeof faultKinds)[number]

/** Makes the fault happen now; it is called from the witness, while the worker that reported waits. Gives the order to that worker. */
export async function inflict(kind: FaultKind, kit: Kit, tab: Tab): Promise<string | void> {
  const browser = kit.browser()
  if (browser === null) return
  switch (kind) {
    case 'sigkill':
      browser.kill()
      return
    case 'page-crash': {
      const session = await devtools(tab.page)
      // Never answered: the renderer is gone.
      session.send('Page.crash').catch(() => undefined)
      await sleep(500)
      return
    }
    case 'worker-terminate':
      // With no run named, the page ends its worker at once.
      tab.call('stop', null).catch(() => undefined)
      await sleep(300)
      return
    case 'close-model-worker':
      return 'throw'
    case 'page-close':
      tab.page.close().catch(() => undefined)
      await sleep(300)
      return
    case 'quit':
      browser.quit().catch(() => undefined)
      await sleep(300)
      return
    case 'freeze':
      await browser.freeze(1_500)
      return
    case 'quota': {
      // The override lasts as long as its session.
      quotaSession = await devtools(tab.page)
      await quotaSession.send('Storage.overrideQuotaForOrigin', { origin: new URL(kit.witness.address).origin, quotaSize: 1 })
      return
    }
    case 'network-cut':
      kit.witness.cut()
      setTimeout(() => kit.witness.restore(), 700)
      return
  }
}

let quotaSession: CDPSession | null = null

/** Undoes what outlives a fault. */
export async function recover(kit: Kit): Promise<void> {
  kit.witness.restore()
  await quotaSession?.send('Storage.overrideQuotaForOrigin', { origin: new URL(kit.witness.address).origin }).catch(() => undefined)
  await quotaSession?.detach().catch(() => undefined)
  quotaSession = null
}
