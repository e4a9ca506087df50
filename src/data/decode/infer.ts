/** Column types from values, as `datasets` 5 (pyarrow, with its `Json` type for values of different shapes) infers them. */
import type { Cell, Feature } from '../../contracts/rows.ts'
import { JsonFloat, parseJsonValues, type JsonNode } from './json-parser.ts'
import { readTimestamp } from './timestamps.ts'
import { TypeState, type InferOptions, type TimestampPlaces } from './type-state.ts'

/** The type that holds all `nodes`. */
export function inferFeature(nodes: readonly JsonNode[], options: InferOptions): Feature {
  const state = new TypeState()
  for (const node of nodes) state.add(node)
  return state.finish(options)
}

export function isList(node: JsonNode): node is readonly JsonNode[] {
  return Array.isArray(node)
}

export function isRecord(node: JsonNode): node is ReadonlyMap<string, JsonNode> {
  return node instanceof Map
}

/** True when a type holds `json` anywhere: such a file has gone through a JSON writer that keeps ten decimals. */
export function holdsJson(feature: Feature): boolean {
  if (typeof feature === 'string') return feature === 'json'
  return 'list' in feature ? holdsJson(feature.list) : feature.struct.some(([, type]) => holdsJson(type))
}

interface CellOptions {
  /** Floats lose what lies beyond ten decimals, and NaN and infinities become null: what rewriting by pandas' ujson does. */
  readonly isRewritten: boolean
  /** Told of the cells of each record within a cell, before they are made; may throw. */
  readonly count: (cells: number) => void
}

/** A node as a cell of type `feature`, which `inferFeature` gave for it and its neighbours. */
export function toCell(node: JsonNode, feature: Feature, options: CellOptions): Cell {
  if (node === null) return null
  if (feature === 'json') return toLooseCell(node, options, true)
  if (node instanceof JsonFloat) return options.isRewritten ? rewriteFloat(node.value) : node.value
  if (typeof node === 'bigint' && feature === 'float64') return Number(node)
  if (isList(node)) {
    const inner = typeof feature === 'object' && 'list' in feature ? feature.list : 'json'
    return node.map((item) => toCell(item, inner, options))
  }
  if (isRecord(node)) {
    const fields = typeof feature === 'object' && 'struct' in feature ? feature.struct : []
    options.count(fields.length)
    // fromEntries, as an assignment to the key '__proto__' would set the prototype.
    return Object.fromEntries(fields.map(([name, type]) => [name, toCell(node.get(name) ?? null, type, options)]))
  }
  // An integer has no -0, a float has; rewriting loses it.
  return typeof node === 'number' && (feature !== 'float64' || options.isRewritten) ? node + 0 : node
}

/** A cell of type `json`: integers as bigints, floats as numbers. Texts at its top that are JSON themselves have been decoded. */
function toLooseCell(node: JsonNode, options: CellOptions, isTop: boolean): Cell {
  if (node instanceof JsonFloat) {
    // Beyond int64, but not beyond what ujson reads.
    const { integer } = node
    return integer !== null && integer > 0n && integer < 2n ** 64n ? integer : rewriteFloat(node.value)
  }
  if (typeof node === 'number') return BigInt(node)
  if (isList(node)) return node.map((item) => toLooseCell(item, options, false))
  if (isRecord(node)) return Object.fromEntries([...node].map(([key, value]) => [key, toLooseCell(value, options, false)]))
  if (typeof node === 'string' && isTop) {
    const inner = parseWhole(node)
    return inner === undefined ? node : toLooseCell(inner, options, false)
  }
  return node
}

/** Python's ujson, which decides here, also takes 007, 1. and 1e for numbers, and a lone dash for 0. */
function asJsonNumber(text: string): string {
  const match = /^\s*(-?)0*(\d*)(\.\d*)?([eE][+-]?\d*)?\s*$/.exec(text)
  if (match === null || !/^\s*-?\d|^\s*-\s*$/.test(text)) return text
  const [, sign = '', whole = '', fraction = '', exponent = ''] = match
  const mended = exponent === '' || /\d$/.test(exponent) ? exponent : 'e0'
  return `${sign}${whole === '' ? '0' : whole}${fraction === '.' ? '.0' : fraction}${mended}`
}

/** The value of a text that is one JSON value, else undefined. */
function parseWhole(text: string): JsonNode | undefined {
  try {
    const values = parseJsonValues(asJsonNumber(text), '')
    return values.length === 1 ? values[0] : undefined
  } catch {
    // Most texts are not JSON; that is what is asked here.
    return undefined
  }
}

function rewriteFloat(value: number): number | null {
  if (!Number.isFinite(value)) return null
  return Math.abs(value) < 1e15 ? Number(value.toFixed(10)) : value
}

/** A cell with the texts at `places` printed as timestamps. */
export function mendCell(cell: Cell, places: TimestampPlaces): Cell {
  if (cell === null || places.kind === 'none') return cell
  if (places.kind === 'text') return typeof cell === 'string' ? (readTimestamp(cell) ?? cell) : cell
  if (places.kind === 'list') return isCellList(cell) ? cell.map((item) => mendCell(item, places.item)) : cell
  if (!isCellRecord(cell)) return cell
  // fromEntries, as an assignment to the key '__proto__' would set the prototype.
  return Object.fromEntries(
    Object.entries(cell).map(([name, value]) => [name, mendCell(value, places.fields.get(name) ?? { kind: 'none' })]),
  )
}

/** Texts that all read as timestamps become timestamps, wherever in the type they are; returns the mended cells. */
export function mendTimestamps(cells: readonly Cell[], feature: Feature): readonly Cell[] {
  if (feature === 'string') return readAllTimestamps(cells) ?? cells
  if (typeof feature === 'string') return cells
  if ('list' in feature) {
    if (!holdsString(feature.list)) return cells
    const lists = cells.map((cell) => (isCellList(cell) ? cell : null))
    const items = lists.flatMap((list) => list ?? [])
    const mended = mendTimestamps(items, feature.list)
    if (mended === items) return cells
    let at = 0
    return lists.map((list) => {
      if (list === null) return null
      at += list.length
      return mended.slice(at - list.length, at)
    })
  }
  const columns = feature.struct.filter(([, type]) => holdsString(type))
  const records = cells.map((cell) => (isCellRecord(cell) ? { ...cell } : null))
  for (const [name, type] of columns) {
    const mended = mendTimestamps(
      records.map((record) => record?.[name] ?? null),
      type,
    )
    records.forEach((record, at) => {
      if (record !== null)
        Object.defineProperty(record, name, { value: mended[at] ?? null, enumerable: true, writable: true, configurable: true })
    })
  }
  return records
}

/** The timestamps' print form when every text of the cells is one (and there is one), else null. */
function readAllTimestamps(cells: readonly Cell[]): readonly (string | null)[] | null {
  const read: (string | null)[] = []
  for (const cell of cells) {
    const timestamp = typeof cell === 'string' ? readTimestamp(cell) : null
    if (cell !== null && timestamp === null) return null
    read.push(timestamp)
  }
  return read
}

function holdsString(feature: Feature): boolean {
  if (typeof feature === 'string') return feature === 'string'
  return 'list' in feature ? holdsString(feature.list) : feature.struct.some(([, type]) => holdsString(type))
}

function isCellList(cell: Cell): cell is readonly Cell[] {
  return Array.isArray(cell)
}

function isCellRecord(cell: Cell): cell is { readonly [key: string]: Cell } {
  return typeof cell === 'object' && cell !== null && !Array.isArray(cell)
}
