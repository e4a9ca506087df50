/** Errors of actions that have no place of their own on a page: a deletion, a download. */
import { toEvalError, type ErrorCode } from '../base/errors.ts'

interface Notice {
  readonly id: number
  readonly code: ErrorCode
  readonly message: string
}

export class Notices {
  list: readonly Notice[] = $state.raw([])
  #next = 1

  report(error: unknown): void {
    const { code, message } = toEvalError(error)
    this.list = [...this.list, { id: this.#next++, code, message }]
  }

  dismiss(id: number): void {
    this.list = this.list.filter((notice) => notice.id !== id)
  }

  /** Awaits `action` and reports its failure. True when it succeeded. */
  async guard(action: () => Promise<void>): Promise<boolean> {
    try {
      await action()
      return true
    } catch (error) {
      this.report(error)
      return false
    }
  }
}
