/** Lists of rows inside the one row of a json file: most often the rows that a task means. */
import type { Feature, Table } from '../../contracts/rows.ts'

/**
 * A sentence that offers their paths (decision 0015), for a table of one row with at least one column that is a list of records; null for any other
 * table.
 */
export function nestedRowsNote(where: string, { columns, rows }: Table): string | null {
  const [row, another] = rows
  if (row === undefined || another !== undefined) return null
  const lists = columns.flatMap(({ name, type }, at) => {
    const cell = row[at]
    return isListOfRecords(type) && Array.isArray(cell) && cell.length > 0
      ? [`${name}[] (${cell.length} row${cell.length === 1 ? '' : 's'})`]
      : []
  })
  const [first] = lists
  if (first === undefined) return null
  return `${where} is one row that holds lists of rows: ${lists.join(', ')}. If these are the docs, name the list in the task file: dataset_kwargs: {field: '${first.replace(/\[\].*/, '[]')}'}.`
}

function isListOfRecords(type: Feature): boolean {
  return typeof type === 'object' && 'list' in type && typeof type.list === 'object' && 'struct' in type.list
}
