/** A Python exception of one operation, before whoever evaluates adds the place. Never leaves the core. */
export class OperationError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'OperationError'
  }
}
