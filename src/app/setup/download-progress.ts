/** Downloads of a run as one thing: bytes over all files, how fast, how much longer. For the page and the command line alike. */
import { RateMeter } from '../runs/rate-meter.ts'

interface FileBytes {
  readonly file: string
  readonly loaded: number
  /** Null where the server doesn't tell. */
  readonly total: number | null
}

export interface DownloadTotals {
  readonly files: number
  readonly loaded: number
  /** Of the files that have begun; null as soon as one of them doesn't tell. */
  readonly total: number | null
  /** Smoothed over the last seconds; null while there is nothing to tell it from. */
  readonly bytesPerSecond: number | null
  /** Null when it can't be told, 0 when everything is there. */
  readonly secondsLeft: number | null
}

export class DownloadProgress {
  readonly #files = new Map<string, { readonly loaded: number; readonly total: number | null; readonly kept: number }>()
  readonly #meter = new RateMeter()

  /** The first bytes of a file that are told may have been kept from before: they are no speed of the network. */
  add({ file, loaded, total }: FileBytes, atMs: number): void {
    const known = this.#files.get(file)
    this.#files.set(file, { loaded, total, kept: known === undefined || known.loaded === 0 ? loaded : known.kept })
    this.#meter.add(
      atMs,
      this.#sum((one) => Math.max(0, one.loaded - one.kept)),
    )
  }

  totals(): DownloadTotals {
    const loaded = this.#sum((one) => one.loaded)
    const isTold = [...this.#files.values()].every(({ total }) => total !== null)
    const total = isTold ? this.#sum((one) => one.total ?? 0) : null
    const bytesPerSecond = this.#meter.perSecond()
    return { files: this.#files.size, loaded, total, bytesPerSecond, secondsLeft: secondsLeft(loaded, total, bytesPerSecond) }
  }

  #sum(of: (file: { readonly loaded: number; readonly total: number | null; readonly kept: number }) => number): number {
    let sum = 0
    for (const file of this.#files.values()) sum += of(file)
    return sum
  }
}

function secondsLeft(loaded: number, total: number | null, bytesPerSecond: number | null): number | null {
  if (total === null) return null
  if (loaded >= total) return 0
  return bytesPerSecond === null || bytesPerSecond <= 0 ? null : (total - loaded) / bytesPerSecond
}
