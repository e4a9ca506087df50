/** Arguments as text that `key-values.ts` reads back, and lm_eval 0.4.13. */
import type { Json } from '../base/errors.ts'

/** `k=v,…` where every value is read back as what it is, else a JSON object. */
export function argumentsText(values: { readonly [key: string]: Json }): string {
  const entries = Object.entries(values)
  const isPlain = entries.every(([key, value]) => {
    if (!/^[\w.-]+$/.test(key)) return false
    return typeof value === 'boolean' || typeof value === 'number' || (typeof value === 'string' && isPlainText(value))
  })
  if (!isPlain) return JSON.stringify(values)
  // Nothing but booleans, numbers and texts is plain.
  return entries
    .map(([key, value]) => `${key}=${value === true ? 'True' : value === false ? 'False' : `${value as string | number}`}`)
    .join(',')
}

/** Text that no reader takes for anything else, and that no comma cuts. */
function isPlainText(value: string): boolean {
  return /^[\w@.:/+-]+$/.test(value) && !/^(?:true|false|none|[+-]?\.?\d[\w.+-]*|inf(?:inity)?|nan)$/i.test(value)
}
