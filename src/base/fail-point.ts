/**
 * Named places at which the kill test ends the browser (`tests/kill/main.ts`), after SQLite's way of testing: the 1st, 2nd, …
 * occurrence of each, until none is left. A shipped build has neither the calls nor the names: `__FAIL_POINTS__` is false there, so
 * nothing outside can make one happen.
 */

/** True in the kill test's own builds alone. */
declare const __FAIL_POINTS__: boolean

declare global {
  /** Set by the kill test's workers; asks the witness outside the browser, which may kill it before it answers. */
  var yardstickFailPoint: ((name: FailPoint) => void) | undefined
}

/** Every place, in the order in which a run passes them. */
export const failPoints = [
  'during-upgrade',
  'mid-create',
  'after-create',
  'epoch-bump',
  'after-epoch-bump',
  'after-recall',
  'mid-quarantine',
  'before-compute',
  'after-draft',
  'before-tx',
  'after-put',
  'before-complete',
  'mid-checkpoint',
  'after-complete-before-ack',
  'mid-chunk',
  'before-commit-marker',
  'mid-removal',
  'before-finalise',
  'mid-finalise',
  'after-results',
  'mid-finish',
  'mid-delete',
  'mid-erase',
] as const

export type FailPoint = (typeof failPoints)[number]

/** The program may end here, at once and without a word. Blocks while the witness thinks, so that a transaction stays open meanwhile. */
export function failPoint(name: FailPoint): void {
  if (typeof __FAIL_POINTS__ !== 'undefined' && __FAIL_POINTS__) globalThis.yardstickFailPoint?.(name)
}
