/** SHA-256 without waiting, which the Web's own `crypto.subtle` can't. */

/** SHA-256 (FIPS 180-4) of the text's UTF-8 bytes, as 64 hex digits. */
export function sha256(text: string): string {
  return sha256Bytes(new TextEncoder().encode(text))
}

/** SHA-256 of bytes, as 64 hex digits. */
export function sha256Bytes(bytes: Uint8Array): string {
  const state = Uint32Array.from(initialState)
  const words = new Uint32Array(64)
  const padded = pad(bytes)
  for (let offset = 0; offset < padded.length; offset += 64) mixBlock(state, words, padded, offset)
  return Array.from(state, (word) => word.toString(16).padStart(8, '0')).join('')
}

/** The first 32 fractional bits of the roots of the first primes: square roots start the state, cube roots are the round constants. */
const primes = firstPrimes(64)
const initialState = primes.slice(0, 8).map((prime) => fractionBits(Math.sqrt(prime)))
const roundConstants = Uint32Array.from(primes, (prime) => fractionBits(Math.cbrt(prime)))

function firstPrimes(count: number): readonly number[] {
  const found: number[] = []
  for (let candidate = 2; found.length < count; candidate++) if (found.every((prime) => candidate % prime !== 0)) found.push(candidate)
  return found
}

function fractionBits(root: number): number {
  return Math.floor((root - Math.floor(root)) * 2 ** 32) >>> 0
}

function pad(bytes: Uint8Array): Uint8Array {
  const length = Math.ceil((bytes.length + 9) / 64) * 64
  const padded = new Uint8Array(length)
  padded.set(bytes)
  padded[bytes.length] = 0x80
  const view = new DataView(padded.buffer)
  view.setUint32(length - 8, Math.floor((bytes.length * 8) / 2 ** 32))
  view.setUint32(length - 4, (bytes.length * 8) >>> 0)
  return padded
}

function mixBlock(state: Uint32Array, words: Uint32Array, bytes: Uint8Array, offset: number): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset + offset, 64)
  for (let i = 0; i < 16; i++) words[i] = view.getUint32(4 * i)
  for (let i = 16; i < 64; i++) {
    const [w15 = 0, w2 = 0] = [words[i - 15], words[i - 2]]
    const small = rotate(w15, 7) ^ rotate(w15, 18) ^ (w15 >>> 3)
    const large = rotate(w2, 17) ^ rotate(w2, 19) ^ (w2 >>> 10)
    words[i] = (words[i - 16] ?? 0) + small + (words[i - 7] ?? 0) + large
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
  for (let i = 0; i < 64; i++) {
    const choice = (e & f) ^ (~e & g)
    const first = (h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + choice + (roundConstants[i] ?? 0) + (words[i] ?? 0)) | 0
    const majority = (a & b) ^ (a & c) ^ (b & c)
    const second = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + majority) | 0
    h = g
    g = f
    f = e
    e = (d + first) | 0
    d = c
    c = b
    b = a
    a = (first + second) | 0
  }
  const mixed = [a, b, c, d, e, f, g, h]
  mixed.forEach((word, i) => (state[i] = (state[i] ?? 0) + word))
}

function rotate(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits))
}
