/** Looks texts up in the language of the page. Called while a component renders, it follows a change of language. */
import { en } from './en.ts'
import { language, translated } from './language.svelte.ts'

type MessageKey = keyof typeof en
type PluralKey = MessageKey extends infer Key ? (Key extends `${infer Base}.one` ? Base : never) : never
export type Values = { readonly [name: string]: string | number }

/** The text of `key`, each `{name}` replaced by its value. */
export function t(key: MessageKey, values: Values = {}): string {
  return fill(translated('main', en)[key], values)
}

/** A text with each `{name}` replaced by its value; for texts that a page brings along. */
export function fill(text: string, values: Values): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole))
}

/** The form of a text that a count needs. Our languages have two forms, or one that both keys hold; CLDR's others (French millions) take the plural. */
export function pluralForm(count: number): 'one' | 'other' {
  return new Intl.PluralRules(language.current).select(count) === 'one' ? 'one' : 'other'
}

/** The text of `key` in the form that `count` needs; `{count}` is replaced by the number with separators. */
export function tn(key: PluralKey, count: number, values: Values = {}): string {
  return t(`${key}.${pluralForm(count)}`, { count: count.toLocaleString(language.current), ...values })
}
