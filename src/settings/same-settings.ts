/** Whether two runs were asked for in the same words. */
import type { RunSettings } from '../contracts/run-settings.ts'

/** Whether an earlier run was made from the same settings; where the model's default dtype was asked for, any dtype is. How much memory it may take is no difference: the scores are the same. */
export function sameSettings(earlier: RunSettings, wanted: RunSettings): boolean {
  const dtype = wanted.dtype ?? earlier.dtype
  const alike = { useCache: true, keepsPacked: true } as const
  return canonical({ ...earlier, ...alike }) === canonical({ ...wanted, dtype, ...alike })
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  )
}
