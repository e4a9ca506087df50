/**
 * Every error that this project raises on purpose, as one class with a closed set of codes.
 *
 * `code` is for programs and tests, `message` says in one sentence what was wanted, what was found and where,
 * `details` holds the values as JSON. Errors cross worker borders whole through `toWire` and `fromWire`.
 */
export const errorCodes = [
  'task/invalid',
  'task/unknown',
  'task/unknown-function',
  'task/unsupported',
  'yaml/invalid',
  'template/invalid',
  'template/undefined',
  'template/budget',
  'regex/unsupported',
  'regex/timeout',
  'filter/failed',
  'metric/failed',
  'fewshot/failed',
  'dataset/not-found',
  'dataset/schema',
  'dataset/malformed',
  'dataset/empty',
  'hub/not-found',
  'hub/gated',
  'hub/unauthorized',
  'hub/rate-limited',
  'hub/unreachable',
  'hub/corrupt',
  'model/not-found',
  'model/no-onnx',
  'model/no-form',
  'model/unknown-dtype',
  'model/unsupported',
  'model/corrupt',
  'model/too-large',
  'local/missing',
  'address/failed',
  'tokenizer/broken',
  'tokenizer/chat-template',
  'engine/no-webgpu',
  'engine/self-check-failed',
  'engine/out-of-memory',
  'engine/device-lost',
  'engine/prompt-too-long',
  'engine/nonfinite',
  'engine/failed',
  'engine/timeout',
  'storage/quota',
  'storage/unavailable',
  'storage/blocked',
  'storage/newer',
  'storage/corrupt',
  'storage/fenced',
  'results/invalid',
  'judge/template',
  'run/not-found',
  'run/busy',
  'run/stopped',
  'run/plan-changed',
  'settings/invalid',
  'worker/died',
  'worker/timeout',
  'worker/message',
  'app/outdated',
  'internal',
] as const

export type ErrorCode = (typeof errorCodes)[number]

export type Json = null | boolean | number | string | readonly Json[] | JsonObject

export type JsonObject = { readonly [key: string]: Json }

/** An error as plain data, fit for `postMessage`, IndexedDB and JSON. */
export interface WireError {
  readonly code: ErrorCode
  readonly message: string
  readonly details: { readonly [key: string]: Json }
  readonly stack: string | null
  readonly cause: WireError | null
}

export class EvalError extends Error {
  readonly code: ErrorCode
  readonly details: { readonly [key: string]: Json }

  constructor(code: ErrorCode, message: string, options: { cause?: unknown; details?: { readonly [key: string]: Json } } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'EvalError'
    this.code = code
    this.details = options.details ?? {}
  }
}

/** True for our own errors, also ones made in another realm. */
export function isEvalError(error: unknown): error is EvalError {
  return error instanceof Error && error.name === 'EvalError' && 'code' in error
}

/** The error as an `EvalError`: our own unchanged, anything else as `internal` with the original as its cause. */
export function toEvalError(error: unknown, code: ErrorCode = 'internal'): EvalError {
  if (isEvalError(error)) return error
  const message = error instanceof Error ? error.message : String(error)
  return new EvalError(code, message, { cause: error })
}

/** Plain data that `fromWire` turns back into an equal error, causes included. */
export function toWire(error: unknown): WireError {
  const known = toEvalError(error)
  const cause = known.cause === undefined || known.cause === null ? null : causeToWire(known.cause)
  return { code: known.code, message: known.message, details: known.details, stack: known.stack ?? null, cause }
}

function causeToWire(cause: unknown): WireError {
  if (isEvalError(cause)) return toWire(cause)
  const isError = cause instanceof Error
  return {
    code: 'internal',
    message: isError ? `${cause.name}: ${cause.message}` : String(cause),
    details: {},
    stack: isError ? (cause.stack ?? null) : null,
    cause: isError && cause.cause !== undefined && cause.cause !== null ? causeToWire(cause.cause) : null,
  }
}

export function fromWire(wire: WireError): EvalError {
  const cause = wire.cause === null ? undefined : fromWire(wire.cause)
  const error = new EvalError(wire.code, wire.message, { details: wire.details, ...(cause === undefined ? {} : { cause }) })
  if (wire.stack !== null) error.stack = wire.stack
  return error
}

/** Marks a place that the type checker proves unreachable: a new union member becomes a compile error there. */
export function unreachable(value: never): never {
  throw new EvalError('internal', `unreachable: ${JSON.stringify(value)}`)
}
