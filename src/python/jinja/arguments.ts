/** Reads the arguments of methods, filters and functions by position or name, as Python binds them. */
import { OperationError } from '../operation-error.ts'
import { isInt, type PyValue } from '../value.ts'
import { brief } from './brief.ts'
import { plain, type CallArguments, type Value } from './values.ts'

/** One call's arguments under their parameters' names. Throws `OperationError` for unknown, missing or surplus ones. */
export class Bound {
  private readonly values = new Map<string, Value>()
  private readonly owner: string

  constructor(owner: string, parameters: readonly string[], args: CallArguments) {
    this.owner = owner
    if (args.positional.length > parameters.length) {
      throw new OperationError(`${owner} takes at most ${parameters.length} arguments, found ${args.positional.length}`)
    }
    args.positional.forEach((value, index) => this.values.set(parameters[index] ?? '', value))
    for (const [name, value] of args.named) {
      if (!parameters.includes(name)) throw new OperationError(`${owner} has no parameter '${name}'`)
      if (this.values.has(name)) throw new OperationError(`${owner} got two values for '${name}'`)
      this.values.set(name, value)
    }
  }

  has(name: string): boolean {
    return this.values.has(name)
  }

  raw(name: string): Value | undefined {
    return this.values.get(name)
  }

  /** The value of a parameter that must be given. */
  required(name: string): PyValue {
    const value = this.values.get(name)
    if (value === undefined) throw new OperationError(`${this.owner} wants an argument '${name}'`)
    return plain(value)
  }

  optional(name: string, fallback: PyValue): PyValue {
    const value = this.values.get(name)
    return value === undefined ? fallback : plain(value)
  }

  text(name: string, fallback?: string): string {
    const value = fallback === undefined ? this.required(name) : this.optional(name, fallback)
    if (typeof value !== 'string') throw new OperationError(`${this.owner} wants text for '${name}', found ${brief(value)}`)
    return value
  }

  textOrNull(name: string): string | null {
    const value = this.optional(name, null)
    if (value !== null && typeof value !== 'string')
      throw new OperationError(`${this.owner} wants text for '${name}', found ${brief(value)}`)
    return value
  }

  whole(name: string, fallback?: number): number {
    const value = fallback === undefined ? this.required(name) : this.optional(name, fallback)
    if (typeof value === 'boolean') return Number(value)
    if (!isInt(value)) throw new OperationError(`${this.owner} wants an integer for '${name}', found ${brief(value)}`)
    return Number(value)
  }

  wholeOrNull(name: string): number | null {
    return this.optional(name, null) === null ? null : this.whole(name)
  }
}
