/** The short and the long form of tests that have both: `npm test` takes the short one, `npm test -- --long` the long one. */

/** Whether the long form is wanted; `scripts/check.ts --long` sets the variable for every check. */
export const isLong = process.env['YARDSTICK_LONG'] === '1'

/** In the long form all items, in the short one every `step`-th from `start` on. */
export function sampled<Item>(items: readonly Item[], step: number, start = 0): readonly Item[] {
  return isLong ? items : items.filter((_, at) => at % step === start % step)
}
