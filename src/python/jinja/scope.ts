/** Variables of a running template: blocks see what surrounds them, and what they set stays inside. */
import type { Value } from './values.ts'

export class Scope {
  private readonly parent: Scope | null
  private readonly values = new Map<string, Value>()

  constructor(parent: Scope | null) {
    this.parent = parent
  }

  get(name: string): Value | undefined {
    const found = this.values.get(name)
    return found === undefined && this.parent !== null ? this.parent.get(name) : found
  }

  set(name: string, value: Value): void {
    this.values.set(name, value)
  }
}
