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

/** Two batches of eight texts. */
const texts = 16

const textTask = {
  path: 'kill_texts.yaml',
  text: `${head('kill_texts', 'generate_until')}doc_to_text: "{{q}} Answer:"
doc_to_target: text
generation_kwargs: {until: ["<never written>"], max_gen_toks: 160, do_sample: false}
metric_list: [{metric: exact_match}]
`,
}

/** Settings of a run that has eight texts written at once, twice. */
export function textSettings(address: string): RunSettings {
  return killSettings(address, texts, { tasks: ['kill_texts'], taskFiles: [textTask] })
}

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
