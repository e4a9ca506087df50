/** Memory and processor time of the browser's renderer processes, as the system counts them. */
import type { Browser } from '@playwright/test'
import { readFileSync } from 'node:fs'

/** Process ids of all renderers: pages and, with them, their workers. */
export async function rendererPids(browser: Browser): Promise<readonly number[]> {
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  await session.detach()
  return processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id)
}

/** Bytes of resident memory that are the processes' own (`RssAnon` and `RssShmem`; files mapped in don't count); null where there is no /proc. */
export function residentBytes(pids: readonly number[]): number | null {
  let total = 0
  let isKnown = false
  for (const pid of pids) {
    try {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8')
      for (const [, kib] of status.matchAll(/^Rss(?:Anon|Shmem):\s+(\d+) kB$/gm)) total += Number(kib) * 1024
      isKnown = true
    } catch {
      // No such process any more, or a system without /proc.
    }
  }
  return isKnown ? total : null
}

/** Watches `read` every few milliseconds until `stop`; gives the largest value seen. */
export function watchPeak(read: () => number | null): { stop(): number | null } {
  let peak: number | null = null
  const look = (): void => {
    const now = read()
    if (now !== null && (peak === null || now > peak)) peak = now
  }
  const timer = setInterval(look, 20)
  return {
    stop: () => {
      look()
      clearInterval(timer)
      return peak
    },
  }
}

/** A tick of /proc: Linux counts processor time in hundredths of a second. */
const tickMs = 10

/** Milliseconds of processor time that the processes have used, all threads together; null where there is no /proc. */
export function processorMs(pids: readonly number[]): number | null {
  let total = 0
  let isKnown = false
  for (const pid of pids) {
    try {
      // Behind the name, which may hold anything, stand state, parent and others; the 12th and 13th are user and system time.
      const fields = (readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1) ?? '').split(' ')
      total += (Number(fields[11]) + Number(fields[12])) * tickMs
      isKnown = true
    } catch {
      // No such process any more, or a system without /proc.
    }
  }
  return isKnown ? total : null
}
