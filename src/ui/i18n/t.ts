/** Looks texts up. English is the only dictionary so far; another one must have the same keys. */
import { en } from './en.ts'

export type MessageKey = keyof typeof en
type PluralKey = MessageKey extends infer Key ? (Key extends `${infer Base}.one` ? Base : never) : never
export type Values = { readonly [name: string]: string | number }

const plurals = new Intl.PluralRules('en')

/** The text of `key`, each `{name}` replaced by its value. */
export function t(key: MessageKey, values: Values = {}): string {
  return fill(en[key], values)
}

/** A text with each `{name}` replaced by its value; for texts that a page brings along. */
export function fill(text: string, values: Values): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole))
}

/** The text of `key` in the form that `count` needs; `{count}` is replaced by the number with separators. */
export function tn(key: PluralKey, count: number, values: Values = {}): string {
  // English has the two forms that every plural key is declared with.
  const form = plurals.select(count) === 'one' ? 'one' : 'other'
  return t(`${key}.${form}`, { count: count.toLocaleString('en'), ...values })
}
