/** A parquet file's footer, looked over before anything is made of what it promises. */
import { parquetSchema, type FileMetaData, type RowGroup, type SchemaTree } from 'hyparquet'
import { getSchemaPath, isFlatColumn } from 'hyparquet/src/schema.js'
import { EvalError } from '../../base/errors.ts'
import { sizeInWords } from './limits.ts'
import type { FilePart } from './parquet-pages.ts'
import { checkThrift } from './thrift.ts'

/** What the parquet reader asks for first. */
const tailBytes = 512 * 1024
/** A footer describes each column of each row group in some hundred bytes, and takes fifty times its size once it is read. */
const maxFooterBytes = 8 * 2 ** 20
/** The footer's length and the mark at the end. */
const endBytes = 8

/** The end of the file with its footer. Throws `dataset/malformed` for a footer that isn't sound, and nothing for a file too short to have one. */
export async function readFooter(
  file: { readonly name: string; readonly read: (start: number, end: number) => Promise<Uint8Array> },
  length: number,
): Promise<readonly FilePart[]> {
  if (length < 12) return []
  const tailStart = Math.max(0, length - tailBytes)
  const tail = await file.read(tailStart, length)
  const end = new DataView(tail.buffer, tail.byteOffset + tail.length - endBytes)
  const footerBytes = end.getUint32(0, true)
  if (footerBytes > length - endBytes) return [{ start: tailStart, bytes: tail }]
  if (footerBytes > maxFooterBytes)
    throw malformed(file.name, `a footer of ${sizeInWords(footerBytes)}; ${sizeInWords(maxFooterBytes)} are read`)
  const start = length - endBytes - footerBytes
  const part = start >= tailStart ? { start: tailStart, bytes: tail } : { start, bytes: await file.read(start, length) }
  try {
    checkThrift(part.bytes.subarray(start - part.start, part.bytes.length - endBytes), 0)
  } catch (error) {
    throw malformed(file.name, `its footer holds ${error instanceof Error ? error.message : String(error)}`)
  }
  return [part]
}

/** Throws `dataset/malformed` unless every row group holds each of the columns, with a value for each of its rows. */
export function checkGroups(metadata: FileMetaData, file: string): void {
  const leaves = leavesOf(parquetSchema(metadata))
  const total = metadata.row_groups.reduce((sum, group) => sum + checkGroup(group, metadata, { leaves, file }), 0)
  const promised = Number(metadata.num_rows)
  if (total !== promised) throw malformed(file, `the footer promises ${promised} rows, its row groups hold ${total}`)
}

/** Gives the group's rows. */
function checkGroup(
  { num_rows: rowCount, columns }: RowGroup,
  { schema }: FileMetaData,
  { leaves, file }: { readonly leaves: number; readonly file: string },
): number {
  const rows = Number(rowCount)
  if (!Number.isSafeInteger(rows) || rows < 0) throw malformed(file, `a row group of ${String(rowCount)} rows`)
  if (rows > 0 && leaves === 0) throw malformed(file, `the footer promises ${rows} rows without a column`)
  if (rows > 0 && columns.length !== leaves)
    throw malformed(file, `a row group of ${columns.length} columns, of the ${leaves} that the footer names`)
  for (const { meta_data: meta } of columns) {
    if (meta === undefined) throw malformed(file, 'the footer does not tell where a column is')
    const values = Number(meta.num_values)
    const isFlat = isFlatColumn(getSchemaPath(schema, meta.path_in_schema))
    // A row has one value in a flat column, and one at least, a null perhaps, in a nested one.
    if (isFlat ? values !== rows : values < rows)
      throw malformed(file, `the footer promises ${rows} rows in a group, its column '${meta.path_in_schema.join('.')}' holds ${values}`)
  }
  return rows
}

function leavesOf(root: SchemaTree): number {
  let count = 0
  const open = [...root.children]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.children.length === 0) count += 1
    for (const child of node.children) open.push(child)
  }
  return count
}

function malformed(file: string, what: string): EvalError {
  return new EvalError('dataset/malformed', `${file}: ${what}.`, { details: { file } })
}
