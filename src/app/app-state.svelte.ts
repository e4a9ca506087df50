/** All state of the page, made once and handed to the components. */
import { toEvalError } from '../core/errors.ts'
import type { RunSettings } from '../core/types.ts'
import { Catalogue } from './catalogue.svelte.ts'
import { Environment } from './environment.svelte.ts'
import { LiveRun } from './live-run.svelte.ts'
import { Notices } from './notices.svelte.ts'
import { Router, formatHash, runHash, startingRunId } from './router.svelte.ts'
import type { RunClient } from './run-client.ts'
import { RunsList } from './runs-list.svelte.ts'
import { SetupForm } from './setup-form.svelte.ts'
import { settingsToQuery } from './setup-fields.ts'
import { ThemeChoice } from './theme.svelte.ts'

export class AppState {
  readonly client: RunClient
  readonly router = new Router()
  readonly theme = new ThemeChoice()
  readonly notices = new Notices()
  readonly environment = new Environment()
  readonly catalogue: Catalogue
  readonly setup: SetupForm
  readonly runs: RunsList
  /** The latest run of this tab, going on or ended; one at a time. */
  live: LiveRun | null = $state.raw(null)
  readonly #now: () => number

  constructor(client: RunClient, now: () => number = () => performance.now()) {
    this.client = client
    this.#now = now
    this.catalogue = new Catalogue(client)
    this.setup = new SetupForm(client, this.catalogue)
    this.runs = new RunsList(client)
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
      await this.client.start(settings, (event) => this.#receive(live, event))
    } catch (error) {
      live.fail(error)
    }
  }

  async resume(runId: string, settings: RunSettings): Promise<void> {
    if (this.isBusy) return
    const live = new LiveRun(settings, this.#now)
    live.runId = runId
    this.live = live
    try {
      await this.client.resume(runId, (event) => this.#receive(live, event))
    } catch (error) {
      live.fail(error)
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
    live.receive(event)
    const route = this.router.route
    if (live.runId !== null && route.page === 'run' && route.runId === startingRunId) this.router.replace(runHash(live.runId))
  }
}

/** The link that fills the form in with these settings. */
export function sameAgainHash(settings: RunSettings): string {
  return formatHash('/', settingsToQuery(settings))
}
