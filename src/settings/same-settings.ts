/** Whether two runs were asked for in the same words. */
import type { RunSettings } from '../contracts/run-settings.ts'

/** Whether an earlier run was made from the same settings; where the model's default dtype was asked for, any dtype is. */
export function sameSettings(earlier: RunSettings, wanted: RunSettings): boolean {
  const dtype = wanted.dtype ?? earlier.dtype
  return canonical({ ...earlier, useCache: true }) === canonical({ ...wanted, dtype, useCache: true })
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  )
}
