/** A search of the Hub while it is typed: it waits for a pause, the newest text wins, and errors stay in their place. */
import { toEvalError, type EvalError } from '../../base/errors.ts'
import type { ModelHit } from '../../contracts/models.ts'
import type { RunClient } from '../run-client.ts'
import type { Loading } from './catalogue.svelte.ts'

/** A pause this long in typing starts the search. */
export const pauseMs = 350
/** Shorter texts match most of the Hub. */
const shortestText = 2
const mostHits = 25

export class HubSearch {
  text = $state('')
  hits: Loading<readonly ModelHit[]> = $state.raw({ state: 'none' })
  /** Position of the hit that the arrow keys are on; -1 = none. */
  active = $state(-1)
  isOpen = $state(false)
  /** Seconds until the Hub takes another search; 0 = now. */
  waitSeconds = $state(0)
  readonly #client: Pick<RunClient, 'searchModels'>
  #timer: ReturnType<typeof setTimeout> | undefined
  #countdown: ReturnType<typeof setInterval> | undefined
  #latest = 0

  constructor(client: Pick<RunClient, 'searchModels'>) {
    this.#client = client
  }

  get found(): readonly ModelHit[] {
    return this.hits.state === 'ready' ? this.hits.value : []
  }

  /** Takes what was typed; the search follows after a pause. What an earlier text found is forgotten. */
  type(text: string): void {
    this.text = text
    this.#reset()
    if (text.trim().length < shortestText) return
    this.#timer = setTimeout(() => {
      this.search().catch((error: unknown) => {
        throw error
      })
    }, pauseMs)
  }

  /** Searches at once. Never rejects: what went wrong is in `hits`. */
  async search(): Promise<void> {
    const text = this.text.trim()
    if (this.waitSeconds > 0) return
    this.#reset()
    if (text.length < shortestText) return
    const mine = this.#latest
    this.hits = { state: 'loading' }
    this.isOpen = true
    try {
      const value = await this.#client.searchModels({ text, limit: mostHits })
      if (mine === this.#latest) this.hits = { state: 'ready', value }
    } catch (error) {
      if (mine === this.#latest) this.#fail(toEvalError(error))
    }
  }

  /** Moves by `step` hits and around the ends; opens the list when it is closed. */
  move(step: 1 | -1): void {
    const count = this.found.length
    if (count === 0) return
    if (!this.isOpen) {
      this.isOpen = true
      return
    }
    if (this.active === -1) this.active = step === 1 ? 0 : count - 1
    else this.active = (this.active + step + count) % count
  }

  close(): void {
    this.isOpen = false
    this.active = -1
  }

  /** Stops what is going on; nothing changes any more. */
  dispose(): void {
    this.#reset()
    clearInterval(this.#countdown)
  }

  #reset(): void {
    clearTimeout(this.#timer)
    this.#latest += 1
    this.close()
    this.hits = { state: 'none' }
  }

  #fail(error: EvalError): void {
    this.hits = { state: 'failed', error }
    const seconds = error.details['retryAfterSeconds']
    if (typeof seconds !== 'number' || seconds <= 0) return
    this.waitSeconds = seconds
    clearInterval(this.#countdown)
    this.#countdown = setInterval(() => {
      this.waitSeconds -= 1
      if (this.waitSeconds > 0) return
      clearInterval(this.#countdown)
      // What was typed during the pause has waited for its end.
      if (this.hits.state === 'none') this.type(this.text)
    }, 1000)
  }
}
