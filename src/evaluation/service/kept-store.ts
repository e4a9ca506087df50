/** The store of runs as the run worker holds it: opened when first asked for, and whether it really keeps what is computed. */
import { toEvalError, toWire, type EvalError } from '../../base/errors.ts'
import type { Keeping } from '../../rpc/run-worker-api.ts'
import type { Store } from '../../storage/store.ts'
import { openSurvivingStore } from '../../storage/surviving-store.ts'
import type { ServiceOptions } from './service-options.ts'

export class KeptStore {
  readonly #openStore: ServiceOptions['openStore']
  readonly #whenIdle: () => Promise<void>
  #store: Promise<Store> | null = null
  #keeping: Keeping = { state: 'kept', error: null }
  #onKeeping: (keeping: Keeping) => void = () => undefined

  /** `whenIdle` resolves when no run is going on: only then is the database given up for another version's. */
  constructor(openStore: ServiceOptions['openStore'], whenIdle: () => Promise<void>) {
    this.#openStore = openStore
    this.#whenIdle = whenIdle
  }

  get keeping(): Keeping {
    return this.#keeping
  }

  /** Tells of every change from now on, and how it is once the store is open or refused. */
  async watch(onChange: (keeping: Keeping) => void): Promise<void> {
    this.#onKeeping = onChange
    // The change to `refused` or `memory` has been told by then.
    await this.open().catch(() => undefined)
    onChange(this.#keeping)
  }

  open(): Promise<Store> {
    if (this.#store !== null) return this.#store
    const hooks = {
      whenIdle: this.#whenIdle,
      onOutdated: (reason: EvalError) => this.#set('refused', reason),
      onDataLoss: (reason: EvalError) => this.#set('kept', reason),
    }
    this.#set('kept', null)
    const opening = openSurvivingStore(
      () => this.#openStore(hooks),
      (reason) => this.#set('memory', reason),
    )
    this.#store = opening
    opening.catch((error: unknown) => {
      this.#store = null
      this.#set('refused', toEvalError(error))
    })
    return opening
  }

  #set(state: Keeping['state'], error: EvalError | null): void {
    this.#keeping = { state, error: error === null ? null : toWire(error) }
    this.#onKeeping(this.#keeping)
  }
}
