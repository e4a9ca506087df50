/** What a run of `--gpu` has found so far. */
import { append } from '../../../src/base/arrays.ts'
import type { ArmOutcome } from '../compare-arms.ts'
import type { BenchRow } from '../rows.ts'
import type { CheckRow, GoldenRow, MadeRow, MmluRow, Skipped } from './report.ts'

/** Codes of errors that say that a model is too large for a device or a disk, not that something is broken. */
const tooLarge: readonly string[] = ['engine/out-of-memory', 'model/too-large', 'ENOSPC']

/** transformers.js gives whatever error it met. */
function isTooLarge(error: unknown, message: string): boolean {
  const code: unknown = typeof error === 'object' && error !== null && 'code' in error ? error.code : null
  return (typeof code === 'string' && tooLarge.includes(code)) || /out of memory|bad_alloc|allocation failed/i.test(message)
}

export class Collected {
  readonly rows: BenchRow[] = []
  readonly made: MadeRow[] = []
  readonly checks: CheckRow[] = []
  readonly goldens: GoldenRow[] = []
  readonly mmlu: MmluRow[] = []
  readonly skipped: Skipped[] = []
  readonly faults: string[] = []
  /** What the loop gave on the first family of a model, by model, dtype and work: the others have the same weights. */
  readonly naive = new Map<string, ArmOutcome>()
  readonly #deadline: number
  readonly #say: (line: string) => void

  /** `minutes`: after them no further part begins. */
  constructor(minutes: number | null, say: (line: string) => void) {
    this.#deadline = minutes === null ? Infinity : performance.now() + minutes * 60_000
    this.#say = say
  }

  skip(part: string, reason: string): void {
    this.#say(`Left out: ${part}: ${reason}`)
    this.skipped.push({ part, reason })
  }

  fault(...faults: readonly string[]): void {
    for (const fault of faults) this.#say(`Failed: ${fault}`)
    append(this.faults, faults)
  }

  /** Runs a part; null where it is left out for want of time or memory, or broke, which is noted. The run goes on all the same. */
  async part<T>(name: string, run: () => Promise<T>): Promise<T | null> {
    if (performance.now() > this.#deadline) {
      this.skip(name, 'the minutes are over')
      return null
    }
    this.#say(name)
    try {
      return await run()
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      if (isTooLarge(error, message)) this.skip(name, `does not fit: ${message}`)
      else this.fault(`${name}: ${message}`)
      return null
    }
  }
}
