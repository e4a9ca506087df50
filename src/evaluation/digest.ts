import { streamedSha256 } from '../data/hub/digests.ts'

/** SHA-256 of bytes or of a text's UTF-8, as 64 hex digits. */
export async function sha256Hex(content: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
  const digest = await crypto.subtle.digest('SHA-256', bytes)
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** SHA-256 over 32-bit words that come one after the other: a plan of many docs has tens of millions, too many for one list. */
export interface WordHash {
  add(words: ArrayLike<number>): void
  /** 64 hex digits; nothing can be added afterwards. */
  hex(): string
}

const bufferedWords = 2 ** 14

export async function wordHash(): Promise<WordHash> {
  const hash = await streamedSha256()
  const buffer = new Int32Array(bufferedWords)
  let used = 0
  const flush = (): void => {
    hash.update(new Uint8Array(buffer.buffer, 0, used * 4))
    used = 0
  }
  return {
    add: (words) => {
      for (let i = 0; i < words.length; i += 1) {
        if (used === bufferedWords) flush()
        buffer[used] = words[i] ?? 0
        used += 1
      }
    },
    hex: () => {
      flush()
      return hash.hex()
    },
  }
}
