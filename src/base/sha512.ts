/** SHA-512 without waiting, for `random.Random(text)`, whose seed it is part of. */

const mask = (1n << 64n) - 1n

/** SHA-512 (FIPS 180-4) of bytes, as a 512-bit integer. */
export function sha512(bytes: Uint8Array): bigint {
  let state: readonly bigint[] = initialState
  const padded = pad(bytes)
  const view = new DataView(padded.buffer)
  for (let offset = 0; offset < padded.length; offset += 128) state = mixBlock(state, view, offset)
  return state.reduce((all, word) => (all << 64n) | word, 0n)
}

/** The first 64 fractional bits of the roots of the first primes: square roots start the state, cube roots are the round constants. */
const primes = firstPrimes(80)
const initialState = primes.slice(0, 8).map((prime) => integerRoot(BigInt(prime) << 128n, 2n) & mask)
const roundConstants = primes.map((prime) => integerRoot(BigInt(prime) << 192n, 3n) & mask)

function firstPrimes(count: number): readonly number[] {
  const found: number[] = []
  for (let candidate = 2; found.length < count; candidate++) if (found.every((prime) => candidate % prime !== 0)) found.push(candidate)
  return found
}

/** The largest integer whose `degree`-th power is not above `value`. */
function integerRoot(value: bigint, degree: bigint): bigint {
  let [low, high] = [0n, 1n << 70n]
  while (low < high) {
    const middle = (low + high + 1n) >> 1n
    if (middle ** degree <= value) low = middle
    else high = middle - 1n
  }
  return low
}

function pad(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const padded = new Uint8Array(Math.ceil((bytes.length + 17) / 128) * 128)
  padded.set(bytes)
  padded[bytes.length] = 0x80
  new DataView(padded.buffer).setBigUint64(padded.length - 8, BigInt(bytes.length) * 8n)
  return padded
}

function mixBlock(state: readonly bigint[], view: DataView, offset: number): readonly bigint[] {
  const words: bigint[] = []
  for (let i = 0; i < 80; i++) words.push(i < 16 ? view.getBigUint64(offset + 8 * i) : nextWord(words, i))
  let [a = 0n, b = 0n, c = 0n, d = 0n, e = 0n, f = 0n, g = 0n, h = 0n] = state
  for (let i = 0; i < 80; i++) {
    const choice = (e & f) ^ (~e & mask & g)
    const first = h + (rotate(e, 14n) ^ rotate(e, 18n) ^ rotate(e, 41n)) + choice + (roundConstants[i] ?? 0n) + (words[i] ?? 0n)
    const majority = (a & b) ^ (a & c) ^ (b & c)
    const second = (rotate(a, 28n) ^ rotate(a, 34n) ^ rotate(a, 39n)) + majority
    ;[h, g, f, e, d, c, b, a] = [g, f, e, (d + first) & mask, c, b, a, (first + second) & mask]
  }
  return [a, b, c, d, e, f, g, h].map((word, i) => (word + (state[i] ?? 0n)) & mask)
}

function nextWord(words: readonly bigint[], i: number): bigint {
  const [w15 = 0n, w2 = 0n] = [words[i - 15], words[i - 2]]
  const small = rotate(w15, 1n) ^ rotate(w15, 8n) ^ (w15 >> 7n)
  const large = rotate(w2, 19n) ^ rotate(w2, 61n) ^ (w2 >> 6n)
  return ((words[i - 16] ?? 0n) + small + (words[i - 7] ?? 0n) + large) & mask
}

function rotate(word: bigint, bits: bigint): bigint {
  return ((word >> bits) | (word << (64n - bits))) & mask
}
