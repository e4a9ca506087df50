/** One run as the page follows it: a fold of its events, and the rates that follow from them. */
import type { EvalError, WireError } from '../../base/errors.ts'
import { toEvalError, toWire } from '../../base/errors.ts'
import type { EngineFacts } from '../../contracts/engine.ts'
import type { Phase, RunEvent, RunningScore } from '../../contracts/progress.ts'
import type { RunSettings } from '../../contracts/run-settings.ts'
import type { RunManifest, RunRow, RunStatus } from '../../contracts/runs.ts'
import { DownloadProgress, type DownloadTotals } from '../setup/download-progress.ts'
import { RateMeter } from './rate-meter.ts'

/** In the order in which a run goes through them. */
export const phases: readonly Phase[] = ['tasks', 'data', 'model', 'self-check', 'score', 'results']

interface FileProgress {
  readonly file: string
  readonly loadedBytes: number
  readonly totalBytes: number | null
}

type Counts = Pick<
  Extract<RunEvent, { type: 'progress' }>,
  'docsDone' | 'docsTotal' | 'requestsDone' | 'requestsTotal' | 'requestsKept' | 'runs'
>

type Writing = Omit<Extract<RunEvent, { type: 'generating' }>, 'type'>
type Waiting = Extract<RunEvent, { type: 'waiting' }>

const noCounts: Counts = { docsDone: 0, docsTotal: 0, requestsDone: 0, requestsTotal: 0, requestsKept: 0, runs: 0 }

export class LiveRun {
  /** Null until the run is stored. */
  runId: string | null = $state.raw(null)
  status: RunStatus = $state.raw('running')
  phase: Phase | null = $state.raw(null)
  /** Milliseconds that each finished phase took. */
  phaseTimes: { readonly [phase in Phase]?: number } = $state.raw({})
  files: readonly FileProgress[] = $state.raw([])
  /** All files together; null before the first. */
  downloads: DownloadTotals | null = $state.raw(null)
  counts: Counts = $state.raw(noCounts)
  scores: readonly RunningScore[] = $state.raw([])
  facts: EngineFacts | null = $state.raw(null)
  manifest: RunManifest | null = $state.raw(null)
  warnings: readonly string[] = $state.raw([])
  /** Why the run stands still, when it will go on by itself. */
  waiting: Waiting | null = $state.raw(null)
  /** The text that is being written; null between texts of which nothing is known, and for tasks without any. */
  writing: Writing | null = $state.raw(null)
  error: WireError | null = $state.raw(null)
  isStopping = $state.raw(false)
  /** Null while there is nothing to tell a rate from. */
  requestsPerSecond: number | null = $state.raw(null)
  secondsLeft: number | null = $state.raw(null)
  elapsedMs = $state.raw(0)
  readonly settings: RunSettings
  /** Settles when the run has ended, however. */
  readonly ended: Promise<void>
  #settle: () => void = () => undefined
  readonly #now: () => number
  readonly #startedAt: number
  readonly #meter = new RateMeter()
  readonly #workMeter = new RateMeter()
  readonly #downloads = new DownloadProgress()
  #phaseStartedAt: number

  constructor(settings: RunSettings, now: () => number) {
    this.settings = settings
    this.#now = now
    this.#startedAt = now()
    this.#phaseStartedAt = this.#startedAt
    this.ended = new Promise((resolve) => (this.#settle = resolve))
  }

  /** A run of another tab, as far as it was stored. */
  static ofRow(row: RunRow, now: () => number): LiveRun {
    const run = new LiveRun(row.manifest.settings, now)
    run.runId = row.runId
    run.manifest = row.manifest
    run.facts = row.manifest.engine
    run.counts = { ...noCounts, docsDone: row.docsDone, docsTotal: row.docsTotal }
    return run
  }

  /** Docs a second, by the share of requests that are done: docs finish in bursts, requests don't. */
  get docsPerSecond(): number | null {
    const { docsTotal, requestsTotal } = this.counts
    if (this.requestsPerSecond === null || requestsTotal === 0) return null
    return (this.requestsPerSecond * docsTotal) / requestsTotal
  }

  /** The clock moves between events, too. */
  tick(): void {
    if (this.status === 'running') this.elapsedMs = this.#now() - this.#startedAt
  }

  receive(event: RunEvent): void {
    this.tick()
    if (event.type !== 'warning') this.waiting = null
    switch (event.type) {
      case 'phase':
        this.#enter(event.phase)
        break
      case 'bytes':
        this.files = withFile(this.files, { file: event.file, loadedBytes: event.loaded, totalBytes: event.total })
        this.#downloads.add(event, this.#now())
        this.downloads = this.#downloads.totals()
        break
      case 'started':
        this.runId = event.runId
        this.manifest = event.manifest
        this.facts ??= event.manifest.engine
        this.counts = { ...noCounts, docsTotal: event.docsTotal, requestsTotal: event.requestsTotal }
        break
      case 'engine':
        this.facts = event.facts
        break
      case 'progress':
        this.#advance(event)
        break
      case 'warning':
        if (!this.warnings.includes(event.message)) this.warnings = [...this.warnings, event.message]
        break
      case 'generating':
        this.writing = event
        break
      case 'waiting':
        this.waiting = event
        break
      case 'done':
        this.runId = event.runId === '' ? this.runId : event.runId
        this.#end(event.status, event.error)
    }
  }

  /** Ends a run whose start was refused: there may be no `done` event then. A stored run that couldn't be resumed is as it was before. */
  fail(error: unknown): void {
    if (this.status !== 'running') return
    const known: EvalError = toEvalError(error)
    this.#end(known.code === 'run/stopped' || (this.runId !== null && this.manifest === null) ? 'interrupted' : 'failed', toWire(known))
  }

  #enter(phase: Phase): void {
    const now = this.#now()
    if (this.phase !== null) this.phaseTimes = { ...this.phaseTimes, [this.phase]: now - this.#phaseStartedAt }
    this.#phaseStartedAt = now
    this.phase = phase
    this.writing = null
  }

  #advance({ scores, work, type: _, ...counts }: Extract<RunEvent, { type: 'progress' }>): void {
    this.counts = counts
    this.scores = scores
    // Kept answers come at once and would promise a speed that the model can't hold.
    this.#meter.add(this.#now(), counts.requestsDone - counts.requestsKept)
    this.requestsPerSecond = this.#meter.perSecond()
    // Requests differ in length, and the first of many pay for what they share; planned work doesn't.
    const { done, total } = work ?? { done: counts.requestsDone - counts.requestsKept, total: counts.requestsTotal - counts.requestsKept }
    this.#workMeter.add(this.#now(), done)
    const rate = this.#workMeter.perSecond()
    // Until there is a rate, by what runs cost when the model was opened.
    const tokenMs = work === undefined ? 0 : (this.facts?.fast?.costs?.tokenMs ?? 0)
    const expected = tokenMs === 0 ? null : ((total - done) * tokenMs) / 1000
    this.secondsLeft = rate === null || rate === 0 ? expected : (total - done) / rate
  }

  #end(status: RunStatus, error: WireError | null): void {
    if (this.phase !== null) this.phaseTimes = { ...this.phaseTimes, [this.phase]: this.#now() - this.#phaseStartedAt }
    this.elapsedMs = this.#now() - this.#startedAt
    this.status = status
    this.error = error
    this.writing = null
    this.isStopping = false
    this.secondsLeft = null
    this.#settle()
  }
}

function withFile(files: readonly FileProgress[], next: FileProgress): readonly FileProgress[] {
  const known = files.some(({ file }) => file === next.file)
  return known ? files.map((file) => (file.file === next.file ? next : file)) : [...files, next]
}
