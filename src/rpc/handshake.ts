/** What a worker tells its starter besides answers: that it listens, that it couldn't start, that something in it broke, on what it works. */
import * as v from 'valibot'
import { errorCodes, type WireError } from '../base/errors.ts'
import type { WatchedStep } from '../base/watched-step.ts'

/**
 * `ready`: calls may come. `failed`: the worker's file couldn't be loaded. `broken`: an error that no call was waiting for. `step`: it begins
 * something that may never end, or (null) has done the last of it. `doing`: what it works on, for messages.
 */
export type WorkerSignal =
  | { readonly yardstick: 'ready' }
  | { readonly yardstick: 'failed'; readonly message: string }
  | { readonly yardstick: 'broken'; readonly error: WireError }
  | { readonly yardstick: 'step'; readonly step: WatchedStep | null }
  | { readonly yardstick: 'doing'; readonly what: string }

/** An error as it crosses a border; see `toWire`. */
export const wireErrorSchema: v.GenericSchema<unknown, WireError> = v.strictObject({
  code: v.picklist(errorCodes),
  message: v.string(),
  details: v.record(
    v.string(),
    v.lazy(() => jsonSchema),
  ),
  stack: v.nullable(v.string()),
  cause: v.nullable(v.lazy(() => wireErrorSchema)),
})

type JsonValue = WireError['details'][string]

/** Anything that JSON can hold. */
export const jsonSchema: v.GenericSchema<unknown, JsonValue> = v.lazy(() =>
  v.union([v.null(), v.boolean(), v.number(), v.string(), v.array(jsonSchema), v.record(v.string(), jsonSchema)]),
)

const stepSchema: v.GenericSchema<unknown, WatchedStep> = v.strictObject({
  task: v.string(),
  docId: v.number(),
  kind: v.picklist(['prompt', 'filter', 'score']),
  filter: v.nullable(v.string()),
  pattern: v.nullable(v.string()),
})

const signalSchema = v.variant('yardstick', [
  v.object({ yardstick: v.literal('ready') }),
  v.object({ yardstick: v.literal('failed'), message: v.string() }),
  v.object({ yardstick: v.literal('broken'), error: wireErrorSchema }),
  v.object({ yardstick: v.literal('step'), step: v.nullable(stepSchema) }),
  v.object({ yardstick: v.literal('doing'), what: v.string() }),
])

/** The signal in a message, or null when the message is something else (an answer of comlink's). */
export function readSignal(data: unknown): WorkerSignal | null {
  const parsed = v.safeParse(signalSchema, data)
  return parsed.success ? parsed.output : null
}
