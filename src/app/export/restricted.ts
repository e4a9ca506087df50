/** Rows that are gated or private: what an export leaves out of them unless the user asks for it. Scores and hashes stay. */
import type { Json } from '../../base/errors.ts'
import type { RunManifest } from '../../contracts/runs.ts'
import type { SampleView } from '../../contracts/samples.ts'
import { parseLooseJson } from '../open/loose-json.ts'

interface RestrictedTask {
  readonly task: string
  /** The dataset as the task names it. */
  readonly dataset: string
}

/** Tasks of a run whose rows aren't open to everybody. A run without a manifest says nothing about it: none. */
export function restrictedTasks(manifest: RunManifest | null): readonly RestrictedTask[] {
  return Object.entries(manifest?.datasets ?? {}).flatMap(([task, origin]) =>
    origin.isRestricted === true ? [{ task, dataset: origin.path }] : [],
  )
}

/** The sample without any text of its row: numbers, picks, verdicts and hashes stay. What the model wrote goes too, as it may quote. */
export function withoutText(view: SampleView): SampleView {
  // Key by key: what a sample may hold besides, now or later, must not slip through.
  return {
    task: view.task,
    docId: view.docId,
    filter: view.filter,
    prompt: '',
    target: numeric.test(view.target) ? view.target : '',
    choices: view.choices.map(({ logprob, isGreedy, unconditional }) => ({ text: '', logprob, isGreedy, unconditional })),
    gold: view.gold,
    picks: view.picks,
    generated: view.generated.map(() => ''),
    ...(view.filterSteps === undefined
      ? {}
      : { filterSteps: view.filterSteps.map(({ name, outputs }) => ({ name, outputs: outputs.map(() => '') })) }),
    metrics: Object.fromEntries(Object.entries(view.metrics).map(([name, value]) => [name, blank(value)])),
    line: lineWithoutText(view.line),
    ...(view.own === undefined ? {} : { own: withoutCsv(view.own) }),
  }
}

function withoutCsv({ shots, fits, probabilities, mass }: NonNullable<SampleView['own']>): NonNullable<SampleView['own']> {
  return { shots, fits, probabilities, mass, csv: null }
}

/** Keys of a line of samples_*.jsonl that hold no text of a row. */
const plainKeys = new Set(['doc_id', 'filter', 'metrics', 'doc_hash', 'prompt_hash', 'target_hash'])
const numeric = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i
const notText = /^(?:-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|-?(?:inf|infinity)|nan|true|false|none)$/i

/** A line of samples_*.jsonl with empty `doc` and `arguments`, and every other text that isn't a number emptied; `text_withheld` says so. */
function lineWithoutText(line: string): string {
  let row: Json
  try {
    row = parseLooseJson(line)
  } catch {
    return JSON.stringify({ text_withheld: true })
  }
  if (typeof row !== 'object' || row === null || Array.isArray(row)) return JSON.stringify({ text_withheld: true })
  const kept = Object.entries(row).map(([key, value]): [string, Json] => {
    if (plainKeys.has(key)) return [key, value]
    return [key, key === 'doc' || key === 'arguments' ? {} : blank(value)]
  })
  return JSON.stringify(Object.fromEntries([...kept, ['text_withheld', true]]))
}

/** Every text that is no number, truth value or None becomes empty; keys of objects are the task's, not the row's. */
function blank(value: Json): Json {
  if (typeof value === 'string') return notText.test(value) ? value : ''
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(blank)
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, blank(item)]))
}
