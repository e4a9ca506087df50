/** From [out, in], as weights are stored, to [in, out], as a `MatMul` takes them. */

/** Rows and columns of a square that both sides' cache lines have room for: 32 × 32 float32 are 4 KB. */
const square = 32

/**
 * Writes rows of a matrix as columns of its transpose: `rows` is [count, columns], `out` is [columns, outColumns], and the first row becomes column `firstColumn`
 * of it. So a matrix is transposed a chunk of rows at a time, and is in memory once. Walks by squares: whole columns would miss the cache with each value.
 */
export function transposeInto<Values extends Float32Array | Uint16Array>(
  rows: Values,
  columns: number,
  out: Values,
  place: { readonly outColumns: number; readonly firstColumn: number },
): void {
  const count = columns === 0 ? 0 : rows.length / columns
  const { outColumns, firstColumn } = place
  for (let top = 0; top < count; top += square) {
    const bottom = Math.min(top + square, count)
    for (let left = 0; left < columns; left += square) {
      const right = Math.min(left + square, columns)
      for (let column = left; column < right; column++) {
        let to = column * outColumns + firstColumn + top
        for (let row = top; row < bottom; row++) out[to++] = rows[row * columns + column] ?? 0
      }
    }
  }
}
