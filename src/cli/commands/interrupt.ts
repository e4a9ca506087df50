/** Ctrl-C and its kin: the first asks for a clean stop, a later one ends the process. */

interface Interrupt {
  readonly signal: AbortSignal
  release(): void
}

/** npm and tsx pass a terminal's Ctrl-C on as well, so one key press may arrive more than once within this time. */
const sameKeyMs = 1500

/** Listens until `release`; `onFirst` is called once. */
export function listenForInterrupt(onFirst: () => void): Interrupt {
  const controller = new AbortController()
  let firstMs = 0
  const onSignal = (): void => {
    if (firstMs === 0) {
      firstMs = performance.now()
      controller.abort(new InterruptedError('Stopped.'))
      onFirst()
    } else if (performance.now() - firstMs > sameKeyMs) process.exit(130)
  }
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const name of names) process.on(name, onSignal)
  return {
    signal: controller.signal,
    release: () => {
      for (const name of names) process.off(name, onSignal)
    },
  }
}

/** The user stopped the command line before a run had begun. */
export class InterruptedError extends Error {}
