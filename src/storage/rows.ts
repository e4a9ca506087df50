/** Rows as they lie in the database, each with a checksum, and the checks they pass when read back. */
import type { DocIndex, SearchText } from '../analysis/viewer/doc-index.ts'
import { EvalError, errorCodes, type WireError } from '../base/errors.ts'
import { isRecord } from '../base/guards.ts'
import type { QueuedRun } from '../contracts/run-settings.ts'
import type { RunManifest, RunRow, RunStatus } from '../contracts/runs.ts'
import type { SampleView } from '../contracts/samples.ts'
import { crc32OfText } from './crc32.ts'
import type { JournalEntry } from './store.ts'

/** The part of a run that changes; its manifest is a row of its own that never does. */
export type RunState = Omit<RunRow, 'manifest'>

export interface ManifestRow {
  readonly runId: string
  readonly manifest: RunManifest
  readonly crc: number
}

export interface JournalRow extends JournalEntry {
  readonly type: 'done'
  readonly crc: number
}

export interface SampleRow {
  readonly runId: string
  readonly task: string
  /** Place in the samples file. */
  readonly position: number
  readonly sample: SampleView
}

/** An index, or the texts that a search of its docs reads; apart, since a list that isn't searched needs no texts. */
export type IndexRow = { readonly runId: string; readonly task: string } & (
  | { readonly part: 'index'; readonly value: DocIndex }
  | { readonly part: 'search'; readonly value: SearchText }
)

/** An entry with a checksum over its settings; the database adds `place` to one that it hasn't seen. */
export interface QueueRow extends Omit<QueuedRun, 'place'> {
  readonly place?: number
  readonly crc: number
}

export function toJournalRow(entry: JournalEntry): JournalRow {
  return { ...entry, type: 'done', crc: crcOfJournal(entry) }
}

/** The entry in a row, or null when it isn't one or its checksum fails. */
export function fromJournalRow(value: unknown): JournalEntry | null {
  if (!isRecord(value) || value['type'] !== 'done') return null
  const { runId, seq, planIndex, epoch, keys, crc } = value
  if (typeof runId !== 'string' || typeof seq !== 'number' || typeof planIndex !== 'number' || typeof epoch !== 'number') return null
  if (!Array.isArray(keys) || !keys.every((key): key is string => typeof key === 'string')) return null
  const entry = { runId, seq, planIndex, epoch, keys }
  return crc === crcOfJournal(entry) ? entry : null
}

function crcOfJournal({ runId, seq, planIndex, epoch, keys }: JournalEntry): number {
  return crc32OfText(JSON.stringify([runId, seq, planIndex, epoch, keys]))
}

export function toManifestRow(manifest: RunManifest): ManifestRow {
  return { runId: manifest.runId, manifest, crc: crc32OfText(JSON.stringify(manifest)) }
}

/** The run that a manifest row and a tail make. Throws `storage/corrupt` when either isn't what was written. */
export function fromRunRows(runId: string, manifestRow: unknown, tail: unknown): RunRow {
  const fail = (what: string): never => {
    throw new EvalError(
      'storage/corrupt',
      `Run '${runId}': its stored ${what} is damaged. Other runs are not affected; this one can be deleted.`,
      {
        details: { runId, what },
      },
    )
  }
  if (!isRecord(manifestRow) || !isRecord(manifestRow['manifest'])) return fail('manifest')
  const { manifest, crc } = manifestRow
  if (crc !== crc32OfText(JSON.stringify(manifest))) return fail('manifest')
  if (!isRecord(manifest) || manifest['runId'] !== runId || manifest['schemaVersion'] !== 1) return fail('manifest')
  if (!isRunState(tail) || tail.runId !== runId) return fail('state')
  // The checksum says that this is what `toManifestRow` was given.
  return { ...tail, manifest: manifest as unknown as RunManifest }
}

const statuses: readonly RunStatus[] = ['running', 'complete', 'interrupted', 'failed']

export function isRunState(value: unknown): value is RunState {
  return (
    isRecord(value) &&
    typeof value['runId'] === 'string' &&
    statuses.some((status) => status === value['status']) &&
    Number.isSafeInteger(value['epoch']) &&
    typeof value['updatedAt'] === 'string' &&
    typeof value['docsDone'] === 'number' &&
    typeof value['docsTotal'] === 'number' &&
    (value['error'] === null || isWireError(value['error']))
  )
}

/** True for an error as it is stored. */
export function isWireError(value: unknown): value is WireError {
  return isRecord(value) && errorCodes.some((code) => code === value['code']) && typeof value['message'] === 'string'
}

/** True when a row of the samples store holds what the sample list reads. */
export function isSampleRow(value: unknown): value is SampleRow {
  if (!isRecord(value) || typeof value['task'] !== 'string' || typeof value['position'] !== 'number' || !isRecord(value['sample']))
    return false
  const { docId, filter, prompt, line, choices, gold, generated, metrics } = value['sample']
  const areLists = [choices, gold, generated].every(Array.isArray)
  return typeof docId === 'number' && [filter, prompt, line].every((text) => typeof text === 'string') && areLists && isRecord(metrics)
}
