/** A repository's GGUF files as models to choose from: each by its quantisation, parts of one together. */
import { quantisationInName } from './quantisation.ts'
import type { RepoFile } from '../../contracts/models.ts'
import { namesOfParts } from '../../weights/gguf/split.ts'

export interface GgufChoice {
  /** Its dtype: the quantisation in its name, or the whole name where none stands there or two files have the same. */
  readonly label: string
  /** Whether that is the quantisation. */
  readonly isQuantisation: boolean
  /** In their order. */
  readonly files: readonly RepoFile[]
  /** Names of parts that aren't there. */
  readonly missing: readonly string[]
}

/** What isn't a model by itself: the parts that see or hear, importances, drafts of the next tokens. */
const beside = /(?:^|[-_.])(?:mmproj|imatrix)(?=$|[-_.])|^mtp-/i

/** The paths of GGUF files that are models. */
export function ggufPaths(paths: readonly string[]): readonly string[] {
  return paths.filter((path) => path.endsWith('.gguf') && !beside.test(path.slice(path.lastIndexOf('/') + 1)))
}

/** The models, the largest first. */
export function ggufChoices(files: readonly RepoFile[]): readonly GgufChoice[] {
  const models = new Set(ggufPaths(files.map(({ path }) => path)))
  const byFirst = new Map<string, RepoFile[]>()
  for (const file of files.filter(({ path }) => models.has(path))) {
    const first = partsOf(file.path)[0] ?? file.path
    byFirst.set(first, [...(byFirst.get(first) ?? []), file])
  }
  const choices = [...byFirst].map(([first, found]) => {
    const names = partsOf(first)
    const inOrder = names.flatMap((name) => found.filter(({ path }) => path === name))
    return { first, files: inOrder, missing: names.filter((name) => !found.some(({ path }) => path === name)) }
  })
  const labels = choices.map(({ first }) => quantisationInName(first))
  return choices
    .map(({ first, ...choice }, at) => {
      const label = labels[at] ?? null
      const isQuantisation = label !== null && labels.filter((one) => one === label).length === 1
      return { ...choice, label: isQuantisation ? label : stemOf(first), isQuantisation }
    })
    .sort((a, b) => bytesOf(b) - bytesOf(a))
}

/** The model of a dtype, which may also be the name of a file of it (`gguf_file`); null where there is none. */
export function choiceOf(choices: readonly GgufChoice[], dtype: string): GgufChoice | null {
  return choices.find(({ label, files }) => label === dtype || files.some(({ path }) => path === dtype)) ?? null
}

export function bytesOf({ files }: GgufChoice): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0)
}

function partsOf(path: string): readonly string[] {
  return namesOfParts(path) ?? [path]
}

function stemOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/(?:-\d{5}-of-\d{5})?\.gguf$/, '')
}
