import { expect, test } from 'vitest'
import { transposeInto } from '../../../src/weights/convert/transpose.ts'

test.each([
  [1, 1, 1],
  [70, 33, 70],
  [64, 32, 7],
  [5, 100, 2],
])('a [%d, %d] matrix, %d rows at a time', (rows, columns, atATime) => {
  const matrix = Float32Array.from({ length: rows * columns }, (_, at) => at)
  const out = new Float32Array(rows * columns)
  for (let from = 0; from < rows; from += atATime)
    transposeInto(matrix.subarray(from * columns, Math.min(rows, from + atATime) * columns), columns, out, {
      outColumns: rows,
      firstColumn: from,
    })
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++)
      if (out[column * rows + row] !== row * columns + column) expect.fail(`${row}, ${column}`)
})

test('moves bits, not numbers', () => {
  const out = new Uint16Array(4)
  transposeInto(Uint16Array.of(0x7e01, 0x8000, 0x7c00, 1), 2, out, { outColumns: 2, firstColumn: 0 })
  expect([...out]).toEqual([0x7e01, 0x7c00, 0x8000, 1])
})

test('rows of no columns are nothing', () => {
  transposeInto(new Float32Array(0), 0, new Float32Array(0), { outColumns: 0, firstColumn: 0 })
})
