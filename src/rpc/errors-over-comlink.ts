/** Errors over comlink: an `EvalError` thrown on one side of a worker border arrives whole on the other. */
import { transferHandlers, type TransferHandler } from 'comlink'
import { fromWire, toWire, type WireError } from '../base/errors.ts'

let isInstalled = false

/**
 * Makes comlink carry code, details, cause and stack of every thrown value; anything that isn't an `EvalError` becomes `internal`.
 * Both sides call it, once or more.
 *
 * Comlink marks a thrown value as `{ value }` under a private symbol that only its own handler's `canHandle` knows, so that part is kept.
 * The shape isn't documented: comlink is pinned, and a test over a real channel guards it.
 */
export function installErrorHandler(): void {
  if (isInstalled) return
  const builtIn = transferHandlers.get('throw')
  if (builtIn === undefined) throw new Error("comlink has no 'throw' handler: its version changed")
  const handler: TransferHandler<{ readonly value: unknown }, WireError> = {
    canHandle: (value): value is { readonly value: unknown } => builtIn.canHandle(value),
    serialize: ({ value }) => [toWire(value), []],
    deserialize: (wire) => {
      throw fromWire(wire)
    },
  }
  transferHandlers.set('throw', handler)
  isInstalled = true
}
