/** Texts about the search for models and the forms of their weights; loaded when one of them is shown. */
import { translated } from './language.svelte.ts'
import { fill, pluralForm, type Values } from './t.ts'

export const formTexts = {
  'search.label': 'Search the Hub for models',
  'search.hint': 'What you type here is sent to the Hub. Models that write text are listed, with the forms of their weights.',
  'search.results': 'Models found',
  'search.searching': 'Searching…',
  'search.count.one': '{count} model found. Choose it with the arrow keys and Enter.',
  'search.count.other': '{count} models found. Choose one with the arrow keys and Enter.',
  'search.none': 'No model that writes text matches. Try a shorter name, or type the exact id below.',
  'search.noForm': 'can’t be run: no safetensors, GGUF or ONNX files',
  'search.gated': 'terms to accept',
  'search.downloads': '{count} downloads a month',
  'search.again': 'Search again',
  'search.wait': 'The Hub asks for a pause of {seconds} s.',
  'model.format': 'Form of the weights',
  'model.defaultFormat': '{format} (default)',
  'model.formats': 'Taken: {taken}. Also there: {others}.',
  'model.noFormat': 'There is no {format} here, but {found}.',
  'model.only.onnx': 'Weights: ONNX files.',
  'model.only.safetensors': 'Weights: safetensors. The graph is written here, and each dtype is made of them here.',
  'model.only.gguf': 'Weights: GGUF files.',
} as const

type FormKey = keyof typeof formTexts
type PluralKey = FormKey extends infer Key ? (Key extends `${infer Base}.one` ? Base : never) : never

/** The text of `key` in the language of the page, each `{name}` replaced by its value. */
export function mt(key: FormKey, values: Values = {}): string {
  return fill(translated('main', formTexts)[key], values)
}

/** The text of `key` in the form that `count` needs. */
export function mtn(key: PluralKey, count: number): string {
  return mt(`${key}.${pluralForm(count)}`, { count })
}
