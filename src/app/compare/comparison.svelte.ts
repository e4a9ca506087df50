/** The comparison that the address asks for: runs of this browser or opened from files, read and held against the first. */
import { conversionCheck, type ConversionCheck } from '../../analysis/compare/agreement/conversion-check.ts'
import { verdictAgreements, type VerdictAgreement } from '../../analysis/compare/agreement/verdict-agreement.ts'
import { compareInSteps, type RunComparison } from '../../analysis/compare/compare-runs.ts'
import { dtypeMatrix, type DtypeMatrix } from '../../analysis/compare/series/dtype-matrix.ts'
import { promptFans, type PromptFan } from '../../analysis/compare/series/prompt-fan.ts'
import { toEvalError, type EvalError } from '../../base/errors.ts'
import type { RunClient } from '../run-client.ts'
import type { TaskCurves } from './curves-csv.ts'
import { curvesOf, readEntry, type Entry } from './entries.ts'
import { pause, runInSlices } from './in-slices.ts'
import { namesByDifference } from './run-names.ts'

export interface Compared {
  readonly entries: readonly Entry[]
  /** What each is called, by what tells it from the others. */
  readonly names: readonly string[]
  /** Of each entry but the first. */
  readonly comparisons: readonly RunComparison[]
  /** Beside each comparison: docs on which runs agree whose tasks or metrics have other names. */
  readonly agreements: readonly (readonly VerdictAgreement[])[]
  /** Of each entry but the first: whether it is another form of the same weights that computes the same; null where that is no question. */
  readonly conversions: readonly (ConversionCheck | null)[]
  readonly matrix: DtypeMatrix | null
  readonly fans: readonly PromptFan[]
  /** Empty unless the runs are of one model at several training steps. */
  readonly curves: readonly TaskCurves[]
  /** Ids of the address that name no run with results here. */
  readonly missing: readonly string[]
}

export class Comparison {
  state: 'idle' | 'loading' | 'ready' | 'failed' = $state.raw('idle')
  found: Compared | null = $state.raw(null)
  error: EvalError | null = $state.raw(null)
  readonly #client: RunClient
  #attempt = 0

  constructor(client: RunClient) {
    this.#client = client
  }

  /** Compares these runs; a later call gives the one before up. */
  async load(ids: readonly string[]): Promise<void> {
    const attempt = (this.#attempt += 1)
    const isWanted = () => attempt === this.#attempt
    this.error = null
    if (ids.length === 0) {
      this.found = null
      this.state = 'idle'
      return
    }
    this.state = 'loading'
    try {
      const found = await this.#compare(ids, isWanted)
      if (found === null || !isWanted()) return
      this.found = found
      this.state = 'ready'
    } catch (error) {
      if (!isWanted()) return
      this.error = toEvalError(error)
      this.state = 'failed'
    }
  }

  async #compare(ids: readonly string[], isWanted: () => boolean): Promise<Compared | null> {
    const entries: Entry[] = []
    const missing: string[] = []
    for (const id of ids) {
      const entry = await readEntry(this.#client, id, entries.length)
      if (!isWanted()) return null
      if (entry === null) missing.push(id)
      else entries.push(entry)
    }
    const [first, ...others] = entries.map(({ run }) => run)
    const steps = first === undefined ? null : compareInSteps(first, others)
    const comparisons = steps === null ? [] : await runInSlices(steps, isWanted)
    if (comparisons === null) return null
    const runs = entries.map(({ run }) => run)
    await pause()
    const matrix = dtypeMatrix(runs)
    await pause()
    const agreements = first === undefined ? [] : others.map((other) => verdictAgreements(first, other))
    await pause()
    const conversions = first === undefined ? [] : others.map((other) => conversionCheck(first, other))
    return {
      entries,
      names: namesByDifference(entries.map(({ facts }) => facts)),
      comparisons,
      agreements,
      conversions,
      matrix,
      fans: promptFans(runs),
      curves: curvesOf(entries),
      missing,
    }
  }
}
