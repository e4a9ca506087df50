/** Reads what hendrycks/test `evaluate.py` prints (`Average accuracy 0.667 - anatomy`) back into scores, and holds its averages together. */
import { EvalError } from '../../base/errors.ts'
import { hendrycksCategories, hendrycksSubcategories, mmluSubjects, subjectsOfCategory } from './mmlu-categories.ts'

interface PrintedAccuracies {
  readonly subjects: ReadonlyMap<string, number>
  readonly subcategories: ReadonlyMap<string, number>
  readonly categories: ReadonlyMap<string, number>
  /** Names that are none of MMLU's subjects or areas. */
  readonly unknown: ReadonlyMap<string, number>
  /** The number after `Average accuracy:`; null where there is none. */
  readonly overall: number | null
  /** Mean over the subjects, each counting once. */
  readonly macro: number
  /**
   * Whether the stated overall number can be the macro average: both come rounded to three decimals. `differs` means that it is another one,
   * as over docs (micro). Null without an overall number.
   */
  readonly verdict: 'agrees' | 'differs' | null
}

/** Half a unit of the last printed digit, once for the overall number and once for the subjects. */
const rounding = 0.001

/**
 * Every such line of a text, whatever else is in it. `other` and `philosophy` name areas and subjects alike: the value of `philosophy` is
 * the subject's where it stands among subjects. Throws `settings/invalid` without a single subject, for a number outside 0 to 1, and for a
 * subject that is there twice with different values.
 */
export function readAverageAccuracies(text: string): PrintedAccuracies {
  const found = [...text.matchAll(/^\s*Average accuracy (\d*\.?\d+) - (.+?)\s*$/gm)].map(([, value = '', name = '']) => ({
    name,
    value: readShare(value, name),
  }))
  const overall = /^\s*Average accuracy: (\d*\.?\d+)\s*$/m.exec(text)?.[1]
  const subjects = new Map<string, number>()
  const subcategories = new Map<string, number>()
  const categories = new Map<string, number>()
  const unknown = new Map<string, number>()
  found.forEach(({ name, value }, at) => {
    const isArea = hendrycksSubcategories.has(name)
    const isSubject = mmluSubjects.includes(name)
    if (isSubject && !(isArea && standsAmongAreas(found, at))) enter(subjects, name, value)
    else if (isArea) enter(subcategories, name, value)
    else if (hendrycksCategories.has(name)) enter(categories, name, value)
    else enter(unknown, name, value)
  })
  if (subjects.size === 0)
    throw new EvalError('settings/invalid', `Wanted lines such as 'Average accuracy 0.667 - anatomy', found none with a subject of MMLU.`)
  const macro = [...subjects.values()].reduce((sum, value) => sum + value, 0) / subjects.size
  const stated = overall === undefined ? null : readShare(overall, 'all')
  return {
    subjects,
    subcategories,
    categories,
    unknown,
    overall: stated,
    macro,
    verdict: stated === null ? null : Math.abs(stated - macro) <= rounding ? 'agrees' : 'differs',
  }
}

/** `philosophy` is both: beside an area that is no subject, it is the area. */
function standsAmongAreas(found: readonly { readonly name: string }[], at: number): boolean {
  return [found[at - 1], found[at + 1]].some((near) => near !== undefined && !mmluSubjects.includes(near.name))
}

function readShare(text: string, name: string): number {
  const value = Number(text)
  if (value >= 0 && value <= 1) return value
  throw new EvalError('settings/invalid', `Wanted an accuracy from 0 to 1 for ${name}, found ${text}.`, { details: { name, found: text } })
}

function enter(into: Map<string, number>, name: string, value: number): void {
  const known = into.get(name)
  if (known !== undefined && known !== value)
    throw new EvalError('settings/invalid', `${name} is there twice, with ${known} and ${value}: give one model's lines at a time.`, {
      details: { name },
    })
  into.set(name, value)
}

/** What doesn't fit together among the printed averages, in sentences; empty where everything does, or where too little is printed to tell. */
export function averageNotes({ subjects, categories, overall, macro, verdict }: PrintedAccuracies): readonly string[] {
  if (overall === null) return []
  const byMean =
    verdict === 'differs'
      ? [
          `The overall number ${overall} is not the mean of the ${subjects.size} subjects, ${macro.toFixed(4)}, each counting once: it is another average, as over docs.`,
        ]
      : []
  const sizes = [...categories].map(([name, value]) => ({
    value,
    size: subjectsOfCategory(name).filter((one) => subjects.has(one)).length,
  }))
  const all = sizes.reduce((sum, { size }) => sum + size, 0)
  // Only categories that cover every subject say something of the whole.
  if (all !== subjects.size || sizes.length === 0) return byMean
  const weighted = sizes.reduce((sum, { value, size }) => sum + value * size, 0) / all
  return Math.abs(weighted - overall) <= rounding
    ? byMean
    : [
        ...byMean,
        `The ${sizes.length} categories, weighted by their subjects, come to ${weighted.toFixed(4)}, the overall number is ${overall}: they are averages of different kinds.`,
      ]
}
