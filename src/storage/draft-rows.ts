/** Texts that are being written, as they lie in the database: a row for each time that some of them had grown, which holds what was new. */
import { isRecord } from '../base/guards.ts'
import type { Draft } from '../contracts/items.ts'
import { crc32OfText } from './crc32.ts'
import type { DraftPart } from './store.ts'

/** Parts with a checksum over all of the row. */
export interface DraftRow {
  readonly runId: string
  readonly planIndex: number
  readonly seq: number
  readonly parts: readonly DraftPart[]
  readonly crc: number
}

/** The row with its checksum. */
export function toDraftRow(row: Omit<DraftRow, 'crc'>): DraftRow {
  return { ...row, crc: crcOfRow(row) }
}

/** Texts out of their parts, in the order of writing. A part that doesn't begin where its text ends is left out: one before it is missing. */
export function joinParts(parts: readonly DraftPart[]): ReadonlyMap<string, Draft> {
  const texts = new Map<string, { readonly tokens: number[]; end: Draft['end'] }>()
  for (const { key, from, tokens, end } of parts) {
    const text = texts.get(key) ?? { tokens: [], end: null }
    if (from !== text.tokens.length || text.end !== null) continue
    for (const token of tokens) text.tokens.push(token)
    text.end = end
    texts.set(key, text)
  }
  return new Map([...texts].map(([key, { tokens, end }]) => [key, { tokens: Int32Array.from(tokens), end }]))
}

/** The parts in a row, or null when it isn't one or its checksum fails. */
export function fromDraftRow(value: unknown): readonly DraftPart[] | null {
  if (!isRecord(value)) return null
  const { runId, planIndex, seq, parts, crc } = value
  if (typeof runId !== 'string' || typeof planIndex !== 'number' || typeof seq !== 'number') return null
  if (!Array.isArray(parts) || !parts.every(isPart)) return null
  return crc === crcOfRow({ runId, planIndex, seq, parts }) ? parts : null
}

const ends: readonly unknown[] = ['end-token', 'stop', 'length', null] satisfies readonly Draft['end'][]

function isPart(value: unknown): value is DraftPart {
  if (!isRecord(value) || typeof value['key'] !== 'string' || typeof value['from'] !== 'number' || !ends.includes(value['end']))
    return false
  // By name, since structured clones may come from another realm.
  return Object.prototype.toString.call(value['tokens']) === '[object Int32Array]'
}

function crcOfRow({ runId, planIndex, seq, parts }: Omit<DraftRow, 'crc'>): number {
  return crc32OfText(JSON.stringify([runId, planIndex, seq, parts.map(({ key, from, tokens, end }) => [key, from, [...tokens], end])]))
}
