/** CRC-32 (IEEE 802.3, as zlib's), to notice stored records whose bytes changed. */

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value
})

/** Checksum of `bytes`; pass an earlier checksum as `seed` to go on from there. */
export function crc32(bytes: Uint8Array, seed = 0): number {
  let crc = ~seed
  for (const byte of bytes) crc = (crc >>> 8) ^ (table[(crc ^ byte) & 0xff] ?? 0)
  return ~crc >>> 0
}

/** Checksum of a text's UTF-8. */
export function crc32OfText(text: string): number {
  return crc32(new TextEncoder().encode(text))
}
