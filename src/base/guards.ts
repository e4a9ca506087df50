/** Guards for data whose shape isn't known yet. */
import type { Json, JsonObject } from './errors.ts'

/** An object by its keys: neither null nor an array. */
export function isRecord(value: Json | undefined): value is JsonObject
export function isRecord(value: unknown): value is { readonly [key: string]: unknown }
export function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
