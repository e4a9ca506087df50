/**
 * Keys of kept answers. A key is a SHA-256 over everything that decides an answer, each field with its length before it, so that no two
 * different lists of fields give the same bytes. Whatever isn't in here can't be told apart in the store: an answer of one model would be
 * reported under another's name.
 */
import { toHex } from '../base/hex.ts'
import { isGeneration } from '../contracts/items.ts'
import type { GenerationItem, PlannedItem } from '../contracts/items.ts'

/** Everything besides token ids that decides an answer. */
export interface AnswerIdentity {
  readonly modelId: string
  readonly commit: string
  /** Every file that the session reads, weights and config alike; order doesn't matter. */
  readonly modelFiles: readonly { readonly path: string; readonly sha256: string }[]
  readonly dtype: string
  readonly device: string
  /** Vendor, architecture and description of the adapter; empty on WASM. */
  readonly adapter: string
  /** Engine name and build. */
  readonly engine: string
  readonly numericClass: string
  readonly scoring: string
  /** Tokens per prefill run, or null for one run. */
  readonly chunkTokens: number | null
  /** How requests share runs ("1" when each runs alone). */
  readonly batchClass: string
  /** Keeps answers apart that would be the same: a run that neither takes nor gives any has its own id here. Null: shared. */
  readonly repeat: string | null
}

/** Raised whenever the meaning of a kept answer changes. */
const formatVersion = 1
const itemsAtOnce = 256

/** Keys (64 hex digits each) of forward passes and texts, in their order. */
export type KeyMaker = (items: readonly PlannedItem[]) => Promise<string[]>

/** A maker of keys for one model on one engine. The identity is hashed once. */
export async function createKeyMaker(identity: AnswerIdentity): Promise<KeyMaker> {
  const prefix = new Uint8Array(await sha256(encodeIdentity(identity)))
  return async (items) => {
    const keys: string[] = []
    for (let start = 0; start < items.length; start += itemsAtOnce) {
      const slice = items.slice(start, start + itemsAtOnce)
      const digests = await Promise.all(slice.map((item) => sha256(encodeItem(prefix, item))))
      for (const digest of digests) keys.push(toHex(digest))
    }
    return keys
  }
}

/** The key of one item; see `createKeyMaker` for many. */
export async function responseKey(identity: AnswerIdentity, item: PlannedItem): Promise<string> {
  const makeKeys = await createKeyMaker(identity)
  const [key] = await makeKeys([item])
  if (key === undefined) throw new Error('one item gives one key')
  return key
}

function encodeIdentity(identity: AnswerIdentity): Uint8Array<ArrayBuffer> {
  const files = [...identity.modelFiles].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
  const fields = [
    `yardstick-answer-${formatVersion}`,
    identity.modelId,
    identity.commit,
    String(files.length),
    ...files.flatMap(({ path, sha256: hash }) => [path, hash]),
    identity.dtype,
    identity.device,
    identity.adapter,
    identity.engine,
    identity.numericClass,
    identity.scoring,
    identity.chunkTokens === null ? 'whole' : `chunk ${identity.chunkTokens}`,
    identity.batchClass,
    // The list's length is part of the key, so one without this field is like no other.
    ...(identity.repeat === null ? [] : [identity.repeat]),
  ]
  const encoder = new TextEncoder()
  return joinWithLengths(fields.map((field) => encoder.encode(field)))
}

function encodeItem(prefix: Uint8Array, item: PlannedItem): Uint8Array<ArrayBuffer> {
  if (isGeneration(item)) return encodeText(prefix, item)
  return joinWithLengths([prefix, encodeTokens(item.input), ...item.targets.map(encodeTokens)])
}

/** Begins with what is no digest, so that no text shares a key with a forward pass. Everything that decides the tokens is in it. */
function encodeText(prefix: Uint8Array, { input, stops, decoding }: GenerationItem): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder()
  const { sampling } = decoding
  const settings = [
    decoding.maxNewTokens,
    decoding.minNewTokens,
    decoding.endTokens,
    decoding.repetitionPenalty,
    decoding.noRepeatNgramSize,
    decoding.badWords,
    decoding.suppressTokens,
    decoding.beginSuppressTokens,
    sampling === null ? null : [sampling.temperature, sampling.topK, sampling.topP, sampling.minP, sampling.typicalP, sampling.seed],
  ]
  const parts = ['text', JSON.stringify(settings), ...stops].map((part) => encoder.encode(part))
  const [kind = new Uint8Array(), ...rest] = parts
  return joinWithLengths([kind, prefix, encodeTokens(input), ...rest])
}

function encodeTokens(ids: Int32Array): Uint8Array {
  const view = new DataView(new ArrayBuffer(ids.length * 4))
  ids.forEach((id, at) => {
    view.setInt32(at * 4, id, true)
  })
  return new Uint8Array(view.buffer)
}

/** The number of parts, then each part's length in bytes (uint32) and the part. */
function joinWithLengths(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const total = parts.reduce((sum, part) => sum + 4 + part.length, 4)
  const joined = new Uint8Array(total)
  const view = new DataView(joined.buffer)
  view.setUint32(0, parts.length, true)
  let at = 4
  for (const part of parts) {
    view.setUint32(at, part.length, true)
    joined.set(part, at + 4)
    at += 4 + part.length
  }
  return joined
}

function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer> {
  return crypto.subtle.digest('SHA-256', bytes)
}
