/** Texts of the storage page; loaded with it. `.one` and `.other` belong to `storageCount`. */
import { language, translated } from './language.svelte.ts'
import { fill, pluralForm, type Values } from './t.ts'

export const storageTexts = {
  heading: 'Storage',
  lede: 'What this browser keeps for this page: runs, answers, and downloaded models and datasets.',
  loading: 'Asking the browser…',
  room: 'Room',
  used: '{used} used of the {quota} that the browser allows.',
  usedUnknown: 'This browser doesn’t tell how much room there is.',
  meter: 'Storage used',
  persistent: 'The browser has promised to keep it.',
  bestEffort: 'The browser may delete all of it when the disk gets full. Download results that you want to keep.',
  persistenceUnknown: 'This browser doesn’t tell whether it may delete it.',
  askToKeep: 'Ask the browser to keep it',
  refused: 'The browser refused. It often agrees once the page is bookmarked, installed or used for a while.',
  'runs.one': '{count} run',
  'runs.other': '{count} runs',
  'answers.one': '{count} answer',
  'answers.other': '{count} answers',
  'files.one': '{count} file',
  'files.other': '{count} files',
  offline: 'Use without a network',
  offlineText:
    'Keeps the app and its built-in model here ({size}), so that the page opens and runs without a network from the next load on. Models and datasets that you have downloaded are kept anyway.',
  offlineKeep: 'Keep the app here',
  offlineKeeping: 'Fetching the app’s files…',
  offlineReady: 'The app is kept here: it opens without a network.',
  offlineRemove: 'Remove it',
  offlineNone: 'This browser or this host offers no way to open the page without a network.',
  kept: 'Downloaded files',
  none: 'Nothing was downloaded.',
  'kind.model': 'model',
  'kind.dataset': 'dataset',
  unknown: 'Not known of what',
  partial: '{loaded} of {total}, goes on when it is needed',
  'partialFiles.one': '{count} file in part',
  'partialFiles.other': '{count} files in part',
  shared: 'used by {count} more',
  verify: 'Check',
  verifyLabel: 'Check the files of {name}',
  verifying: 'Reading the files and comparing them with their hashes…',
  intact: 'unchanged',
  broken: 'damaged: delete it, and it is downloaded again',
  'brokenFiles.one': '{count} damaged',
  'brokenFiles.other': '{count} damaged',
  delete: 'Delete…',
  deleteLabel: 'Delete the files of {name}…',
  deleteHeading: 'Delete these files?',
  deleteText:
    '{name}: {files}, {size}. They are downloaded again when a run needs them. Files that others use, too: {shared}. Runs and answers stay.',
  deleteConfirm: 'Delete the files',
  export: 'Save for another computer…',
  exportLabel: 'Save for another computer… {name}',
  exporting: 'Writing the files: {loaded} of {total}',
  exportMissing:
    'To carry a model to another computer, use a Chromium-based browser: this one lets no page write a folder. From the command line, any folder in the layout of transformers.js works.',
  eraseHeading: 'Everything',
  erased: 'Erased. What is left: {runs}, {answers}, {files}.',
} as const

type StorageKey = keyof typeof storageTexts
type CountKey = StorageKey extends infer Key ? (Key extends `${infer Base}.one` ? Base : never) : never

/** The text of `key`, each `{name}` replaced by its value. */
export function storageText(key: StorageKey, values: Values = {}): string {
  return fill(translated('storage', storageTexts)[key], values)
}

/** The text of `key` in the form that `count` needs, as `tn` gives it. */
export function storageCount(key: CountKey, count: number): string {
  return storageText(`${key}.${pluralForm(count)}`, { count: count.toLocaleString(language.current) })
}
