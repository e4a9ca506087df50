/**
 * What `Math.max(...values)` and `list.push(...items)` do, for any length: spread arguments go on the stack, which has
 * room for tens of thousands, fewer in a worker, and then throws `RangeError: Maximum call stack size exceeded`.
 */

/** The largest of the values and `atLeast`; NaN if one is. */
export function maxOf(values: Iterable<number>, atLeast = -Infinity): number {
  let largest = atLeast
  for (const value of values) largest = Math.max(largest, value)
  return largest
}

/** The smallest value; NaN if one is, and Infinity of none. */
export function minOf(values: Iterable<number>): number {
  let smallest = Infinity
  for (const value of values) smallest = Math.min(smallest, value)
  return smallest
}

/** Adds `items` at the end of `list`, in their order. Never the list itself, which would not end. */
export function append<Item>(list: Item[], items: Iterable<Item>): void {
  for (const item of items) list.push(item)
}
