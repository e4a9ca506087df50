/** Rows as they lie in the database, each with a checksum, and the checks they pass when read back. */
import { EvalError, errorCodes, type WireError } from '../core/errors.ts'
import type { ForwardAnswer, RunManifest, RunRow, RunStatus, SampleView } from '../core/types.ts'
import { crc32, crc32OfText } from './crc32.ts'
import type { JournalEntry } from './store.ts'

/** An answer in compact form: `logprobs` in nats, `greedy` 0 or 1, `tokenLogprobs` one list a target. */
export interface ResponseRow {
  readonly logprobs: Float64Array
  readonly greedy: Uint8Array
  readonly tokenLogprobs: readonly Float32Array[]
  readonly crc: number
}

/** The part of a run that changes; its manifest is a row of its own that never does. */
export type RunTail = Omit<RunRow, 'manifest'>

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

export function toResponseRow(answer: ForwardAnswer): ResponseRow {
  const logprobs = Float64Array.from(answer.answers, ({ logprob }) => logprob)
  const greedy = Uint8Array.from(answer.answers, ({ isGreedy }) => (isGreedy ? 1 : 0))
  // Copies: a view into a larger buffer would take the whole buffer into the database.
  const tokenLogprobs = answer.tokenLogprobs.map((values) => values.slice())
  return { logprobs, greedy, tokenLogprobs, crc: crcOfResponse({ logprobs, greedy, tokenLogprobs }) }
}

/** The answer in a row, or null when it isn't one or its checksum fails. */
export function fromResponseRow(value: unknown): ForwardAnswer | null {
  if (!isRecord(value)) return null
  const { logprobs, greedy, tokenLogprobs, crc } = value
  if (!isArrayOf(logprobs, 'Float64Array') || !isArrayOf(greedy, 'Uint8Array') || !Array.isArray(tokenLogprobs)) return null
  const lists: Float32Array[] = []
  for (const list of tokenLogprobs) {
    if (!isArrayOf(list, 'Float32Array')) return null
    lists.push(list)
  }
  if (greedy.length !== logprobs.length || lists.length !== logprobs.length) return null
  if (crc !== crcOfResponse({ logprobs, greedy, tokenLogprobs: lists })) return null
  return { answers: Array.from(logprobs, (logprob, at) => ({ logprob, isGreedy: greedy[at] === 1 })), tokenLogprobs: lists }
}

function crcOfResponse({ logprobs, greedy, tokenLogprobs }: Omit<ResponseRow, 'crc'>): number {
  let crc = crc32(bytesOf(Uint32Array.from([logprobs.length, ...tokenLogprobs.map((list) => list.length)])))
  for (const array of [logprobs, greedy, ...tokenLogprobs]) crc = crc32(bytesOf(array), crc)
  return crc
}

function bytesOf(array: ArrayBufferView): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
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
  if (!isRunTail(tail) || tail.runId !== runId) return fail('state')
  // The checksum says that this is what `toManifestRow` was given.
  return { ...tail, manifest: manifest as unknown as RunManifest }
}

const statuses: readonly RunStatus[] = ['running', 'complete', 'interrupted', 'failed']

export function isRunTail(value: unknown): value is RunTail {
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

function isWireError(value: unknown): value is WireError {
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

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

interface ArraysByName {
  readonly Float64Array: Float64Array
  readonly Float32Array: Float32Array
  readonly Uint8Array: Uint8Array
}

/** By name, since structured clones may come from another realm. */
function isArrayOf<N extends keyof ArraysByName>(value: unknown, name: N): value is ArraysByName[N] {
  return ArrayBuffer.isView(value) && Object.prototype.toString.call(value) === `[object ${name}]`
}
