/** Numbers in the language of the page. */
import { language } from './language.svelte.ts'

/** By language and options: making one takes thirty times as long as a number, and lists have thousands of numbers. */
const formats = new Map<string, Intl.NumberFormat>()

/** `digits` decimals, neither more nor fewer, and separators. */
export function formatNumber(value: number, digits: number, options?: Intl.NumberFormatOptions): string {
  const key = language.current + digits + JSON.stringify(options)
  let format = formats.get(key)
  if (!format) {
    format = new Intl.NumberFormat(language.current, { ...options, minimumFractionDigits: digits, maximumFractionDigits: digits })
    formats.set(key, format)
  }
  return format.format(value)
}
