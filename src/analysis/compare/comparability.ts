/** Whether two scores of a task measure the same thing: a verdict with its reasons, from two result files. */
import type { Json } from '../../base/errors.ts'
import { isRecord } from '../../base/guards.ts'
import { compareFunctions } from './agreement/same-function.ts'
import type { ResultFile } from './result-file.ts'

/** `red`: the numbers mean different things. `amber`: they may differ by more than the models. `green`: nothing known speaks against it. */
export type Verdict = 'green' | 'amber' | 'red'

export interface Reason {
  readonly level: Exclude<Verdict, 'green'>
  /** What differs: prompt, parser, metric, docs, few-shot, chat, generation, or what surrounds them. */
  readonly about: 'task' | 'prompt' | 'parser' | 'metric' | 'docs' | 'few-shot' | 'chat' | 'generation' | 'numerics' | 'software'
  /** The key of the file that says so. */
  readonly key: string
  readonly left: Json
  readonly right: Json
  readonly sentence: string
}

export interface Comparability {
  readonly verdict: Verdict
  readonly reasons: readonly Reason[]
}

type About = Reason['about']

/** Keys of a task's config, and what a difference in them changes. */
const configKeys: readonly (readonly [key: string, about: About, level: Reason['level']])[] = [
  ['output_type', 'metric', 'red'],
  ['dataset_path', 'docs', 'red'],
  ['dataset_name', 'docs', 'red'],
  ['dataset_kwargs', 'docs', 'amber'],
  ['test_split', 'docs', 'red'],
  ['validation_split', 'docs', 'red'],
  ['process_docs', 'docs', 'amber'],
  ['description', 'prompt', 'red'],
  ['doc_to_text', 'prompt', 'red'],
  ['doc_to_target', 'prompt', 'red'],
  ['doc_to_choice', 'prompt', 'red'],
  ['unsafe_code', 'prompt', 'amber'],
  ['gen_prefix', 'prompt', 'red'],
  ['target_delimiter', 'prompt', 'red'],
  ['fewshot_delimiter', 'prompt', 'red'],
  ['num_fewshot', 'few-shot', 'red'],
  ['fewshot_split', 'few-shot', 'red'],
  ['fewshot_config', 'few-shot', 'red'],
  ['generation_kwargs', 'generation', 'red'],
  ['repeats', 'generation', 'red'],
  ['filter_list', 'parser', 'red'],
  ['metric_list', 'metric', 'red'],
  ['process_results', 'metric', 'red'],
  ['should_decontaminate', 'docs', 'amber'],
]

/** Keys that say where rows come from and which are taken. */
const rowKeys: ReadonlySet<string> = new Set([
  'dataset_path',
  'dataset_name',
  'dataset_kwargs',
  'test_split',
  'validation_split',
  'process_docs',
])

/** Keys of the whole file. */
const fileKeys: readonly (readonly [path: readonly string[], about: About, level: Reason['level']])[] = [
  [['chat_template_sha'], 'chat', 'red'],
  [['system_instruction_sha'], 'chat', 'red'],
  [['fewshot_as_multiturn'], 'chat', 'red'],
  [['config', 'gen_kwargs'], 'generation', 'red'],
  [['max_length'], 'numerics', 'amber'],
  [['config', 'model_dtype'], 'numerics', 'amber'],
  [['config', 'model_args', 'dtype'], 'numerics', 'amber'],
  [['config', 'model_args', 'add_bos_token'], 'prompt', 'red'],
  [['config', 'model'], 'software', 'amber'],
  [['config', 'device'], 'numerics', 'amber'],
  [['config', 'batch_size'], 'numerics', 'amber'],
  [['lm_eval_version'], 'software', 'amber'],
  [['transformers_version'], 'software', 'amber'],
]

/**
 * Compares what two files say of a task. The models aren't compared: they are what a comparison is for, and so chat templates count as
 * differing only between applying one and applying none. Reasons come with the gravest first, else in the order of the tables above.
 */
export function compareTask(left: ResultFile, right: ResultFile, task: string): Comparability {
  const reasons: Reason[] = []
  const add = (level: Reason['level'], about: About, key: string, a: Json, b: Json, sentence: string): void => {
    reasons.push({ level, about, key, left: a, right: b, sentence })
  }
  const missing = [left, right].find((file) => file.results[task] === undefined)
  if (missing !== undefined) {
    add('red', 'task', 'results', null, null, `${missing.name} has no score of ${task}.`)
    return { verdict: 'red', reasons }
  }
  const [a, b] = [left.configs[task], right.configs[task]]
  if (a === undefined || b === undefined) {
    add(
      'amber',
      'task',
      'configs',
      null,
      null,
      "Not both files say how the task was asked, so prompt, parser and metric can't be compared.",
    )
  } else {
    const signatures = (name: string): readonly string[] => [left, right].flatMap((file) => signaturesIn(file, task, name))
    for (const [key, about, level] of configKeys) {
      const [x, y] = [valueAt(a, [key]), valueAt(b, [key])]
      const functions = equals(x, y) ? 'same' : compareFunctions(x, y, signatures)
      if (functions === 'unknown')
        add('amber', about, key, x, y, `${key} is a Python function of the same name in both, but not both files say what stands in it.`)
      if (functions === 'other') add(level, about, key, x, y, `${words[about]}: ${key} is ${show(x)} in one and ${show(y)} in the other.`)
    }
  }
  for (const [path, about, level] of fileKeys) {
    const [x, y] = [valueAt(left.whole, path), valueAt(right.whole, path)]
    const key = path.join('.')
    // Every model has a template of its own; what matters is whether it was used.
    if (key === 'chat_template_sha' ? (x === null) === (y === null) : equals(x, y)) continue
    add(level, about, key, x, y, `${words[about]}: ${key} is ${show(x)} in one and ${show(y)} in the other.`)
  }
  const silent = [left, right].find(({ whole }) => whole['chat_template_sha'] === undefined)
  if (silent !== undefined)
    add('amber', 'chat', 'chat_template_sha', null, null, `${silent.name} doesn't say whether a chat template was applied.`)
  compareNumbers(left, right, task, add)
  const hashes = [left, right].map(({ whole }) => valueAt(whole, ['task_hashes', task]))
  // Where the rows came from doesn't matter when docs, prompts and targets are the same, hash by hash.
  const isSameDocs = hashes[0] !== null && equals(hashes[0] ?? null, hashes[1] ?? null)
  const told = isSameDocs ? reasons.filter(({ key }) => !rowKeys.has(key)) : reasons
  const sorted = told.toSorted((x, y) => Number(x.level === 'amber') - Number(y.level === 'amber'))
  return { verdict: sorted[0]?.level ?? 'green', reasons: sorted }
}

/** What a file of ours says of a task's function, by its name without the module. */
function signaturesIn({ whole }: ResultFile, task: string, name: string): readonly string[] {
  const known = valueAt(whole, ['yardstick', 'functions', task])
  if (!isRecord(known)) return []
  return Object.entries(known).flatMap(([full, signatures]) =>
    full.slice(full.lastIndexOf('.') + 1) === name && Array.isArray(signatures)
      ? (signatures as readonly Json[]).filter((one) => typeof one === 'string')
      : [],
  )
}

function compareNumbers(
  left: ResultFile,
  right: ResultFile,
  task: string,
  add: (level: Reason['level'], about: About, key: string, a: Json, b: Json, sentence: string) => void,
): void {
  const pairAt = (path: readonly string[]): readonly [Json, Json] => [valueAt(left.whole, path), valueAt(right.whole, path)]
  const [n, m] = pairAt(['n-samples', task, 'effective'])
  if (!equals(n, m)) add('red', 'docs', 'n-samples', n, m, `Other docs: one scored ${show(n)} of them, the other ${show(m)}.`)
  const [v, w] = pairAt(['versions', task])
  if (!equals(v, w)) add('amber', 'task', 'versions', v, w, `The task has version ${show(v)} in one and ${show(w)} in the other.`)
  const [k, l] = pairAt(['n-shot', task])
  if (!equals(k, l)) add('red', 'few-shot', 'n-shot', k, l, `Few-shot examples: ${show(k)} in one and ${show(l)} in the other.`)
  const [s, t] = pairAt(['config', 'fewshot_seed'])
  if (!equals(s, t) && k !== 0)
    add('red', 'few-shot', 'fewshot_seed', s, t, `Other examples were drawn: the seed is ${show(s)} in one and ${show(t)} in the other.`)
  const [g, h] = pairAt(['task_hashes', task])
  // The hash covers docs, prompts and targets, and the prompts hold the chat template.
  const isPlain = valueAt(left.whole, ['chat_template_sha']) === null && valueAt(right.whole, ['chat_template_sha']) === null
  if (g !== null && h !== null && !equals(g, h) && isPlain)
    add('red', 'prompt', 'task_hashes', g, h, 'Docs, prompts or targets differ: their hashes do.')
  const metricsOfRow = (file: ResultFile): Json =>
    Object.keys(file.results[task] ?? {})
      .filter((key) => key.includes(','))
      .sort()
  const [x, y] = [metricsOfRow(left), metricsOfRow(right)]
  if (!equals(x, y)) add('red', 'metric', 'results', x, y, `Other metrics or filters: ${show(x)} against ${show(y)}.`)
}

const words: { readonly [about in About]: string } = {
  task: 'Another task',
  prompt: 'Another prompt',
  parser: 'Another parser',
  metric: 'Another metric',
  docs: 'Other docs',
  'few-shot': 'Other examples',
  chat: 'Another use of the chat template',
  generation: 'Other generation',
  numerics: 'Other numerics',
  software: 'Other software',
}

/** Null where any part of the path is missing or empty, as for keys that a file leaves at their default. */
function valueAt(value: Json, path: readonly string[]): Json {
  let current: Json | undefined = value
  for (const key of path) current = isRecord(current) && Object.hasOwn(current, key) ? current[key] : null
  if (current === undefined || current === '') return null
  return isRecord(current) && Object.keys(current).length === 0 ? null : current
}

/** Equal as JSON, whatever the order of keys; a list of one is not its item. */
function equals(a: Json, b: Json): boolean {
  return canonical(a) === canonical(b)
}

function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(canonical).join(',')}]`
  if (!isRecord(value)) return JSON.stringify(value)
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`).join(',')}}`
}

function show(value: Json): string {
  const text = value === null ? 'not set' : typeof value === 'string' ? `“${value}”` : JSON.stringify(value)
  return text.length > 120 ? `${text.slice(0, 117)}…` : text
}
