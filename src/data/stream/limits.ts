/** How much of what strangers wrote is taken, in bytes; each refusal names its limit. */

/** One line, one JSON value or one csv record. */
export const maxRecordBytes = 16 * 2 ** 20

/** A whole file, unpacked. */
export const maxUnpackedBytes = 4 * 2 ** 30

/** What unpacks to more than `freeBytes` must not be more than `maxRatio` times as large as it was packed. */
export const maxRatio = 200
export const freeBytes = 64 * 2 ** 20

export interface UnpackLimits {
  readonly maxBytes: number
  readonly maxRatio: number
  readonly freeBytes: number
}

export const unpackLimits: UnpackLimits = { maxBytes: maxUnpackedBytes, maxRatio, freeBytes }

/** A number of bytes in words: `64 MiB`, `1.5 GiB`. */
export function sizeInWords(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB']
  let value = bytes
  let unit = 0
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024
    unit += 1
  }
  return `${Number(value.toFixed(1))} ${units[unit] ?? 'bytes'}`
}

/** Why `unpacked` bytes out of `packed` are refused, or null. */
export function refusalOf(unpacked: number, packed: number, limits: UnpackLimits): string | null {
  if (unpacked > limits.maxBytes) return `it unpacks to more than ${sizeInWords(limits.maxBytes)}`
  if (unpacked > limits.freeBytes && unpacked > packed * limits.maxRatio)
    return `its first ${sizeInWords(packed)} unpack to more than ${sizeInWords(unpacked - 1)}, beyond the ${limits.maxRatio}:1 that is taken`
  return null
}
