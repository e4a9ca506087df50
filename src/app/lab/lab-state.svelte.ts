/** The lab's view, kept in step with the address, and the votes of a class. */
import type { Query, Router } from '../router.svelte.ts'
import { firstView, labHash, readLabView, type LabView } from './lab-view.ts'

/** How long the view rests before the address follows: browsers refuse more than some hundred changes of it in half a minute. */
const restMs = 150

export class LabState {
  view: LabView = $state.raw(firstView)
  /** Hands counted for each choice, by set and doc; gone with the page. */
  #votes: { readonly [doc: string]: readonly number[] } = $state.raw({})
  readonly #router: Router
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(router: Router) {
    this.#router = router
    this.view = readLabView(router.route.query)
  }

  get hash(): string {
    return labHash(this.view)
  }

  change(part: Partial<LabView>): void {
    this.view = { ...this.view, ...part }
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      if (this.#router.route.page === 'lab') this.#router.replace(this.hash)
    }, restMs)
  }

  /** Takes over an address that somebody typed or went back to. */
  follow(query: Query): void {
    const wanted = readLabView(query)
    if (labHash(wanted) !== this.hash) this.view = wanted
  }

  /** Ends the writing of the address. */
  close(): void {
    clearTimeout(this.#timer)
  }

  votesFor(doc: string, choices: number): readonly number[] {
    const counted = this.#votes[doc] ?? []
    return Array.from({ length: choices }, (_, place) => counted[place] ?? 0)
  }

  /** Adds `by` hands to a choice; a count never falls below 0. */
  vote(doc: string, choice: number, by: number): void {
    const counts = this.votesFor(doc, Math.max(choice + 1, this.#votes[doc]?.length ?? 0))
    this.#votes = { ...this.#votes, [doc]: counts.map((count, place) => (place === choice ? Math.max(0, count + by) : count)) }
  }

  clearVotes(doc: string): void {
    this.#votes = { ...this.#votes, [doc]: [] }
  }
}
