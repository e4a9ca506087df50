/** What the kill test evaluates: questions of four choices (a batch has two docs) and texts scored whole, made by arithmetic. */
import type { RunSettings } from '../../src/contracts/run-settings.ts'
import { defaultSettings } from '../support/default-settings.ts'

const docs = 80

/** Rows for both tasks. */
export function rowsText(): string {
  const rows = Array.from({ length: docs }, (_, doc) => ({
    q: `Question ${doc}: what is ${doc} times ${(doc * 7) % 13}?`,
    choices: [0, 1, 2, 3].map((choice) => ` ${doc * ((doc * 7) % 13) + choice}`),
    gold: doc % 4,
    text: `Fact ${doc}: the number ${doc} follows the number ${doc - 1}.`,
  }))
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('')
}

const head = (name: string, type: string): string =>
  `task: ${name}\ndataset_path: json\ndataset_kwargs:\n  data_files: {test: rows.jsonl}\ntest_split: test\noutput_type: ${type}\n`

const taskFiles = [
  {
    path: 'kill_choice.yaml',
    text: `${head('kill_choice', 'multiple_choice')}doc_to_text: "{{q}} Answer {{gold}}"\ndoc_to_choice: choices\ndoc_to_target: gold\n`,
  },
  { path: 'kill_rolling.yaml', text: `${head('kill_rolling', 'loglikelihood_rolling')}doc_to_text: ""\ndoc_to_target: text\n` },
]

/** The bundled model under another name, on a Hub of another address (`remoteHub`): its files are downloaded and kept. */
export const keptModel = 'kept/pico'

/** Where the witness serves that Hub, after its own address. */
export const remoteHub = 'remote'

/** Settings of the run under test; `limit` docs of each task. */
export function killSettings(address: string, limit: number | null, changes: Partial<RunSettings> = {}): RunSettings {
  return {
    ...defaultSettings,
    model: 'yardstick/pico',
    dtype: 'q4',
    device: 'wasm',
    tasks: ['kill_choice', 'kill_rolling'],
    taskFiles,
    dataFiles: { 'rows.jsonl': `${address}witness/rows.jsonl` },
    bootstrapIters: 10,
    limit,
    ...changes,
  }
}
