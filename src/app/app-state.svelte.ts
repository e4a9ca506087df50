/** All state of the page, made once and handed to the components. */
import { EvalError, fromWire, toEvalError } from '../base/errors.ts'
import type { RunSettings } from '../contracts/run-settings.ts'
import type { Keeping } from '../rpc/run-worker-api.ts'
import { Environment } from './environment.svelte.ts'
import { Notices } from './notices.svelte.ts'
import { Router, formatHash, runHash, startingRunId } from './router.svelte.ts'
import type { RunClient } from './run-client.ts'
import type { OnRunEvent } from '../rpc/run-worker-api.ts'
import { LiveRun } from './runs/live-run.svelte.ts'
import { RunsList } from './runs/runs-list.svelte.ts'
import { Catalogue } from './setup/catalogue.svelte.ts'
import { HubToken } from './setup/hub-token.svelte.ts'
import { LocalFiles } from './setup/local-files.svelte.ts'
import { isMissingPart, isNewerPublished } from './setup/published.ts'
import { settingsToQuery } from './setup/setup-fields.ts'
import { SetupForm } from './setup/setup-form.svelte.ts'
import { ThemeChoice } from './theme.svelte.ts'

export class AppState {
  readonly client: RunClient
  readonly router = new Router()
  readonly theme = new ThemeChoice()
  readonly notices = new Notices()
  readonly environment = new Environment()
  readonly catalogue: Catalogue
  readonly setup: SetupForm
  readonly local: LocalFiles
  readonly token: HubToken
  readonly runs: RunsList
  /** The latest run of this tab, going on or ended; one at a time. */
  live: LiveRun | null = $state.raw(null)
  /** Whether what is computed here is kept. */
  keeping: Keeping = $state.raw({ state: 'kept', error: null })
  /** A newer version of the page was published, and a part of this one was asked for in vain. */
  isOutdated = $state.raw(false)
  /** How often everything was erased here: who shows lists of what was kept reads them anew. */
  erasures = $state.raw(0)
  readonly #now: () => number

  constructor(client: RunClient, now: () => number = () => performance.now()) {
    this.client = client
    this.#now = now
    this.catalogue = new Catalogue(client)
    this.local = new LocalFiles(client)
    this.token = new HubToken(client)
    this.setup = new SetupForm(client, this.catalogue, this.local)
    this.runs = new RunsList(client)
  }

  /** Erases everything through `erase`, and what lies elsewhere: the token, in memory and where it was remembered, and `erase-rest.ts`. */
  async eraseAll(erase: () => Promise<void>): Promise<void> {
    await this.token.forget()
    await erase()
    const { eraseRest } = await import('./storage/erase-rest.ts')
    await eraseRest()
    this.erasures += 1
  }

  get isBusy(): boolean {
    return this.live?.status === 'running'
  }

  /** Starts a run and shows it: first without an id, then at its own address, which replaces the first in the history. */
  async start(settings: RunSettings): Promise<void> {
    if (this.isBusy) return
    const live = new LiveRun(settings, this.#now)
    this.live = live
    this.router.go(runHash(startingRunId))
    try {
      await this.client.start(await this.setup.complete(settings), (event) => this.#receive(live, event))
    } catch (error) {
      live.fail(await this.explain(error))
    }
  }

  /** Follows a run that `begin` begins, without going to its page; resolves with how it ended. Throws `run/busy` while another run goes on. */
  async runAside(settings: RunSettings, begin: (onEvent: OnRunEvent) => Promise<unknown>): Promise<LiveRun> {
    if (this.isBusy) throw new EvalError('run/busy', 'Another run goes on in this tab.')
    const live = new LiveRun(settings, this.#now)
    this.live = live
    begin((event) => this.#receive(live, event)).catch(async (error: unknown) => live.fail(await this.explain(error)))
    await live.ended
    return live
  }

  /** Something would be lost with the tab: a run or its results that are in memory only. */
  get holdsUnkept(): boolean {
    return this.keeping.state === 'memory' && this.live !== null && (this.isBusy || this.live.status === 'complete')
  }

  async watchKeeping(): Promise<void> {
    await this.client.watchKeeping((keeping) => (this.keeping = keeping))
  }

  /** The page is hidden and may be frozen or ended without another word. */
  async checkpoint(): Promise<void> {
    if (this.isBusy) await this.client.checkpoint()
  }

  /** The error as it is to be shown: a part of the page that is gone because a newer version was published says so. */
  async explain(error: unknown): Promise<EvalError> {
    const known = toEvalError(error)
    if (!isMissingPart(known) || !(await isNewerPublished())) return known
    this.isOutdated = true
    return new EvalError('app/outdated', 'A newer version of this page has been published, and this part of the older one is gone.', {
      cause: error,
    })
  }

  async resume(runId: string, settings: RunSettings, takesOver = false): Promise<void> {
    if (this.isBusy) return
    const live = new LiveRun(settings, this.#now)
    live.runId = runId
    this.live = live
    try {
      await this.client.resume(runId, (event) => this.#receive(live, event), takesOver)
    } catch (error) {
      live.fail(await this.explain(error))
    }
  }

  async stop(): Promise<void> {
    const live = this.live
    if (live?.status !== 'running') return
    live.isStopping = true
    try {
      await this.client.stop(live.runId)
    } catch (error) {
      live.isStopping = false
      this.notices.report(toEvalError(error))
    }
  }

  /** The run that the address names, when it is this tab's. */
  liveAt(runId: string): LiveRun | null {
    if (this.live === null) return null
    return this.live.runId === runId || runId === startingRunId ? this.live : null
  }

  #receive(live: LiveRun, event: Parameters<LiveRun['receive']>[0]): void {
    const before = live.runId ?? startingRunId
    live.receive(event)
    const route = this.router.route
    // From no address to the run's own, or to that of the run which began in its place.
    const isMoved = live.runId !== null && live.runId !== before
    if (isMoved && route.page === 'run' && (route.runId === startingRunId || route.runId === before))
      this.router.replace(runHash(live.runId ?? ''))
    if (event.type !== 'done' || event.error === null) return
    // The run goes on in another tab, which this one may follow now.
    if (event.error.code === 'storage/fenced') this.live = null
    this.explain(fromWire(event.error)).catch((error: unknown) => this.notices.report(error))
  }
}

/** The link that fills the form in with these settings. */
export function sameAgainHash(settings: RunSettings): string {
  return formatHash('/', settingsToQuery(settings))
}
