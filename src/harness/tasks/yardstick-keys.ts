/**
 * The `yardstick` key of a task file: what no key of the harness can say. The harness refuses a file that has it, so that nobody takes
 * such a task for one of its own. Keys: `recipe`, `choice_tokens`, `max_prompt_tokens`, `guess_seed`, `numeric_tolerance`; all but the first can be
 * set for a run with `--metadata`, and the last two for tasks of the harness too, as they add a score of ours and change none.
 */
import { isFloat, isInt, repr, toNumber, type PyDict, type PyValue } from '../../python/value.ts'
import { isConfigDict, toPlain, type ConfigDict, type ConfigValue } from '../../python/yaml/yaml-value.ts'

/**
 * How a choice is asked. `continuation`: as the harness does, encoded together with its context. `bare`: the prompt is encoded alone and
 * the last token of the choice, itself encoded alone, is held against the row after it (hendrycks/test `evaluate.py` for models of
 * transformers: `tokenizer("A").input_ids[-1]`). `spaced`: the same with a blank before the choice.
 */
export type ChoiceTokens = 'continuation' | 'bare' | 'spaced'

export interface OwnKeys {
  /** Whose procedure the task follows; shown beside its scores. Null = the harness's. */
  readonly recipe: string | null
  readonly choiceTokens: ChoiceTokens
  /** Few-shot examples are dropped from the end until a prompt has at most this many tokens; null = none are dropped. */
  readonly maxPromptTokens: number | null
  /** Replies in which no answer was found are guessed with this seed, in a score of its own beside the task's; null = they are not. */
  readonly guessSeed: number | null
  /** Numbers that differ by at most this share of the gold one count as equal, in a score of its own beside the task's; null = there is none. */
  readonly numericTolerance: number | null
}

/** What every task of the harness has. */
export const harnessKeys: OwnKeys = {
  recipe: null,
  choiceTokens: 'continuation',
  maxPromptTokens: null,
  guessSeed: null,
  numericTolerance: null,
}

const known = ['recipe', 'choice_tokens', 'max_prompt_tokens', 'guess_seed', 'numeric_tolerance']
const choiceTokens: readonly ChoiceTokens[] = ['continuation', 'bare', 'spaced']

/** Reads the key; `metadata` overrides what the file says. `fail` is called with the inner key and what is wrong with it. */
export function readOwnKeys(value: ConfigValue, metadata: PyDict, fail: (key: string, problem: string) => never): OwnKeys {
  const dict = isConfigDict(value) ? value : null
  const added = { guessSeed: readSeed(dict, metadata, fail), numericTolerance: readTolerance(dict, metadata, fail) }
  if (value === null) return { ...harnessKeys, ...added }
  if (!isConfigDict(value)) return fail('yardstick', `wanted a mapping, found ${repr(toPlain(value))}`)
  const unknown = [...value.keys()].find((key) => !known.includes(key))
  if (unknown !== undefined) fail(`yardstick.${unknown}`, `unknown key; the keys are ${known.join(', ')}`)
  const read = (key: string): PyValue => metadata.get(key) ?? toPlain(value.get(key) ?? null)
  const recipe = toPlain(value.get('recipe') ?? null)
  const tokens = read('choice_tokens') ?? 'continuation'
  const limit = read('max_prompt_tokens')
  if (limit !== null && !(isInt(limit) && limit > 0))
    fail('yardstick.max_prompt_tokens', `wanted a whole number above 0, found ${repr(limit)}`)
  return {
    recipe: typeof recipe === 'string' ? recipe : null,
    choiceTokens:
      choiceTokens.find((one) => one === tokens) ??
      fail('yardstick.choice_tokens', `wanted one of ${choiceTokens.join(', ')}, found ${repr(tokens)}`),
    maxPromptTokens: limit === null ? null : Number(limit),
    ...added,
  }
}

function readSeed(value: ConfigDict | null, metadata: PyDict, fail: (key: string, problem: string) => never): number | null {
  const seed = metadata.get('guess_seed') ?? toPlain(value?.get('guess_seed') ?? null)
  if (seed === null) return null
  return isInt(seed) && seed >= 0 ? Number(seed) : fail('yardstick.guess_seed', `wanted a whole number from 0, found ${repr(seed)}`)
}

function readTolerance(value: ConfigDict | null, metadata: PyDict, fail: (key: string, problem: string) => never): number | null {
  const given = metadata.get('numeric_tolerance') ?? toPlain(value?.get('numeric_tolerance') ?? null)
  if (given === null) return null
  const tolerance = isInt(given) || isFloat(given) ? toNumber(given) : null
  return tolerance !== null && tolerance >= 0 && tolerance < 1
    ? tolerance
    : fail('yardstick.numeric_tolerance', `wanted a share of the gold number from 0 to below 1, such as 0.002, found ${repr(given)}`)
}
