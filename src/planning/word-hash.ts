import { streamedSha256 } from '../data/digests.ts'

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
