import { describe, expect, test } from 'vitest'
import { WhileRunning, type Surroundings } from '../../../src/app/runs/while-running.svelte.ts'
import type { RunStatus } from '../../../src/contracts/runs.ts'

function made(change: Partial<Surroundings> = {}) {
  const log: string[] = []
  const page = { isVisible: true, changed: (): void => undefined }
  const around: Surroundings = {
    requestLock: async () => {
      log.push('lock')
      return {
        release: async () => {
          log.push('release')
        },
      }
    },
    askToNotify: async () => {
      log.push('ask')
      return true
    },
    notify: (title, body) => log.push(`${title}: ${body}`),
    isVisible: () => page.isVisible,
    onVisibility: (changed) => {
      page.changed = changed
      return () => log.push('deaf')
    },
    ...change,
  }
  const run: { status: RunStatus } = { status: 'running' }
  const show = (isVisible: boolean) => {
    page.isVisible = isVisible
    page.changed()
  }
  return { own: new WhileRunning(around), log, run, show }
}
const message = (status: RunStatus) => ({ title: status, body: 'b' })
const settled = () => new Promise((resolve) => setTimeout(resolve, 0))

describe('while a run goes on', () => {
  test('nothing is asked for unless the user chose it', async () => {
    const { own, log, run, show } = made()
    own.follow(run, message)
    show(false)
    run.status = 'complete'
    own.ended(run)
    await settled()
    expect(log).toEqual(['deaf'])
  })

  test('the screen lock is taken once, again when the page is shown again, and given back at the end', async () => {
    const { own, log, run, show } = made()
    own.follow(run, message)
    own.setKeepsAwake(true)
    own.follow(run, message)
    await settled()
    show(false)
    await settled()
    show(true)
    await settled()
    run.status = 'failed'
    own.ended(run)
    await settled()
    expect(log).toEqual(['lock', 'release', 'lock', 'deaf', 'release'])
  })

  test('the end is told only to whoever isn’t looking, and only with permission', async () => {
    const { own, log, run, show } = made()
    own.follow(run, message)
    await own.setNotifies(true)
    show(false)
    own.ended(run)
    expect(log, 'still running').toEqual(['ask'])
    run.status = 'complete'
    own.ended(run)
    own.ended(run)
    expect(log).toEqual(['ask', 'deaf', 'complete: b'])

    const refused = made({ askToNotify: async () => false })
    await refused.own.setNotifies(true)
    expect([refused.own.notifies, refused.own.isRefused]).toEqual([false, true])
  })

  test('a refused lock and a browser without either change nothing', async () => {
    const refused = made({ requestLock: () => Promise.reject(new Error('low battery')) })
    refused.own.follow(refused.run, message)
    refused.own.setKeepsAwake(true)
    await settled()
    expect(refused.own.keepsAwake).toBe(true)
    const bare = made({ requestLock: null, askToNotify: null })
    expect([bare.own.canKeepAwake, bare.own.canNotify]).toEqual([false, false])
    await bare.own.setNotifies(true)
    expect(bare.own.notifies).toBe(false)
  })
})
