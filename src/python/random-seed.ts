import { sha512 } from '../base/sha512.ts'

/** The number that `random.Random(text)` seeds itself with: the text's UTF-8 bytes with their SHA-512 behind. CPython 3.11, Lib/random.py. */
export function seedOfText(text: string): bigint {
  const bytes = new TextEncoder().encode(text)
  return (bytes.reduce((all, byte) => (all << 8n) | BigInt(byte), 0n) << 512n) | sha512(bytes)
}
