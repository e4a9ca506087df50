/** How much untrusted data is taken, in bytes; each refusal names its limit. */
import { EvalError } from '../../base/errors.ts'

/** One line, one JSON value or one csv record. */
export const maxRecordBytes = 16 * 2 ** 20

/** A whole file, unpacked. */
const maxUnpackedBytes = 4 * 2 ** 30

/** What unpacks to more than `freeBytes` must not be more than `maxRatio` times as large as it was packed. */
export interface RatioLimit {
  readonly freeBytes: number
  readonly maxRatio: number
}

export interface UnpackLimits {
  readonly maxBytes: number
  readonly ratios: readonly RatioLimit[]
}

/** gzip can't do better than 1032:1, and comes near it for nothing but repetitions: those are seen through early. */
export const unpackLimits: UnpackLimits = {
  maxBytes: maxUnpackedBytes,
  ratios: [
    { freeBytes: 8 * 2 ** 20, maxRatio: 800 },
    { freeBytes: 64 * 2 ** 20, maxRatio: 200 },
  ],
}

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
export function refusalOf(unpacked: number, packed: number, { maxBytes, ratios }: UnpackLimits): string | null {
  if (unpacked > maxBytes) return `it unpacks to more than ${sizeInWords(maxBytes)}`
  const broken = ratios.find(({ freeBytes, maxRatio }) => unpacked > freeBytes && unpacked > packed * maxRatio)
  if (broken === undefined) return null
  return `its first ${sizeInWords(packed)} unpack to more than ${sizeInWords(broken.freeBytes)}, beyond the ${broken.maxRatio}:1 that is taken`
}

/** A cell that nothing in the file stands for: rows of different shapes have every column of all of them. */
const bytesPerCell = 8

/** Counts the cells that a file's bytes become, before they are made. */
export class CellCount {
  readonly #file: string
  readonly #limits: UnpackLimits
  #cells = 0
  #bytes = 0

  constructor(file: string, limits: UnpackLimits = unpackLimits) {
    this.#file = file
    this.#limits = limits
  }

  /** So many cells more, out of so many bytes of the file. Throws `dataset/malformed`. */
  add(cells: number, bytes = 0): void {
    this.#cells += cells
    this.#bytes += bytes
    const refusal = refusalOf(this.#cells * bytesPerCell, this.#bytes, this.#limits)
    if (refusal === null) return
    const message = `${this.#file} is refused: its rows have too many different columns; ${refusal}.`
    throw new EvalError('dataset/malformed', message, { details: { file: this.#file } })
  }
}
