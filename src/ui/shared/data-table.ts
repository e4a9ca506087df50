/** One column of `DataTable.svelte`: its heading and what each row says in it. */
export interface Column<Row> {
  readonly heading: string
  /** `name` heads the row; numbers stand at the right; `code` is monospaced. */
  readonly kind: 'name' | 'text' | 'code' | 'number'
  readonly text: (row: Row) => string
  /** A second, muted text, such as `± 0.01`; the first is then strong. */
  readonly spread?: (row: Row) => string
  readonly isMuted?: boolean
}

/** The columns that there are: those of conditions that don't hold are null. */
export function presentColumns<Row>(columns: readonly (Column<Row> | null)[]): readonly Column<Row>[] {
  return columns.filter((column) => column !== null)
}
