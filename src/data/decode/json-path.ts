/** Rows that lie deep in a json file, by a path such as `questions[]` or `data[].paragraphs[].qas[]`. Ours; `datasets` has only `field`. */
import { EvalError } from '../../base/errors.ts'
import { isList, isRecord } from './infer.ts'
import type { JsonNode } from './json-parser.ts'

/** One key on the way, and whether its items are meant. An empty key is the file itself. */
interface Step {
  readonly key: string
  readonly isList: boolean
}

type Row = ReadonlyMap<string, JsonNode>

/** True for a `field` that is a path. */
export function isRowPath(field: string): boolean {
  return field.includes('[]')
}

/** Throws `task/invalid` for a path that is none, such as one that ends in a key without `[]`. */
function parsePath(path: string): readonly Step[] {
  const steps = path.split('.').map((part) => ({ key: part.replace(/\[\]$/, ''), isList: part.endsWith('[]') }))
  const isWhole =
    steps.at(-1)?.isList === true &&
    steps.every(({ key }, at) => !/[[\]]/.test(key) && (key !== '' || (at === 0 && steps[0]?.isList === true)))
  if (isWhole) return steps
  throw new EvalError(
    'task/invalid',
    `dataset_kwargs: '${path}' is no path to rows: wanted keys joined by dots, with [] behind each list, the last one too.`,
    {
      details: { key: 'field', path },
    },
  )
}

/** The plain values of a record that rows lie in; `owner` is the key of the list that it is an item of. */
interface Surrounding {
  readonly owner: string
  readonly values: Row
}

interface Found {
  readonly node: JsonNode
  /** From the file's top inwards. */
  readonly around: readonly Surrounding[]
  readonly place: string
}

/**
 * The items at the path's end, in the file's order, each as a row: its own keys, then the plain values (no lists, no records) of everything
 * it lies in, the innermost first. A name that any row further in has gets the key of its list in front: `data_id`; at the top `file_id`.
 * Items that are no records become the column of their list's name. A list that is null holds nothing.
 * Throws `dataset/schema`, which names the path, what was found there and the keys there are; `task/invalid` for what is no path.
 */
export function rowsOfPath(root: JsonNode, path: string, file: string): readonly Row[] {
  const steps = parsePath(path)
  let found: readonly Found[] = [{ node: root, around: [], place: '' }]
  let owner = 'file'
  for (const step of steps) {
    const within = owner
    found = found.flatMap((one) => follow(one, step, within, { path, file }))
    owner = step.key === '' ? 'item' : step.key
  }
  const column = owner === 'item' ? 'text' : owner
  const own = found.map(({ node }): Row => (isRecord(node) ? node : new Map([[column, node]])))
  const names = nameSurroundings(own, found)
  return own.map((row, at) => {
    const rest = (found[at]?.around ?? []).flatMap(({ values }, level) =>
      [...values].map(([key, value]) => [names[level]?.get(key) ?? key, value] as const),
    )
    return new Map([...row, ...rest.toReversed()])
  })
}

function follow({ node, around, place }: Found, { key, isList: wantsList }: Step, owner: string, where: Omit<PathPlace, 'place'>): Found[] {
  const next = key === '' ? node : childOf(node, key, { ...where, place })
  const here = place === '' ? key : `${place}.${key}`
  const outer = isRecord(node) && key !== '' ? [...around, { owner, values: plainValues(node) }] : around
  if (!wantsList) return [{ node: next, around: outer, place: here }]
  if (next === null) return []
  if (!isList(next)) throw misfit({ ...where, place: here }, `a list was wanted, ${inWords(next)} found`)
  return next.map((item, at) => ({ node: item, around: outer, place: `${here}[${at}]` }))
}

function plainValues(record: Row): Row {
  return new Map([...record].filter(([, value]) => !isList(value) && !isRecord(value)).toReversed())
}

/** Names of the surrounding values, level by level: the same for all rows, whichever of them need it. */
function nameSurroundings(own: readonly Row[], found: readonly Found[]): ReadonlyMap<string, string>[] {
  const taken = new Set(own.flatMap((row) => [...row.keys()]))
  const depth = found[0]?.around.length ?? 0
  const levels = Array.from({ length: depth }, (_, level) => found.flatMap(({ around }) => around[level] ?? []))
  const names = levels.toReversed().map((surroundings) => {
    const keys = new Set(surroundings.flatMap(({ values }) => [...values.keys()].toReversed()))
    return new Map(
      [...keys].map((key) => {
        let name = key
        while (taken.has(name)) name = `${surroundings[0]?.owner ?? ''}_${name}`
        taken.add(name)
        return [key, name] as const
      }),
    )
  })
  return names.toReversed()
}

interface PathPlace {
  readonly path: string
  readonly place: string
  readonly file: string
}

function childOf(node: JsonNode, key: string, place: PathPlace): JsonNode {
  if (!isRecord(node)) throw misfit(place, `a record with the key '${key}' was wanted, ${inWords(node)} found`)
  const child = node.get(key)
  if (child !== undefined) return child
  throw misfit(place, `there is no key '${key}'; the keys there: ${[...node.keys()].slice(0, 30).join(', ') || 'none'}`)
}

function misfit({ path, file, place }: PathPlace, what: string): EvalError {
  return new EvalError(
    'dataset/schema',
    `${file}: the path '${path}' leads nowhere: at ${place === '' ? 'its top' : `'${place}'`} ${what}.`,
    {
      details: { file, path, place },
    },
  )
}

function inWords(node: JsonNode): string {
  if (node === null) return 'null'
  if (isList(node)) return `a list of ${node.length}`
  if (isRecord(node)) return `a record of ${[...node.keys()].slice(0, 30).join(', ') || 'no keys'}`
  return typeof node === 'string' ? 'a text' : typeof node === 'boolean' ? 'a boolean' : 'a number'
}
