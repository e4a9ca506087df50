/**
 * The two maps from MMLU's 57 subjects to areas. They differ in one subject: anatomy is health (other) for the benchmark's authors
 * (hendrycks/test `categories.py`: 17 subcategories, 4 categories of 18, 13, 12 and 14 subjects) and STEM in lm_eval 0.4.13
 * (`tasks/mmlu/_generate_configs.py`: 19, 13, 12 and 13).
 */

export type CategoryMap = 'hendrycks' | 'lm-evaluation-harness'

const words = (text: string): readonly string[] => text.trim().split(/\s+/)

/** The authors' subcategories with their subjects, in the order in which `evaluate.py` prints them. */
export const hendrycksSubcategories: ReadonlyMap<string, readonly string[]> = new Map([
  ['math', words('abstract_algebra college_mathematics elementary_mathematics high_school_mathematics high_school_statistics')],
  ['health', words('anatomy clinical_knowledge college_medicine human_aging medical_genetics nutrition professional_medicine virology')],
  ['physics', words('astronomy college_physics conceptual_physics high_school_physics')],
  ['business', words('business_ethics management marketing')],
  ['biology', words('college_biology high_school_biology')],
  ['chemistry', words('college_chemistry high_school_chemistry')],
  ['computer science', words('college_computer_science computer_security high_school_computer_science machine_learning')],
  ['economics', words('econometrics high_school_macroeconomics high_school_microeconomics')],
  ['engineering', words('electrical_engineering')],
  ['philosophy', words('formal_logic logical_fallacies moral_disputes moral_scenarios philosophy world_religions')],
  ['other', words('global_facts miscellaneous professional_accounting')],
  ['history', words('high_school_european_history high_school_us_history high_school_world_history prehistory')],
  ['geography', words('high_school_geography')],
  ['politics', words('high_school_government_and_politics public_relations security_studies us_foreign_policy')],
  ['psychology', words('high_school_psychology professional_psychology')],
  ['culture', words('human_sexuality sociology')],
  ['law', words('international_law jurisprudence professional_law')],
])

/** The authors' categories with their subcategories, in their order. */
export const hendrycksCategories: ReadonlyMap<string, readonly string[]> = new Map([
  ['STEM', ['physics', 'chemistry', 'biology', 'computer science', 'math', 'engineering']],
  ['humanities', ['history', 'philosophy', 'law']],
  ['social sciences', ['politics', 'culture', 'economics', 'geography', 'psychology']],
  ['other (business, health, misc.)', ['other', 'business', 'health']],
])

/** All 57 subjects, sorted by name. */
export const mmluSubjects: readonly string[] = [...hendrycksSubcategories.values()].flat().sort()

/** The subjects of one of the authors' categories, sorted by name. */
export function subjectsOfCategory(category: string): readonly string[] {
  return (hendrycksCategories.get(category) ?? []).flatMap((name) => hendrycksSubcategories.get(name) ?? []).sort()
}

/** The four areas of either map with their subjects. */
export const categoryMaps: { readonly [map in CategoryMap]: ReadonlyMap<string, readonly string[]> } = {
  hendrycks: new Map([...hendrycksCategories.keys()].map((category) => [category, subjectsOfCategory(category)])),
  'lm-evaluation-harness': harnessMap(),
}

function harnessMap(): ReadonlyMap<string, readonly string[]> {
  const names = [
    ['STEM', 'stem'],
    ['humanities', 'humanities'],
    ['social sciences', 'social sciences'],
    ['other (business, health, misc.)', 'other'],
  ] as const
  return new Map(
    names.map(([category, name]) => {
      const subjects = subjectsOfCategory(category).filter((subject) => subject !== 'anatomy')
      return [name, name === 'stem' ? [...subjects, 'anatomy'].sort() : subjects]
    }),
  )
}

/** The subject that a task is about, by its name (`mmlu_anatomy`, `mmlu_original_anatomy`, `mmlu_anatomy_continuation`); null for others. */
export function subjectOfTask(task: string): string | null {
  const name = task.replace(/_continuation$/, '')
  // The longest one: `history` would also end in `prehistory`.
  const found = mmluSubjects.filter((subject) => name === subject || name.endsWith(`_${subject}`))
  return found.sort((a, b) => b.length - a.length)[0] ?? null
}

/**
 * The map that a division of MMLU's subjects into groups follows: the one in which each group is one of the four areas, as far as its
 * subjects are there. Null when neither is, or when the subjects at hand don't tell the two apart.
 */
export function categoryMapOf(groups: readonly (readonly string[])[]): CategoryMap | null {
  const divided = groups.map((group) => new Set(group))
  const present = new Set(groups.flat())
  if (!present.has('anatomy')) return null
  const follows = (map: CategoryMap): boolean =>
    [...categoryMaps[map].values()].every((area) => {
      const here = area.filter((subject) => present.has(subject))
      return here.length === 0 || divided.some((group) => group.size === here.length && here.every((subject) => group.has(subject)))
    })
  const found = (['hendrycks', 'lm-evaluation-harness'] as const).filter(follows)
  return found.length === 1 ? (found[0] ?? null) : null
}
