/**
 * Task files of the original MMLU program (hendrycks/test `evaluate.py` for models of transformers), over `cais/mmlu` or over a folder in
 * the program's own layout: `dev/<subject>_dev.csv` and `test/<subject>_test.csv` without header, columns question, A to D, answer.
 */
import type { TaskFile } from '../../contracts/run-settings.ts'
import { hendrycksCategories, hendrycksSubcategories, subjectsOfCategory } from './mmlu-categories.ts'

/**
 * `mmlu_original` begins its prompts with "about  anatomy.", with two blanks, as the program does: its `format_subject` puts one before
 * every word. `mmlu_original_fixed` has one blank (hendrycks/test, pull request 13).
 */
type OriginalRecipe = 'mmlu_original' | 'mmlu_original_fixed'

export const originalRecipes: readonly OriginalRecipe[] = ['mmlu_original', 'mmlu_original_fixed']

const quote = JSON.stringify

/** Where the rows are: on the Hub, or in csv files. */
type OriginalSource = 'hub' | 'csv'

/** The template that all subjects of one source include. Missing cells print as `nan`, as pandas' do in the program. */
export function originalTemplate(source: OriginalSource): string {
  const cell = (column: string): string => `{{${column} if ${column} is not none else 'nan'}}`
  const options = [...'ABCD'].map((letter, at) => `\n${letter}. ${source === 'hub' ? `{{choices[${at}]}}` : cell(letter)}`).join('')
  return `# The original MMLU program: one forward pass of the prompt, and the softmax over the tokens of the four letters alone.
# No key of the harness can say that, nor that examples are dropped until a prompt has 2,048 tokens: see the key yardstick.
${source === 'hub' ? 'dataset_path: cais/mmlu' : 'dataset_path: csv'}
test_split: test
fewshot_split: dev
fewshot_config: {sampler: first_n}
num_fewshot: 5
output_type: multiple_choice
doc_to_text: ${quote(`{{question}}${options}\nAnswer:`)}
doc_to_choice: ["A", "B", "C", "D"]
doc_to_target: answer
metric_list:
  - {metric: acc, aggregation: mean, higher_is_better: true}
metadata:
  version: 1.0
`
}

interface OriginalTask {
  readonly recipe: OriginalRecipe
  readonly subject: string
  /** What the file includes, relative to its own folder. */
  readonly template: string
  /** The subject's two files; null = `cais/mmlu`. */
  readonly files: { readonly dev: string; readonly test: string } | null
}

/** One subject's task file. */
export function originalTaskText({ recipe, subject, template, files }: OriginalTask): string {
  const spaced = subject.replaceAll('_', ' ')
  const blank = recipe === 'mmlu_original' ? '  ' : ' '
  const data =
    files === null
      ? `dataset_name: ${quote(subject)}\n`
      : `dataset_kwargs:
  column_names: [question, A, B, C, D, answer]
  data_files: {dev: ${quote(files.dev)}, test: ${quote(files.test)}}
`
  return `# The original MMLU program, ${spaced}${recipe === 'mmlu_original' ? '' : ', without its double space'}.
include: ${template}
task: ${quote(`${recipe}_${subject}`)}
task_alias: ${quote(subject)}
${data}description: ${quote(`The following are multiple choice questions (with answers) about${blank}${spaced}.\n\n`)}
yardstick: {recipe: ${recipe}, choice_tokens: bare, max_prompt_tokens: 2048}
`
}

/** What a group over the authors' 17 subcategories and 4 categories is called, and what its members are. */
interface HendrycksGroup {
  readonly group: string
  readonly alias: string | null
  /** The task of a subject. */
  readonly taskOf: (subject: string) => string
  /** Subjects that are there; those that are none of the 57 stand directly below the group. */
  readonly subjects: readonly string[]
}

/** The group's file; every average is over questions, as the program's. */
export function hendrycksGroupText(comment: string, { group, alias, taskOf, subjects }: HendrycksGroup): string {
  const present = (names: readonly string[]): readonly string[] => names.filter((name) => subjects.includes(name))
  const others = subjects.filter((subject) => ![...hendrycksSubcategories.values()].flat().includes(subject))
  const categories = [...hendrycksCategories].filter(([category]) => present(subjectsOfCategory(category)).length > 0)
  const members = [
    ...categories.map(([category, subcategories]) => {
      const inner = subcategories.filter((name) => present(hendrycksSubcategories.get(name) ?? []).length > 0)
      const lists = inner.map(
        (name) => `      - group: ${quote(`${group}_subcategory_${keyOf(name)}`)}
        group_alias: ${quote(name)}
        task: [${present(hendrycksSubcategories.get(name) ?? [])
          .map((subject) => quote(taskOf(subject)))
          .join(', ')}]
        aggregate_metric_list: [{metric: acc, weight_by_size: true}]
`,
      )
      return `  - group: ${quote(`${group}_category_${keyOf(category)}`)}
    group_alias: ${quote(category)}
    aggregate_metric_list: [{metric: acc, weight_by_size: true}]
    task:
${lists.join('')}`
    }),
    ...others.map((subject) => `  - ${quote(taskOf(subject))}\n`),
  ]
  return `# ${comment}
group: ${group}
${alias === null ? '' : `group_alias: ${quote(alias)}\n`}task:
${members.join('')}aggregate_metric_list:
  - {metric: acc, weight_by_size: true}
metadata:
  version: 1
`
}

/** An area's name as part of a group's. A word before it keeps it apart from tasks: philosophy is a subcategory and a subject. */
function keyOf(area: string): string {
  return area
    .toLowerCase()
    .replace(/[^a-z]+/g, '_')
    .replace(/_+$/, '')
}

/**
 * The task files for a folder in the program's layout, from the paths of its files; they name the csv files by these paths, so they belong
 * into the folder that the paths start in. Subjects are those with a test and a dev file; any name will do. Empty for another folder.
 */
export function originalFolderTasks(paths: readonly string[]): readonly TaskFile[] {
  const known = new Set(paths)
  const found = paths.flatMap((test) => {
    const [, folder = '', subject] = /^(.*?)test\/([^/]+)_test\.csv$/.exec(test) ?? []
    const dev = `${folder}dev/${subject ?? ''}_dev.csv`
    const isWhole = subject !== undefined && (folder === '' || folder.endsWith('/')) && known.has(dev)
    return isWhole ? [{ subject, dev, test }] : []
  })
  const subjects = [...new Set(found.map(({ subject }) => subject))].sort()
  if (subjects.length === 0) return []
  const template = 'mmlu_original_csv'
  return [
    { path: template, text: originalTemplate('csv') },
    ...originalRecipes.flatMap((recipe) => [
      ...subjects.flatMap((subject): TaskFile[] => {
        const files = found.find((one) => one.subject === subject)
        if (files === undefined) return []
        return [{ path: `${recipe}_${subject}.yaml`, text: originalTaskText({ recipe, subject, template, files }) }]
      }),
      {
        path: `${recipe}.yaml`,
        text: hendrycksGroupText(`The original MMLU program over ${subjects.length} subjects of a folder.`, {
          group: recipe,
          alias: null,
          taskOf: (subject) => `${recipe}_${subject}`,
          subjects,
        }),
      },
    ]),
  ]
}
