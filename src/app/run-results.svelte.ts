/** A stored run's results and its samples, as the results part of the run page shows them. */
import { toEvalError, type EvalError } from '../core/errors.ts'
import type { SampleView } from '../core/types.ts'
import type { RunClient, RunSummary } from './run-client.ts'
import { matches, shows, type Show } from './samples.ts'
import type { Query } from './router.svelte.ts'

export const samplesPerPage = 50
/** How many samples one call asks for while a task's list is filled. */
const samplesPerCall = 500

/** What the sample list shows; part of the address, so a view can be linked to. */
export interface SampleSelection {
  readonly task: string
  readonly filter: string
  readonly show: Show
  readonly page: number
}

export class RunResultsView {
  readonly runId: string
  state: 'loading' | 'ready' | 'none' | 'failed' = $state.raw('loading')
  summary: RunSummary | null = $state.raw(null)
  error: EvalError | null = $state.raw(null)
  selection: SampleSelection = $state.raw({ task: '', filter: '', show: 'all', page: 1 })
  /** Samples of the selected task, as far as they have come. */
  samples: readonly SampleView[] = $state.raw([])
  samplesState: 'none' | 'loading' | 'ready' | 'failed' = $state.raw('none')
  samplesError: EvalError | null = $state.raw(null)
  /** Tasks that have a sample file, in the order of the results file. */
  tasks: readonly string[] = $derived(tasksOf(this.summary))
  filters: readonly string[] = $derived(filtersOf(this.samples))
  /** The filter whose samples are shown: the selected one where the task has it. */
  filter: string = $derived(this.filters.includes(this.selection.filter) ? this.selection.filter : (this.filters[0] ?? ''))
  inFilter: readonly SampleView[] = $derived(withFilter(this.samples, this.filter))
  counts: { readonly [show in Show]: number } = $derived(countAll(this.inFilter))
  shown: readonly SampleView[] = $derived(this.inFilter.filter((sample) => matches(sample, this.selection.show)))
  pages: number = $derived(Math.max(1, Math.ceil(this.shown.length / samplesPerPage)))
  page: number = $derived(Math.min(this.selection.page, this.pages))
  visible: readonly SampleView[] = $derived(this.shown.slice((this.page - 1) * samplesPerPage, this.page * samplesPerPage))
  readonly #client: RunClient
  #loadedTask: string | null = null

  constructor(client: RunClient, runId: string) {
    this.#client = client
    this.runId = runId
  }

  async load(): Promise<void> {
    this.state = 'loading'
    try {
      this.summary = await this.#client.loadResults(this.runId)
      this.state = this.summary === null ? 'none' : 'ready'
    } catch (error) {
      this.error = toEvalError(error)
      this.state = 'failed'
    }
  }

  /** Takes the selection from the address and fetches the task's samples if they aren't here. */
  async select(query: Query): Promise<void> {
    const asked = query['task'] ?? ''
    const task = this.tasks.includes(asked) ? asked : (this.tasks[0] ?? '')
    const show = shows.find((name) => name === query['show']) ?? 'all'
    const page = Math.max(1, Math.floor(Number(query['page'] ?? '1')) || 1)
    this.selection = { task, filter: query['filter'] ?? '', show, page }
    if (task !== '' && task !== this.#loadedTask) await this.#loadSamples(task)
  }

  async #loadSamples(task: string): Promise<void> {
    this.#loadedTask = task
    this.samples = []
    this.samplesState = 'loading'
    try {
      for (let total = 1; this.samples.length < total;) {
        const part = await this.#client.samplesOf(this.runId, task, { offset: this.samples.length, count: samplesPerCall })
        if (this.#loadedTask !== task) return
        if (part.samples.length === 0) break
        this.samples = [...this.samples, ...part.samples]
        total = part.total
      }
      this.samplesState = 'ready'
    } catch (error) {
      if (this.#loadedTask !== task) return
      this.#loadedTask = null
      this.samplesError = toEvalError(error)
      this.samplesState = 'failed'
    }
  }
}

function filtersOf(samples: readonly SampleView[]): readonly string[] {
  return [...new Set(samples.map((sample) => sample.filter))]
}

function withFilter(samples: readonly SampleView[], filter: string): readonly SampleView[] {
  return samples.filter((sample) => sample.filter === filter)
}

function tasksOf(summary: RunSummary | null): readonly string[] {
  const counted = summary?.resultsFile['n-samples']
  if (typeof counted === 'object' && counted !== null && !Array.isArray(counted)) return Object.keys(counted)
  return [...new Set(summary?.table.tasks.map((row) => row.task) ?? [])]
}

function countAll(samples: readonly SampleView[]): { readonly [show in Show]: number } {
  const counts = { all: 0, right: 0, wrong: 0, differ: 0 }
  for (const sample of samples) for (const show of shows) if (matches(sample, show)) counts[show] += 1
  return counts
}
