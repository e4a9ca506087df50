/** The files of a split as one table. */
import type { Table } from '../../contracts/rows.ts'
import type { DataFile } from '../dataset/data-file.ts'
import { collectRows } from './row-batch.ts'
import { streamRows, type SplitRequest } from './stream-rows.ts'

/** Throws what `streamRows` throws. */
export type DecodeSplit = (request: SplitRequest & { readonly files: readonly DataFile[] }) => Promise<Table>

/** Decodes in this thread: for tests and scripts. The app decodes in the data worker. */
export const decodeHere = (request: SplitRequest): Promise<Table> => collectRows(streamRows(request))
