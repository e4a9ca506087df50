/** Texts of data files and typed addresses; loaded with the parts that ask for them. In translations they stand in `main`. */
import { formatCount } from '../format.ts'
import { translated } from './language.svelte.ts'
import { fill, pluralForm, type Values } from './t.ts'

export const inputTexts = {
  'data.heading': 'Data files of your own',
  'data.hint':
    'For tasks with “dataset_path: json” (or csv, parquet, text): the files that their “data_files” name. They stay on this machine.',
  'data.needed': 'Files that the chosen tasks name',
  'data.there': 'there',
  'data.missing': 'missing',
  'data.from': 'from {path}',
  'data.given': 'Given',
  'data.choose': 'Choose files…',
  'data.chooseFolder': 'Choose a folder…',
  'data.drop': 'or drop them here',
  'data.useFor': 'Use for {path}',
  'data.useNone': 'choose one of the given',
  'data.arrays': '{name} holds lists under names. Which one are the rows?',
  'data.array': '{path}[], {rows} rows',
  'data.arrayHint': 'Or leave it whole, and name the list in the task: dataset_kwargs, field.',
  'data.whole': 'Leave it whole',
  'data.missingCount.one': '{count} data file is missing',
  'data.missingCount.other': '{count} data files are missing',

  'address.label': 'Or the address of a file',
  'address.hint': 'Any https address whose server lets other sites read it.',
  'address.fetch': 'Fetch…',
  'address.confirmHeading': 'Ask {host}?',
  'address.confirmText':
    'This asks {host} for a file. It learns your IP address and that this page asks; the Hub token is not sent, nor cookies, nor anything else.',
  'address.confirm': 'Ask {host}',
  'address.loading': 'Fetching from {host}: {loaded}',
  'address.loadingOf': 'Fetching from {host}: {loaded} of {total}',
  'address.done': '{path} is there, {size}.',

  'inputs.heading': 'Needed to go on',
  'inputs.folder': 'The model’s folder “{name}”. A browser forgets folders when the page is closed.',
  'inputs.files': 'The data files {names}. A browser forgets files when the page is closed.',
} as const

type InputKey = keyof typeof inputTexts
type PluralKey = InputKey extends infer Key ? (Key extends `${infer Base}.one` ? Base : never) : never

/** The text of `key`, each `{name}` replaced by its value. */
export function it(key: InputKey, values: Values = {}): string {
  return fill(translated('main', inputTexts)[key], values)
}

/** The text of `key` in the form that `count` needs. */
export function itn(key: PluralKey, count: number): string {
  return it(`${key}.${pluralForm(count)}`, { count: formatCount(count) })
}
