/** 16-bit floats: IEEE's half precision (float16) and the upper half of a float32 (bfloat16). */

let halfValues: Float32Array | null = null

/** The float32 of each of the 65,536 halves, by their bits: 256 KB, made when first asked for. Every half is a float32. */
export function halfTable(): Float32Array {
  halfValues ??= Float32Array.from({ length: 0x10000 }, (_, bits) => {
    const sign = bits & 0x8000 ? -1 : 1
    const exponent = (bits >> 10) & 31
    const fraction = bits & 1023
    if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN
    return sign * (exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25))
  })
  return halfValues
}

/** Little-endian float16 values, exactly, as float32. `out` holds one for every two bytes. A NaN stays one, with other bits. */
export function unpackHalves(bytes: Uint8Array, out: Float32Array): void {
  const table = halfTable()
  for (let at = 0, from = 0; at < out.length; at++, from += 2) out[at] = table[(bytes[from] ?? 0) | ((bytes[from + 1] ?? 0) << 8)] ?? 0
}

/** Little-endian bfloat16 values as float32, bit for bit, NaNs too. `out` holds one for every two bytes. */
export function unpackBfloats(bytes: Uint8Array, out: Float32Array): void {
  // Through its bits: an engine may change a NaN's when it moves it as a number.
  const bits = new Uint32Array(out.buffer, out.byteOffset, out.length)
  for (let at = 0, from = 0; at < bits.length; at++, from += 2) bits[at] = ((bytes[from] ?? 0) << 16) | ((bytes[from + 1] ?? 0) << 24)
}

/** Little-endian bfloat16 values of float32 ones that are bfloat16, bit for bit: their upper halves. */
export function packBfloats(values: Float32Array): Uint8Array<ArrayBuffer> {
  const bits = new Uint16Array(values.buffer, values.byteOffset, 2 * values.length)
  const out = new Uint16Array(values.length)
  for (let at = 0; at < out.length; at++) out[at] = bits[2 * at + 1] ?? 0
  return new Uint8Array(out.buffer)
}

/** Little-endian float32 values, bit for bit. `out` holds one for every four bytes. */
export function unpackFloats(bytes: Uint8Array, out: Float32Array): void {
  new Uint8Array(out.buffer, out.byteOffset, out.byteLength).set(bytes.subarray(0, out.byteLength))
}

/**
 * float32 values as the bits of the nearest float16, of two as near the even one: numpy's `astype(float16)`. Gives how many finite values became
 * infinite, being 65,520 or more: what it is that doesn't fit is for the caller to say. A NaN becomes 0x7e00 with its sign.
 */
export function packHalves(values: Float32Array, out: Uint16Array): number {
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length)
  let overflowed = 0
  for (let at = 0; at < bits.length; at++) {
    const word = bits[at] ?? 0
    const sign = (word >>> 16) & 0x8000
    const size = word & 0x7fffffff
    if (size >= 0x7f800000) out[at] = sign | (size === 0x7f800000 ? 0x7c00 : 0x7e00)
    else if (size >= 0x477ff000) {
      out[at] = sign | 0x7c00
      overflowed += 1
    } else if (size >= 0x38800000) {
      // Rounding up carries from the fraction into the exponent, which is right.
      out[at] = sign | ((size - 0x38000000 + 0xfff + ((size >>> 13) & 1)) >>> 13)
    } else {
      // Below 2^-14 halves are multiples of 2^-24; adding 2^52 leaves a double no room for fractions, so it rounds to even.
      const multiples = Math.abs(values[at] ?? 0) * 2 ** 24
      out[at] = sign | (multiples + 2 ** 52 - 2 ** 52)
    }
  }
  return overflowed
}
