/** Texts of the page that opens runs from files; loaded with it. `{name}` is filled in by `fill`. */
import { translated } from './language.svelte.ts'

export const openTexts = {
  heading: 'Open a run',
  lede: 'A run that was saved as one file, or lm_eval’s results_*.json with its samples_*.jsonl, of any version since 0.3, predictions of OpenCompass, per-sample rows of Meta’s evals, or the lines of accuracies that the original MMLU program prints. Nothing is uploaded, and it is forgotten when this tab is closed.',
  choose: 'Choose files',
  drop: 'or drop them anywhere on this page: one run or several, packed with gzip or not.',
  address: 'Or the address of a file on the Hub or elsewhere',
  placeholder: 'https://huggingface.co/datasets/owner/name/blob/main/run.yardstick.gz',
  reading: 'Reading…',
  opened: 'Opened in this tab',
  openedOne: '{name} is open.',
  'column.run': 'Run',
  'column.files': 'Files',
  'column.score': 'Score',
  'column.actions': 'Actions',
  close: 'Close',
  closeLabel: 'Close {name}',
  all: 'All opened runs',
  notHere: 'That run isn’t open in this tab. Choose its file again.',
  notVerified: 'Imported, not verified.',
  notVerifiedMore: 'The numbers are what the files say. Whoever wrote them could have written others.',
  wholeRun: 'A run of this program, from {files}.',
  harness: 'A run of lm_eval, from {files}.',
  'note.no-samples': 'There are no samples with it: add samples_*.jsonl to see single docs.',
  'note.no-results': 'There is no results file with it: the scores are plain means of the samples, without standard errors.',
  'note.opencompass': 'Predictions of OpenCompass: the score was made here, and counts a prediction that is the gold answer to the letter.',
  'note.meta-evals': 'Rows that Meta published with a model: whether a reply is right is what their is_correct says.',
  'note.text-withheld': 'The text of gated or private rows was left out.',
  'note.tasks-without-samples': 'No samples came for {tasks}.',
  says: 'What the file says of the run',
  parts: 'Parts of one run',
  partsHint: 'Of the opened runs, {count} asked a part of the docs (--shard i/n). Merged, they are the whole run.',
  merge: 'Merge {count} parts',
  merged: 'The whole run is open, made of {count} parts.',
  missingShard: 'Part {index} is missing.',
  missingDocs: '{task}: {count} docs are missing.',
  agreement: '{left} and {right}, {task}: {docs} docs in both; largest difference {difference} nats; {flips} verdicts differ.',
  noNumbers: 'none compared',
  fromFile: 'Open a run from a file',
} as const

/** The texts in the language of the page. */
export function openPageTexts() {
  return translated('open', openTexts)
}
