/** A browser that isn't Chromium, as far as the tests drive it. */

export interface OtherBrowser {
  /** Name and version, as the browser tells them. */
  readonly version: string
  /** Errors on its console so far. */
  readonly errors: readonly string[]
  /** Goes to an address, and waits until it is loaded. */
  open(url: string): Promise<void>
  /** The value of an expression in the page, which may be a promise; JSON crosses. Rejects with the page's own error. */
  evaluate<T>(expression: string): Promise<T>
  close(): Promise<void>
}

/** A kind of browser, and how it is started. */
export interface BrowserKind {
  readonly name: string
  /** Why it can't be started here, with what would mend it; null when it can. */
  readonly missing: string | null
  start(): Promise<OtherBrowser>
}

/** An expression for `evaluate` that catches what the page's own throws: `{ value }` or `{ error }` as JSON. */
export function guarded(expression: string): string {
  return `Promise.resolve().then(() => (${expression})).then((value) => JSON.stringify({ value: value ?? null }), (error) => JSON.stringify({ error: String(error) }))`
}

/** What a guarded expression gave. */
export function unguard<T>(text: unknown): T {
  if (typeof text !== 'string') throw new Error(`the browser answered ${JSON.stringify(text)}`)
  const { value, error } = JSON.parse(text) as { value?: T; error?: string } // As `guarded` wrote it.
  if (error !== undefined) throw new Error(error)
  return value as T // The expression's own type, which its writer knows.
}
