/** What walks over values of unknown size ask as they go, so that whoever started one can end it. */
export interface Meter {
  /** Throws when there has been too much. */
  spend(steps: number): void
  /** Before a list's or dict's items; throws when they nest too deeply. */
  enter(): void
  /** Behind them. */
  leave(): void
}
