/**
 * What a template may use up before it is stopped: work, memory and, through the caller, time.
 *
 * Nothing has to remember to pay: filters, methods, tests, functions and operators are called in one place each, which charges for reading
 * what they are given (`read`) and for what they made (`made`). What costs more than both charges for it itself, before it begins.
 */
import { EvalError } from '../../base/errors.ts'
import type { Meter } from '../meter.ts'
import { OperationError } from '../operation-error.ts'
import { Attributes, Callable, Undefined, Walk, type Value } from './values.ts'

export interface BudgetLimits {
  /** Evaluated nodes and visited items. */
  readonly steps: number
  /** Bytes of everything that is made, whether it is kept or not, and the most that one operation may need at once. */
  readonly bytes: number
  /** Characters of output, and of any one string that grows on the way. */
  readonly characters: number
  /** Asked every 1,024 steps; true ends the rendering. */
  readonly isExpired: () => boolean
}

export const defaultLimits: BudgetLimits = { steps: 1_000_000, bytes: 256 * 2 ** 20, characters: 1_048_576, isExpired: () => false }

/** Deeper than this nothing is printed, compared or looked up. Python's own limit is near 1,000. */
const maxNesting = 500

const bytesPerItem = 16
const bytesPerEntry = 96
const bytesPerObject = 256
/** A text that is taken apart has a string for each character. */
const bytesPerLooseCharacter = 48
/** Where Python (3.11) stops printing and reading decimal digits. */
export const maxIntDigits = 4300

/** Counts what one rendering uses. Every method throws `template/budget` beyond the limit. */
export class Budget implements Meter {
  private readonly template: string
  private readonly limits: BudgetLimits
  private steps = 0
  private bytes = 0
  private nesting = 0
  private nextClock = 1024
  /** Whether the rendering has copies of its own of everything, so that methods may change them. */
  readonly mayChange: boolean

  constructor(template: string, limits: BudgetLimits, mayChange = true) {
    this.template = template
    this.limits = limits
    this.mayChange = mayChange
  }

  /** What was used so far. */
  get used(): { readonly steps: number; readonly bytes: number } {
    return { steps: this.steps, bytes: this.bytes }
  }

  spend(steps = 1): void {
    // Written so that what is no number is refused as well; a negative number would be a refund.
    if (!(steps >= 0)) this.exceed(`an impossible number of steps (${steps})`)
    this.steps += steps
    if (this.steps > this.limits.steps) this.exceed(`more than ${this.limits.steps} steps`)
    if (this.steps < this.nextClock) return
    this.nextClock = this.steps + 1024
    if (this.limits.isExpired()) this.exceed('more time than it was given')
  }

  /** For memory that is made and may be kept. */
  take(bytes: number): void {
    this.hold(bytes)
    this.bytes += bytes
  }

  /** For memory that an operation needs only while it works. */
  hold(bytes: number): void {
    if (!(bytes >= 0 && this.bytes + bytes <= this.limits.bytes))
      this.exceed(`more than ${Math.floor(this.limits.bytes / 2 ** 20)} MiB of memory`)
  }

  /** For a string of so many characters that grew out of shorter ones, before or after it is made; a step per 64 characters. */
  allow(characters: number): void {
    if (!(characters <= this.limits.characters)) this.exceed(`a text of more than ${this.limits.characters} characters`)
    this.text(Math.max(0, characters))
  }

  /** For output, of which there are `total` characters now; captured output is counted by itself. */
  print(characters: number, total: number): void {
    if (total > this.limits.characters) this.exceed(`a text of more than ${this.limits.characters} characters`)
    this.text(characters)
  }

  /** For a new string of so many characters. */
  text(characters: number): void {
    this.take(2 * characters)
    this.spend(1 + Math.floor(characters / 64))
  }

  /** For a list of so many items; beside the items themselves. A step per 64 of them. */
  list(items: number): void {
    this.take(bytesPerItem * items)
    this.spend(1 + Math.floor(items / 64))
  }

  /** For so many new entries of a dict. */
  entries(count: number): void {
    this.take(bytesPerEntry * count)
    this.spend(count)
  }

  /** For going through a text of so many characters, which may be taken apart for it. */
  scan(characters: number): void {
    this.hold(bytesPerLooseCharacter * characters)
    this.spend(Math.floor(characters / 64))
  }

  /** For looking for a text of `part` characters in one of `whole`: at worst every one is compared with every other. */
  search(whole: number, part: number): void {
    this.scan(whole)
    this.spend(Math.floor((whole / 64) * Math.floor(part / 64)))
  }

  /** For arithmetic on ints of so many bits each: digits by digits. */
  digits(left: number, right: number): void {
    const words = (bits: number): number => Math.floor(bits / 64)
    this.take((left + right) / 8)
    this.spend(Math.floor((words(left) * words(right)) / 64))
  }

  /** For going through what an operation is given. What is within lists and dicts is not looked at. */
  read(value: Value): void {
    if (typeof value === 'string') this.scan(value.length)
    else if (value instanceof Walk) this.spend(Math.floor(value.size / 64))
    else if (Array.isArray(value)) this.spend(Math.floor(value.length / 64))
    else if (value instanceof Map) this.spend(Math.floor(value.size / 8))
  }

  /** For what an operation gave, new or not; gives it back. What is within lists and dicts is not looked at, but short strings are allowed for. */
  made<T extends Value | undefined>(value: T): T {
    if (typeof value === 'string') this.text(value.length)
    else if (typeof value === 'bigint') this.take(bitsOf(value) / 8)
    else if (value instanceof Walk) this.list(value.size * 3)
    else if (Array.isArray(value)) this.list(value.length * 3)
    else if (value instanceof Map) this.entries(value.size)
    else if (value instanceof Callable || value instanceof Attributes || value instanceof Undefined) this.take(bytesPerObject)
    return value
  }

  enter(): void {
    if (++this.nesting > maxNesting) throw new OperationError(`lists and dicts nest deeper than ${maxNesting}`)
  }

  leave(): void {
    this.nesting--
  }

  private exceed(what: string): never {
    throw new EvalError('template/budget', `${this.template}: the template used ${what}`, { details: { template: this.template } })
  }
}

/** How many bits an int takes, at least 64. */
export function bitsOf(value: bigint): number {
  return BigInt.asIntN(64, value) === value ? 64 : value.toString(16).length * 4
}
