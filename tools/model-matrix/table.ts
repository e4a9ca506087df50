/**
 * Prints the table of docs/models.md: scores each narrow graph of the matrix (tests/goldens/matrix) on WASM by the fast and by the reference path, and says how far a token's
 * log-probability is from Python's at most. `npx tsx tools/model-matrix/table.ts`, a minute or two; with shapes as arguments, these alone.
 */
import { differencesFrom, matrixDtypes, readMatrix, scoreCell, type MatrixCell } from '../../tests/engines/matrix.ts'

const { items, cells } = readMatrix()
const wanted = process.argv.slice(2)
const rows = new Map<string, Map<string, MatrixCell>>()
for (const cell of cells) {
  if (wanted.length > 0 && !wanted.includes(cell.shape)) continue
  const name = `\`${cell.shape}\` | ${cell.exporter}`
  rows.set(name, (rows.get(name) ?? new Map<string, MatrixCell>()).set(cell.dtype, cell))
}

console.log(`| shape | exporter | ${matrixDtypes.join(' | ')} |\n|---|---|${matrixDtypes.map(() => '---').join('|')}|`)
for (const [name, row] of [...rows].sort(([one], [other]) => (one < other ? -1 : 1))) {
  const texts: string[] = []
  for (const dtype of matrixDtypes) {
    const cell = row.get(dtype)
    texts.push(cell === undefined ? '–' : await differencesOf(cell))
  }
  console.log(`| ${name} | ${texts.join(' | ')} |`)
}

/** "fast / reference", or the reference path's alone where the graph has no fast one. */
async function differencesOf(cell: MatrixCell): Promise<string> {
  const reference = await scoreCell(cell, items, 'reference')
  const fast = await scoreCell(cell, items, 'fast')
  const [one, other] = [fast, reference].map(({ answers }) => differencesFrom(cell, answers).largest.toExponential(1))
  return fast.facts.scoring === 'fast' ? `${one} / ${other}` : `${other} (reference)`
}
