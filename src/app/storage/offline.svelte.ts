/** Use without a network, when asked for: a service worker (`public/offline.js`) that keeps this build's files. */
import { EvalError } from '../../base/errors.ts'
import { install, readList, removeOffline, type OfflineList } from './offline-files.ts'

/**
 * `absent`: not asked for. `keeping`: files are being fetched. `ready`: the app opens without a network. `unavailable`: this browser or host
 * offers none.
 */
type OfflineStatus = 'unknown' | 'unavailable' | 'absent' | 'keeping' | 'ready'

export class OfflineState {
  status: OfflineStatus = $state.raw('unknown')
  /** Of all files together; null while unknown. */
  bytes: number | null = $state.raw(null)
  #list: OfflineList | null = null

  async load(): Promise<void> {
    // Not there on pages that are no secure context, whatever the types say.
    const container: ServiceWorkerContainer | undefined = navigator.serviceWorker
    this.#list = container === undefined ? null : await readList()
    this.bytes = this.#list?.bytes ?? null
    const registration = await container?.getRegistration('./')
    if (registration?.active) this.status = 'ready'
    else this.status = this.#list === null ? 'unavailable' : 'absent'
  }

  /** Keeps the files. Throws `storage/unavailable` when that fails; files that were fetched are kept for the next try. */
  async keep(): Promise<void> {
    const list = this.#list
    if (list === null) return
    this.status = 'keeping'
    try {
      await install(list.build)
      this.status = 'ready'
    } catch (error) {
      this.status = 'absent'
      throw new EvalError('storage/unavailable', `The app’s files could not be kept for use without a network: ${String(error)}`, {
        cause: error,
      })
    }
  }

  /** Gives the files up; the page goes on as it is. */
  async remove(): Promise<void> {
    await removeOffline()
    this.status = this.#list === null ? 'unavailable' : 'absent'
  }
}
