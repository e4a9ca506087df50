/** Two tables joined on equal keys, with every row that finds no partner named. */
import { EvalError } from '../../base/errors.ts'
import type { Cell, Table } from '../../contracts/rows.ts'
import type { JoinSettings } from './join-settings.ts'

interface Joined {
  readonly table: Table
  /** "5 joined, 1 unmatched: …", for the user. */
  readonly summary: string
}

/** How the two sides are called in messages. */
interface JoinPlace {
  readonly left: string
  readonly right: string
}

/** At most so many keys are spelt out in a summary. */
const listedKeys = 20

/**
 * The left rows in their order, each with the chosen columns of the right row of equal key. An added column whose name the left table has
 * already is called `joined_<name>`. Several left rows may share one right row.
 *
 * Throws `dataset/schema` for a column that isn't there and for right rows of one key that differ in the added columns (which of them is
 * meant?), `dataset/empty` when nothing is left.
 */
export function joinTables(left: Table, right: Table, settings: JoinSettings, place: JoinPlace): Joined {
  const leftKeys = settings.on.map(([name]) => columnAt(left, name, place.left))
  const rightKeys = settings.on.map(([, name]) => columnAt(right, name, place.right))
  const added = (
    settings.columns ?? right.columns.map(({ name }) => name).filter((name) => !settings.on.some(([, key]) => key === name))
  ).map((name) => columnAt(right, name, place.right))
  const keyOf = (row: readonly Cell[], at: readonly number[]): string | null =>
    joinKey(
      at.map((one) => row[one] ?? null),
      settings.match,
    )
  const { partners, repeated } = indexRows(right, (row) => keyOf(row, rightKeys), added, place.right)
  const used = new Set<string>()
  const seen = new Map<string, number>()
  const unmatched: (readonly Cell[])[] = []
  const rows: (readonly Cell[])[] = []
  const paths = settings.on.map(([name]) => settings.jsonPath.get(name) ?? null)
  for (const row of left.rows) {
    const key = joinKey(
      leftKeys.map((at, index) => insideJson(row[at] ?? null, paths[index] ?? null)),
      settings.match,
    )
    const partner = key === null ? undefined : partners.get(key)
    if (key !== null) seen.set(key, (seen.get(key) ?? 0) + 1)
    if (key !== null && partner !== undefined) used.add(key)
    else unmatched.push(row)
    if (partner !== undefined || settings.how === 'left') rows.push([...row, ...added.map((at) => partner?.[at] ?? null)])
  }
  const unused = [...partners].filter(([key]) => !used.has(key)).map(([, row]) => row)
  const joined = left.rows.length - unmatched.length
  if (rows.length === 0)
    throw new EvalError(
      'dataset/empty',
      `None of the ${left.rows.length} rows of ${place.left} finds its key among the ${right.rows.length} rows of ${place.right}.`,
    )
  const parts = [
    `${joined} joined, ${unmatched.length} unmatched${listKeys(unmatched, leftKeys)}`,
    ...(unused.length === 0 ? [] : [`${unused.length} of ${place.right} unused${listKeys(unused, rightKeys)}`]),
    ...duplicates('rows', place.left, [...seen.values()].filter((count) => count > 1).length),
    ...duplicates('equal rows', place.right, repeated),
  ]
  const names = new Set(left.columns.map(({ name }) => name))
  const columns = [
    ...left.columns,
    ...added.flatMap((at) => {
      const column = right.columns[at]
      return column === undefined ? [] : [{ ...column, name: names.has(column.name) ? `joined_${column.name}` : column.name }]
    }),
  ]
  return { table: { columns, rows }, summary: `Join of ${place.left} with ${place.right}: ${parts.join('; ')}.` }
}

function columnAt(table: Table, name: string, place: string): number {
  const at = table.columns.findIndex((column) => column.name === name)
  if (at === -1) {
    const names = table.columns.map((column) => column.name)
    throw new EvalError('dataset/schema', `The join wants the column '${name}' of ${place}, which has ${names.join(', ')}.`, {
      details: { column: name, columns: names },
    })
  }
  return at
}

/** Rows by key. Rows without a key (a null in it) have no place. */
function indexRows(
  table: Table,
  keyOf: (row: readonly Cell[]) => string | null,
  added: readonly number[],
  place: string,
): { readonly partners: ReadonlyMap<string, readonly Cell[]>; readonly repeated: number } {
  const partners = new Map<string, readonly Cell[]>()
  const repeated = new Set<string>()
  for (const row of table.rows) {
    const key = keyOf(row)
    if (key === null) continue
    const other = partners.get(key)
    if (other === undefined) partners.set(key, row)
    else {
      repeated.add(key)
      const differing = added.find((at) => printCell(other[at] ?? null) !== printCell(row[at] ?? null))
      if (differing !== undefined) {
        const column = table.columns[differing]?.name ?? ''
        throw new EvalError(
          'dataset/schema',
          `${place} has several rows with the key ${key}, and their '${column}' differs: which of them is meant?`,
          {
            details: { key, column },
          },
        )
      }
    }
  }
  return { partners, repeated: repeated.size }
}

/** Null when any part of the key is null: an unknown value equals nothing. */
function joinKey(cells: readonly Cell[], match: JoinSettings['match']): string | null {
  if (cells.includes(null)) return null
  const parts = cells.map((cell) => (typeof cell === 'string' && match === 'trimmed' ? cell.normalize('NFC').trim() : cell))
  return printCell(parts.length === 1 ? (parts[0] ?? null) : parts)
}

/** What stands at a path of a text that is JSON; any other value, and a text without that path, as it is. */
function insideJson(cell: Cell, path: readonly (string | number)[] | null): Cell {
  if (path === null || typeof cell !== 'string') return cell
  let value: unknown
  try {
    value = JSON.parse(cell)
  } catch {
    return cell
  }
  for (const step of path) {
    if (typeof value !== 'object' || value === null) return cell
    value = (value as { readonly [step: string | number]: unknown })[step] // Null and other kinds are ruled out above.
  }
  return typeof value === 'string' || typeof value === 'number' ? value : cell
}

function printCell(cell: Cell): string {
  return JSON.stringify(cell, (_, value: unknown) => (typeof value === 'bigint' ? Number(value) : value))
}

function listKeys(rows: readonly (readonly Cell[])[], at: readonly number[]): string {
  if (rows.length === 0) return ''
  const texts = rows.slice(0, listedKeys).map((row) => at.map((one) => shorten(printCell(row[one] ?? null))).join(' / '))
  return `: ${texts.join(', ')}${rows.length > listedKeys ? ` and ${rows.length - listedKeys} more` : ''}`
}

function shorten(text: string): string {
  const letters = Array.from(text)
  return letters.length > 80 ? `${letters.slice(0, 79).join('')}…` : text
}

function duplicates(what: string, place: string, count: number): string[] {
  return count === 0 ? [] : [`${count} keys of ${place} belong to several ${what}`]
}
