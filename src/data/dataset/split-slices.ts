/** Slices of splits, such as `train[:10%]+test[5:20]`, by the rules of `datasets`. */
import { EvalError, type Json } from '../../base/errors.ts'
import type { Table } from '../../contracts/rows.ts'

/** Rows `from` up to `to` (exclusive) of a split; negative ones count from its end, null is its end. */
interface Slice {
  readonly split: string
  readonly from: number | null
  readonly to: number | null
  readonly unit: '%' | 'rows'
  /** How a percentage becomes a number of rows. */
  readonly rounding: 'closest' | 'pct1_dropremainder'
}

const slicePattern =
  /^(?<split>\w+(?:\.\w+)*)(?:\[(?:(?<from>-?[\d_]+)(?<fromPercent>%)?)?:(?:(?<to>-?[\d_]+)(?<toPercent>%)?)?\])?(?:\((?<rounding>[^)]*)\))?$/

/** True when a split's name is a slice of one, or several put together. */
export function isSlice(split: string): boolean {
  return /[[\]+(]/.test(split)
}

/** The name that stands for all splits put together. */
export const allSplits = 'all'

/** The slices that a text such as `train[:10%]+test[5:20]` adds up. Throws `task/invalid` for anything else. */
function parseSlices(text: string): readonly Slice[] {
  return text.split('+').map((part) => {
    const groups = slicePattern.exec(part.trim())?.groups
    const rounding = groups?.['rounding'] ?? 'closest'
    if (groups?.['split'] === undefined || (rounding !== 'closest' && rounding !== 'pct1_dropremainder'))
      throw badSlice(text, `${JSON.stringify(part.trim())} is none`)
    const boundary = (digits: string | undefined): number | null => (digits === undefined ? null : Number(digits.replaceAll('_', '')))
    const [from, to] = [boundary(groups['from']), boundary(groups['to'])]
    const unit = groups['fromPercent'] === undefined && groups['toPercent'] === undefined ? 'rows' : '%'
    if (unit === 'rows' && groups['rounding'] !== undefined) throw badSlice(text, 'only percentages are rounded')
    if (unit === '%' && [from, to].some((percent) => percent !== null && Math.abs(percent) > 100))
      throw badSlice(text, `percentages lie between -100 and 100`)
    return { split: groups['split'], from, to, unit, rounding }
  })
}

function badSlice(text: string, why: string): EvalError {
  return new EvalError('task/invalid', `'${text}' is no slice of a split like train[:10%] or test[5:20]+train: ${why}.`, {
    details: { split: text },
  })
}

/** Indexes of the first row and the one after the last, for a split of `rows` rows. Throws `task/invalid` where the rounding can't. */
function boundsOf(slice: Slice, rows: number): { readonly from: number; readonly to: number } {
  if (slice.unit === '%' && slice.rounding === 'pct1_dropremainder' && rows < 100)
    throw badSlice(slice.split, `pct1_dropremainder needs 100 rows, the split has ${rows}`)
  const absolute = (boundary: number): number => {
    if (slice.unit === 'rows') return boundary
    return slice.rounding === 'closest' ? roundHalfEven((boundary * rows) / 100) : boundary * Math.trunc(rows / 100)
  }
  const clip = (boundary: number): number => Math.min(boundary < 0 ? Math.max(rows + boundary, 0) : boundary, rows)
  const from = slice.from === null ? 0 : clip(absolute(slice.from))
  return { from, to: slice.to === null ? rows : clip(absolute(slice.to)) }
}

/** As Python rounds. */
function roundHalfEven(value: number): number {
  const floor = Math.floor(value)
  if (value - floor !== 0.5) return Math.round(value)
  return floor % 2 === 0 ? floor : floor + 1
}

/** The rows that `slices` name, from the tables of their splits; `order` is that of all splits. */
export function cutSlices(slices: readonly Slice[], tables: { readonly [split: string]: Table }, order: readonly string[]): Table {
  const whole = slices.flatMap((slice) => (slice.split === allSplits ? order.map((split) => ({ ...slice, split })) : [slice]))
  const parts = whole.map((slice) => {
    const table = tables[slice.split]
    if (table === undefined) throw new EvalError('internal', `The split '${slice.split}' was not loaded for its slice.`)
    const { from, to } = boundsOf(slice, table.rows.length)
    return { columns: table.columns, rows: table.rows.slice(from, to) }
  })
  const [first] = parts
  const columns = first?.columns ?? []
  const rows = parts.flatMap((part) => {
    const places = columns.map(({ name }) => part.columns.findIndex((column) => column.name === name))
    if (places.includes(-1))
      throw new EvalError('dataset/schema', `The splits ${slices.map(({ split }) => split).join(', ')} have different columns.`)
    return part.rows.map((row) => places.map((at) => row[at] ?? null))
  })
  return { columns, rows }
}

/**
 * `dataset_kwargs.split` as the harness can use it: a mapping from the names that a task asks for to slices of the dataset's splits.
 * Null when it isn't given. Throws `task/invalid` for a text or list, which leave the harness nothing to look a split up in.
 */
export function readSplitMapping(kwargs: { readonly [key: string]: Json }): ReadonlyMap<string, readonly Slice[]> | null {
  const { split } = kwargs
  if (split === undefined || split === null) return null
  if (typeof split !== 'object' || Array.isArray(split))
    throw new EvalError(
      'task/invalid',
      `dataset_kwargs: split wants a mapping such as {test: 'train[:10%]'}, not ${JSON.stringify(split)}: a task looks its splits up by name.`,
    )
  return new Map(
    Object.entries(split).map(([name, slice]: readonly [string, Json]) => {
      if (typeof slice !== 'string') throw badSlice(JSON.stringify(slice), 'it is no text')
      return [name, parseSlices(slice)] as const
    }),
  )
}
