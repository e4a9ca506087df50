/** The files of a split as one table. */
import type { Json } from '../../core/errors.ts'
import type { Table } from '../../core/types.ts'
import type { DataFile } from '../data-file.ts'
import { decodeFiles, type Format } from '../formats.ts'

export interface SplitRequest {
  readonly format: Format
  /** The loader's options (`sep`, `field` …). */
  readonly options: { readonly [key: string]: Json }
  readonly files: readonly DataFile[]
}

/** Throws `dataset/malformed`, `dataset/schema`, `task/unsupported`, and what reading the files throws. */
export type DecodeSplit = (request: SplitRequest) => Promise<Table>

/** Decodes in this thread: for tests and scripts. The app decodes in the data worker. */
export const decodeHere: DecodeSplit = async ({ format, options, files }) => {
  const whole = await Promise.all(
    files.map(async (file) => {
      const pieces: Uint8Array[] = []
      for await (const piece of file.stream()) pieces.push(piece)
      return { name: file.name, bytes: joinPieces(pieces) }
    }),
  )
  return decodeFiles(format, whole, options)
}

function joinPieces(pieces: readonly Uint8Array[]): Uint8Array {
  const [only] = pieces
  if (only !== undefined && pieces.length === 1) return only
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}
