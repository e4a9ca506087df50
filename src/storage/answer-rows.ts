/**
 * Kept answers as they lie in the database: one record a committed batch, because a browser takes about a tenth of a millisecond for each
 * record whatever its size (2,000 answers: 200 ms one by one, 14 ms in batches of eight; Chromium 156).
 */
import { joinBytes } from '../base/bytes.ts'
import { isGenerated } from '../contracts/items.ts'
import type { ForwardAnswer, GenerationAnswer, ItemAnswer } from '../contracts/items.ts'
import { crc32, crc32OfText } from './crc32.ts'

/**
 * Answers of a batch, stored under its first key. The index over `keys` is unique, so no answer is kept twice whatever its batch.
 * `packed` is little-endian: a checksum of all that follows and of the keys (uint32), then per answer the number of targets (uint32),
 * per target its number of tokens (uint32), whether it is greedy (uint8), its log-probability in nats (float64), and the log-probabilities
 * of its tokens (float32). A text has `textMark` in place of the number of targets, then how it ended (uint8, place in `ends`), the number of
 * tokens (uint32) and the tokens (int32).
 */
export interface AnswerRow {
  readonly keys: readonly string[]
  readonly packed: Uint8Array<ArrayBuffer>
}

export interface KeyedAnswer {
  readonly key: string
  readonly answer: ItemAnswer
}

export function toAnswerRow(entries: readonly KeyedAnswer[]): AnswerRow {
  const keys = entries.map(({ key }) => key)
  const body = joinBytes(entries.map(({ answer }) => packAnswer(answer)))
  const packed = new Uint8Array(4 + body.length)
  packed.set(body, 4)
  new DataView(packed.buffer).setUint32(0, checksum(keys, body), true)
  return { keys, packed }
}

/** The answers in a row by key, or null when it isn't one or its checksum fails. */
export function fromAnswerRow(value: unknown): KeyedAnswer[] | null {
  if (typeof value !== 'object' || value === null || !('keys' in value) || !('packed' in value)) return null
  const { keys, packed } = value
  if (!Array.isArray(keys) || !keys.every((key): key is string => typeof key === 'string')) return null
  // By name, since structured clones may come from another realm.
  if (!ArrayBuffer.isView(packed) || Object.prototype.toString.call(packed) !== '[object Uint8Array]' || packed.byteLength < 4) return null
  const body = new Uint8Array(packed.buffer, packed.byteOffset + 4, packed.byteLength - 4)
  if (new DataView(packed.buffer, packed.byteOffset).getUint32(0, true) !== checksum(keys, body)) return null
  // The checksum says that these are the bytes that `toAnswerRow` wrote.
  const reader = { view: new DataView(body.buffer, body.byteOffset, body.length), at: 0 }
  return keys.map((key) => ({ key, answer: unpackAnswer(reader) }))
}

/** Whether two answers are the same, bit for bit. */
export function areEqualAnswers(one: ItemAnswer, other: ItemAnswer): boolean {
  const [a, b] = [packAnswer(one), packAnswer(other)]
  return a.length === b.length && a.every((byte, at) => byte === b[at])
}

function checksum(keys: readonly string[], body: Uint8Array): number {
  return crc32(body, crc32OfText(keys.join('\n')))
}

const bytesOfTarget = 4 + 1 + 8

/** No answer has so many targets. */
const textMark = 0xffff_ffff
const ends: readonly GenerationAnswer['end'][] = ['end-token', 'stop', 'length']

function packAnswer(answer: ItemAnswer): Uint8Array {
  return isGenerated(answer) ? packText(answer) : packScores(answer)
}

function packText({ tokens, end }: GenerationAnswer): Uint8Array {
  const bytes = new Uint8Array(4 + 1 + 4 + tokens.length * 4)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, textMark, true)
  view.setUint8(4, ends.indexOf(end))
  view.setUint32(5, tokens.length, true)
  tokens.forEach((token, at) => {
    view.setInt32(9 + at * 4, token, true)
  })
  return bytes
}

function unpackText(reader: { readonly view: DataView; at: number }): GenerationAnswer {
  const { view } = reader
  const end = ends[view.getUint8(reader.at)] ?? 'length'
  const tokens = new Int32Array(view.getUint32(reader.at + 1, true))
  reader.at += 5
  for (let at = 0; at < tokens.length; at += 1) {
    tokens[at] = view.getInt32(reader.at, true)
    reader.at += 4
  }
  return { tokens, end }
}

function packScores({ answers, tokenLogprobs }: ForwardAnswer): Uint8Array {
  const tokens = tokenLogprobs.reduce((sum, list) => sum + list.length, 0)
  const bytes = new Uint8Array(4 + answers.length * bytesOfTarget + tokens * 4)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, answers.length, true)
  let at = 4
  answers.forEach(({ logprob, isGreedy }, target) => {
    const list = tokenLogprobs[target] ?? new Float32Array()
    view.setUint32(at, list.length, true)
    view.setUint8(at + 4, isGreedy ? 1 : 0)
    view.setFloat64(at + 5, logprob, true)
    at += bytesOfTarget
    for (const value of list) {
      view.setFloat32(at, value, true)
      at += 4
    }
  })
  return bytes
}

function unpackAnswer(reader: { readonly view: DataView; at: number }): ItemAnswer {
  const { view } = reader
  const answers: { logprob: number; isGreedy: boolean }[] = []
  const tokenLogprobs: Float32Array[] = []
  const targets = view.getUint32(reader.at, true)
  reader.at += 4
  if (targets === textMark) return unpackText(reader)
  for (let target = 0; target < targets; target++) {
    const list = new Float32Array(view.getUint32(reader.at, true))
    answers.push({ isGreedy: view.getUint8(reader.at + 4) === 1, logprob: view.getFloat64(reader.at + 5, true) })
    reader.at += bytesOfTarget
    for (let token = 0; token < list.length; token++) {
      list[token] = view.getFloat32(reader.at, true)
      reader.at += 4
    }
    tokenLogprobs.push(list)
  }
  return { answers, tokenLogprobs }
}
