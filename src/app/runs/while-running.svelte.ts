/** What a user may ask for while a long run goes on: that the screen stays on, and a notification when it has ended. Both off unless chosen. */
import type { RunStatus } from '../../contracts/runs.ts'

/** A lock that the browser may take back at any time, as it does when the page is hidden. */
export interface ScreenLock {
  release(): Promise<void>
}

/** The browser's side; null for what it doesn't have. */
export interface Surroundings {
  readonly requestLock: (() => Promise<ScreenLock>) | null
  /** Asks the user, who has just clicked. */
  readonly askToNotify: (() => Promise<boolean>) | null
  readonly notify: (title: string, body: string) => void
  readonly isVisible: () => boolean
  /** Calls back whenever the page is shown or hidden; gives the function that ends it. */
  readonly onVisibility: (changed: () => void) => () => void
}

/** As far as a run is watched: its status, read again whenever `changed` may have happened. */
interface WatchedStatus {
  readonly status: RunStatus
}

export class WhileRunning {
  /** The screen is asked to stay on during runs of this tab. */
  keepsAwake = $state.raw(false)
  /** The end of a run of this tab is told when nobody is looking. */
  notifies = $state.raw(false)
  /** The user, or the browser's settings, said no. */
  isRefused = $state.raw(false)
  readonly canKeepAwake: boolean
  readonly canNotify: boolean
  readonly #around: Surroundings
  #lock: Promise<ScreenLock | null> | null = null
  #run: WatchedStatus | null = null
  #message: ((status: RunStatus) => { readonly title: string; readonly body: string }) | null = null
  #stopListening: (() => void) | null = null

  constructor(around: Surroundings) {
    this.#around = around
    this.canKeepAwake = around.requestLock !== null
    this.canNotify = around.askToNotify !== null
  }

  /** Follows a run from now on, in place of the one before; `message` words its end. Following the same run again changes nothing but that. */
  follow(run: WatchedStatus, message: (status: RunStatus) => { readonly title: string; readonly body: string }): void {
    this.#message = message
    if (this.#run === run) return
    this.#run = run
    // The browser takes the lock back when the page is hidden, and gives none until it is shown.
    this.#stopListening ??= this.#around.onVisibility(() => this.#settle())
    this.#settle()
  }

  setKeepsAwake(wanted: boolean): void {
    this.keepsAwake = wanted
    this.#settle()
  }

  /** Asks for the permission when it is switched on: only ever from the user's click. */
  async setNotifies(wanted: boolean): Promise<void> {
    if (!wanted) {
      this.notifies = false
      return
    }
    const isAllowed = (await this.#around.askToNotify?.().catch(() => false)) ?? false
    this.notifies = isAllowed
    this.isRefused = !isAllowed
  }

  /** To be called when the followed run has ended: gives the lock back, and tells it to whoever isn't looking. */
  ended(run: WatchedStatus): void {
    if (this.#run !== run || run.status === 'running') return
    this.#run = null
    this.#stopListening?.()
    this.#stopListening = null
    this.#settle()
    if (!this.notifies || this.#around.isVisible() || this.#message === null) return
    const { title, body } = this.#message(run.status)
    this.#around.notify(title, body)
  }

  #settle(): void {
    const isWanted = this.keepsAwake && this.#run?.status === 'running' && this.#around.isVisible()
    const { requestLock } = this.#around
    if (!isWanted || requestLock === null) {
      this.#lock?.then((lock) => lock?.release()).catch(() => undefined)
      this.#lock = null
      return
    }
    // Refused on low battery: nothing is lost but the comfort.
    this.#lock ??= requestLock().catch(() => null)
  }
}

/** The browser as it is. */
function browserSurroundings(): Surroundings {
  // Absent outside secure contexts and in some browsers, whatever the types say.
  const wakeLock = (navigator as { readonly wakeLock?: WakeLock }).wakeLock
  const notification = (globalThis as { readonly Notification?: typeof Notification }).Notification
  return {
    requestLock: wakeLock === undefined ? null : () => wakeLock.request('screen'),
    askToNotify:
      notification === undefined
        ? null
        : async () => notification.permission === 'granted' || (await notification.requestPermission()) === 'granted',
    notify: (title, body) => {
      try {
        new Notification(title, { body, tag: 'yardstick-run' })
      } catch {
        // Browsers of phones show notifications of service workers alone.
      }
    },
    isVisible: () => document.visibilityState === 'visible',
    onVisibility: (changed) => {
      document.addEventListener('visibilitychange', changed)
      return () => document.removeEventListener('visibilitychange', changed)
    },
  }
}

let companion: WhileRunning | null = null

/** One for the tab: what was chosen outlives the page that asks for it. */
export function whileRunning(): WhileRunning {
  companion ??= new WhileRunning(browserSurroundings())
  return companion
}

/** Follows a live run to its end, also when another page is shown meanwhile. */
export function followToEnd(run: WatchedStatus, message: (status: RunStatus) => { readonly title: string; readonly body: string }): void {
  const own = whileRunning()
  own.follow(run, message)
  const stop = $effect.root(() => {
    $effect(() => {
      if (run.status === 'running') return
      own.ended(run)
      // Not within the effect that it ends.
      queueMicrotask(stop)
    })
  })
}
