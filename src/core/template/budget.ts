/** What a template may use up before it is stopped: work, memory and, through the caller, time. */
import { EvalError } from '../errors.ts'

export interface BudgetLimits {
  /** Evaluated nodes and visited items. */
  readonly steps: number
  /** Characters of output, and of any one string on the way. */
  readonly characters: number
  /** Asked every 1,024 steps; true ends the rendering. */
  readonly isExpired: () => boolean
}

export const defaultLimits: BudgetLimits = { steps: 1_000_000, characters: 1_048_576, isExpired: () => false }

/** Counts what one rendering uses. Every method throws `template/budget` beyond the limit. */
export class Budget {
  private readonly template: string
  private readonly limits: BudgetLimits
  private steps = 0
  private nextClock = 1024

  constructor(template: string, limits: BudgetLimits) {
    this.template = template
    this.limits = limits
  }

  spend(steps = 1): void {
    this.steps += steps
    if (this.steps > this.limits.steps) this.exceed(`more than ${this.limits.steps} steps`)
    if (this.steps < this.nextClock) return
    this.nextClock = this.steps + 1024
    if (this.limits.isExpired()) this.exceed('more time than it was given')
  }

  /** Checks a string's length before or after it is made; also counts a step per 64 characters. */
  allow(characters: number): void {
    if (characters > this.limits.characters) this.exceed(`a text of more than ${this.limits.characters} characters`)
    this.spend(1 + Math.floor(characters / 64))
  }

  private exceed(what: string): never {
    throw new EvalError('template/budget', `${this.template}: the template used ${what}`, { details: { template: this.template } })
  }
}
