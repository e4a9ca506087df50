/** What the African families share: languages, five prompts each, weighted F1 beside accuracy. */
import { listOf, quote, taskText, type TaskTexts } from './task-texts.ts'

export const promptNumbers = [1, 2, 3, 4, 5] as const
export type PromptNumber = (typeof promptNumbers)[number]

export interface PromptFamily {
  /** Folder of the prompts' folders; with `prompt_N` it must be one that the ports know (`src/ports/functions`). */
  readonly folder: string
  /** For comments. */
  readonly title: string
  readonly group: string
  /** Tag that all of a prompt's tasks carry, a member of the group. */
  readonly tagOf: (prompt: PromptNumber) => string
  /** Tag of all tasks of all prompts; null for none. */
  readonly tagOfAll: string | null
  readonly taskOf: (language: string, prompt: PromptNumber) => string
  readonly groupVersion: string
  /** Name of the dataset's config by language. */
  readonly languages: ReadonlyMap<string, string>
  /** Everything that all prompts share, as YAML lines. */
  readonly common: string
  /** A prompt's own lines; may name functions, which are looked up by this folder. */
  readonly promptLines: (prompt: PromptNumber) => string
  /** The `doc_to_text` of one language, for prompts that name it. */
  readonly textOf?: (prompt: PromptNumber, language: string) => string | null
  /** Further keys of one language's files. */
  readonly linesOf?: (language: string) => readonly (readonly [key: string, value: string])[]
  /** All five when not given. */
  readonly prompts?: readonly PromptNumber[]
  /** What the group lists, when not the prompts' tags. */
  readonly members?: readonly string[]
}

/** The metrics of the irokobench and afrobench families. */
export function weightedF1AndAcc({ ignoresSigns }: { readonly ignoresSigns: boolean }): string {
  const ignored = ignoresSigns ? `, regexes_to_ignore: [",", "\\\\$"]` : ''
  const evaluated = ignoresSigns ? ', hf_evaluate: true' : ''
  return `metric_list:
  - {metric: f1, aggregation: !function utils.weighted_f1_score, average: weighted${evaluated}, higher_is_better: true, ignore_case: true, ignore_punctuation: true${ignored}}
  - {metric: acc, aggregation: mean, higher_is_better: true, ignore_case: true, ignore_punctuation: true${ignored}}
`
}

export function promptFamilyTexts(family: PromptFamily): TaskTexts {
  const { folder, title, group, tagOf, tagOfAll, groupVersion, languages, prompts = promptNumbers } = family
  const base = folder.split('/').at(-1) ?? folder
  const texts = new Map<string, string>([
    [
      `${folder}/${group}.yaml`,
      taskText(`${title}: all languages, all ${prompts.length === 3 ? 'three' : 'five'} prompts.`, [
        ['group', group],
        ['task', listOf(family.members ?? prompts.map(tagOf))],
        ['aggregate_metric_list', '\n  - {metric: acc, aggregation: mean, weight_by_size: true}'],
        ['metadata', `\n  version: ${groupVersion}`],
      ]),
    ],
    [`${folder}/_${base}`, `# ${title}: what all prompts share.\n${family.common}`],
  ])
  for (const prompt of prompts) {
    const tags = [...(tagOfAll === null ? [] : [tagOfAll]), tagOf(prompt)]
    texts.set(
      `${folder}/prompt_${prompt}/_prompt`,
      `# ${title}, prompt ${prompt}.\ninclude: ../_${base}\ntag: [${tags.join(', ')}]\n${family.promptLines(prompt)}`,
    )
    for (const [language, config] of languages) {
      const name = family.taskOf(language, prompt)
      const text = family.textOf?.(prompt, language) ?? null
      texts.set(
        `${folder}/prompt_${prompt}/${name}.yaml`,
        taskText(`${title}, ${language}, prompt ${prompt}.`, [
          ['include', '_prompt'],
          ['task', name],
          ['dataset_name', config],
          ...(text === null ? [] : ([['doc_to_text', quote(text)]] as const)),
          ...(family.linesOf?.(language) ?? []),
        ]),
      )
    }
  }
  return texts
}

/** Configs that are named as the language. */
export function sameNames(languages: string): ReadonlyMap<string, string> {
  return new Map(
    languages
      .trim()
      .split(/\s+/)
      .map((language) => [language, language]),
  )
}
