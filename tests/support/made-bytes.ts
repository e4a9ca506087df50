/** Numbers that a test and the maker of its golden both make, so that a golden holds hashes instead of megabytes. tests/make-goldens/made_bytes.py is the same in Python. */

/** `count` random words of 32 bits: mulberry32 from `seed`, which is a function of each word's place. */
export function madeWords(seed: number, count: number): Uint32Array {
  const words = new Uint32Array(count)
  for (let at = 0, state = seed | 0; at < count; at++) {
    state = (state + 0x6d2b79f5) | 0
    let value = Math.imul(state ^ (state >>> 15), 1 | state)
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value
    words[at] = value ^ (value >>> 14)
  }
  return words
}

/** `count` random bytes: the words' own, little endian. */
export function madeBytes(seed: number, count: number): Uint8Array {
  return new Uint8Array(madeWords(seed, Math.ceil(count / 4)).buffer, 0, count)
}

/** `count` float32 values, about normal with a deviation of 1: of four words the sum of their upper 22 bits, which no step rounds. */
export function madeNormals(seed: number, count: number): Float32Array {
  const words = madeWords(seed, 4 * count)
  return Float32Array.from({ length: count }, (_, at) => {
    let sum = 0
    for (let part = 0; part < 4; part++) sum += (words[4 * at + part] ?? 0) >>> 10
    return ((sum - 2 ** 23) / 2 ** 21) * 0.875
  })
}
