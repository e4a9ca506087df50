/** The sample viewer: which docs are listed, and which one is read. The address can say all of it. */
import type { DocShow } from '../../analysis/viewer/doc-filters.ts'
import type { DocIndex } from '../../analysis/viewer/doc-index.ts'
import { toEvalError, type EvalError } from '../../base/errors.ts'
import type { SampleView } from '../../contracts/samples.ts'
import type { PromptTokens } from '../../rpc/task-preview-api.ts'
import type { Query } from '../router.svelte.ts'
import { countAllShows, filtersOf, placeAt, positionOf, startsOf, matchingPositions, type Place } from './doc-list.ts'
import type { DocSource } from './doc-source.ts'
import { readSelection, selectionQuery, type DocSelection } from './selection.ts'

export class DocViewer {
  state: 'loading' | 'ready' | 'failed' = $state.raw('loading')
  error: EvalError | null = $state.raw(null)
  indexes: readonly DocIndex[] = $state.raw([])
  selection: DocSelection = $state.raw(readSelection({}))
  /** What the search found, and for which text; null without one. */
  #found: { readonly text: string; readonly hits: readonly Uint8Array[] } | null = $state.raw(null)
  /** The doc that is read, as soon as it has come. */
  sample: SampleView | null = $state.raw(null)
  sampleError: EvalError | null = $state.raw(null)
  /** The tokens of the prompt of `sample`. */
  tokens: PromptTokens | null = $state.raw(null)
  tokensState: 'none' | 'loading' | 'ready' | 'ask' | 'failed' = $state.raw('none')
  tokensError: EvalError | null = $state.raw(null)

  tasks: readonly string[] = $derived(this.indexes.map(({ task }) => task))
  /** The task that is shown alone; empty for all. */
  task: string = $derived(this.tasks.includes(this.selection.task) ? this.selection.task : '')
  shownIndexes: readonly DocIndex[] = $derived(this.indexes.filter((index) => this.task === '' || index.task === this.task))
  filters: readonly string[] = $derived(filtersOf(this.shownIndexes))
  filter: string = $derived(this.filters.includes(this.selection.filter) ? this.selection.filter : '')
  #starts: readonly number[] = $derived(startsOf(this.indexes))
  #query = $derived({ ...this.selection, task: this.task, filter: this.filter })
  counts: { readonly [show in DocShow]: number } = $derived(countAllShows(this.indexes, this.#query))
  /** Positions of the listed docs; those of the last search while the next one is on its way. */
  listed: Uint32Array = $derived(matchingPositions(this.indexes, this.#query, this.#found?.hits ?? null))
  isSearching: boolean = $derived((this.#found?.text ?? '') !== this.selection.text)
  /** Position of the doc that is read; -1 for none. */
  position: number = $derived(
    this.selection.doc === null ? (this.listed[0] ?? -1) : positionOf(this.indexes, this.selection.doc, this.filter),
  )
  /** Its place in the list; -1 when the list doesn't have it. */
  selectedAt: number = $derived(this.listed.indexOf(this.position))

  readonly #source: DocSource
  #isAllowed = false
  /** The newest of the searches, and of the docs asked for: an older one that comes late is dropped. */
  #lastSearch = 0
  #lastDoc = 0
  #written = ''

  constructor(source: DocSource) {
    this.#source = source
  }

  async load(): Promise<void> {
    try {
      this.indexes = await this.#source.indexes()
      this.state = 'ready'
      await this.#search(this.selection.text)
    } catch (error) {
      this.error = toEvalError(error)
      this.state = 'failed'
    }
  }

  /** Takes the selection from the address, unless it is the one that was written there last. */
  async read(query: Query): Promise<void> {
    if (this.#written === JSON.stringify(query)) return
    this.selection = readSelection(query)
    this.#written = JSON.stringify(query)
    if (this.state === 'ready') await this.#search(this.selection.text)
  }

  /** The query for the address; `read` knows it again. */
  write(): Query {
    const query = this.query()
    this.#written = JSON.stringify(Object.fromEntries(Object.entries(query).filter(([, value]) => value !== '')))
    return query
  }

  /** The query of the selection, or of another one. */
  query(change: Partial<DocSelection> = {}): Query {
    const next = { ...this.selection, ...change }
    return selectionQuery({ ...next, task: this.tasks.length === 1 ? '' : next.task })
  }

  /** The place of a position, for a row of the list. */
  placeOf(position: number): Place | null {
    return placeAt(this.indexes, this.#starts, position)
  }

  /** Lists other docs; the first of them is read. */
  async change(change: Partial<Omit<DocSelection, 'doc'>>): Promise<void> {
    this.selection = { ...this.selection, ...change, doc: null }
    if (change.text !== undefined) await this.#search(change.text)
  }

  /** Has the texts fetched that a search reads, so that its first letter doesn't wait for the database. */
  async prepareSearch(): Promise<void> {
    await this.#source.search('')
  }

  /** Reads the doc at a place of the list. */
  choose(at: number): void {
    const place = this.placeOf(this.listed[Math.max(0, Math.min(at, this.listed.length - 1))] ?? -1)
    if (place === null) return
    this.selection = { ...this.selection, doc: { task: place.index.task, docId: place.index.docIds[place.entry] ?? 0 } }
  }

  /** Reads the next doc of the list, or one before. */
  move(by: number): void {
    this.choose(this.selectedAt < 0 ? 0 : this.selectedAt + by)
  }

  /** Fetches the doc at a position, and its prompt's tokens where nobody need be asked. */
  async open(position: number): Promise<void> {
    this.#lastDoc += 1
    const asked = this.#lastDoc
    const place = this.placeOf(position)
    if (place === null) {
      this.sample = null
      return
    }
    try {
      const sample = await this.#source.sampleAt(place.index.task, place.entry)
      if (asked !== this.#lastDoc) return
      this.sample = sample
      this.sampleError = null
      this.tokens = null
      this.tokensState = 'none'
      if (sample !== null) await this.#loadTokens(sample, asked)
    } catch (error) {
      if (asked !== this.#lastDoc) return
      this.sample = null
      this.sampleError = toEvalError(error)
    }
  }

  /** The reader allows the tokenizer's files to be fetched, for this and the next docs. */
  async allowTokens(): Promise<void> {
    this.#isAllowed = true
    if (this.sample !== null) await this.#loadTokens(this.sample, this.#lastDoc)
  }

  async #loadTokens(sample: SampleView, asked: number): Promise<void> {
    if (this.#source.promptTokens === null) return
    this.tokensState = 'loading'
    try {
      const tokens = await this.#source.promptTokens(sample, this.#isAllowed)
      if (asked !== this.#lastDoc) return
      this.tokens = tokens
      this.tokensState = tokens === null ? 'ask' : 'ready'
    } catch (error) {
      if (asked !== this.#lastDoc) return
      this.tokensError = toEvalError(error)
      this.tokensState = 'failed'
    }
  }

  async #search(text: string): Promise<void> {
    this.#lastSearch += 1
    const asked = this.#lastSearch
    if (text === '') {
      this.#found = null
      return
    }
    const hits = await this.#source.search(text)
    if (asked === this.#lastSearch) this.#found = { text, hits }
  }
}
