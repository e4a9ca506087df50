/** The Hub token as the page knows it: that there is one. The token itself goes to the run worker and is forgotten here. */
import { toEvalError, type EvalError } from '../../base/errors.ts'
import type { TokenCheck } from '../../rpc/run-worker-api.ts'
import type { RunClient } from '../run-client.ts'

/** What is used of `localStorage`. */
type TokenStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

/** Only used when the user asks for it. */
const storageKey = 'yardstick-hub-token'

export class HubToken {
  isSet = $state.raw(false)
  isRemembered = $state.raw(false)
  isChecking = $state.raw(false)
  /** What the Hub said of the last token; null before one was given. */
  check: TokenCheck | null = $state.raw(null)
  error: EvalError | null = $state.raw(null)
  readonly #client: RunClient
  readonly #storage: TokenStorage | null

  constructor(client: RunClient, storage: TokenStorage | null = deviceStorage()) {
    this.#client = client
    this.#storage = storage
  }

  /** Hands a token over once the Hub has been asked what it may do; `remember` also keeps it in this browser. True when it is in use. */
  async use(token: string, remember: boolean): Promise<boolean> {
    this.isChecking = true
    this.error = null
    this.check = null
    try {
      const check = await this.#client.useToken(token, { check: true })
      this.check = check
      this.isSet = check.verdict === 'accepted' || check.verdict === 'unchecked'
      if (!this.isSet) return false
      this.#storage?.removeItem(storageKey)
      if (remember) this.#storage?.setItem(storageKey, token)
      this.isRemembered = remember && this.#storage !== null
      return true
    } catch (error) {
      this.error = toEvalError(error)
      return false
    } finally {
      this.isChecking = false
    }
  }

  /** Takes the token out of the worker's memory and out of this browser. */
  async forget(): Promise<void> {
    this.#storage?.removeItem(storageKey)
    this.isRemembered = false
    this.isSet = false
    this.check = null
    await this.#client.useToken(null, { check: false })
  }

  /** Hands a remembered token over, without asking the Hub anything; else notices when a worker that died took the token with it. */
  async restore(): Promise<void> {
    const kept = this.#storage?.getItem(storageKey) ?? null
    this.isRemembered = kept !== null
    if (kept !== null) await this.#client.useToken(kept, { check: false })
    this.isSet = kept !== null || (this.isSet && (await this.#client.hasToken()))
  }
}

/** Null where the browser's settings forbid it. */
function deviceStorage(): Storage | null {
  try {
    return localStorage
  } catch {
    return null
  }
}
