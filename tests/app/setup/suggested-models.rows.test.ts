/** Every model of `public/models.json` has a row in the matrix of real models' graphs (tests/goldens/matrix), by its real shape and with the dtype that the list recommends. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { readSuggestedModels, type SuggestedModel } from '../../../src/app/setup/suggested-models.ts'
import { matrixDtypes, readMatrix, type MatrixCell } from '../../engines/matrix.ts'
import { suggestedModel } from '../builders.ts'

const models = readSuggestedModels(JSON.parse(readFileSync('public/models.json', 'utf8')))
const { cells } = readMatrix()
/** The published model whose config.json each shape is, as shapes.py says it. */
const published = new Map(
  Array.from(
    readFileSync('tools/model-matrix/shapes.py', 'utf8').matchAll(/^ {4}"([^"]+)": Shape\("([^"]+)"/gm),
    ([, shape = '', model = '']) => [shape, model],
  ),
)

/** Why a listed model isn't covered by the matrix; null when it is. */
function missingRow(model: SuggestedModel, rows: readonly Pick<MatrixCell, 'shape' | 'dtype'>[]): string | null {
  const row = rows.filter(({ shape }) => shape === model.shape)
  if (row.length === 0) return `${model.id} has no row: the matrix holds no graph of the shape "${model.shape}"`
  const source = published.get(model.shape)
  if (source === undefined || !nameOf(model.id).startsWith(nameOf(source)))
    return `${model.id} is tied to the shape "${model.shape}", which is ${source ?? 'no shape of shapes.py'}`
  // Without a recommendation the page may choose any.
  const lacking = (model.dtype === null ? matrixDtypes : [model.dtype]).filter((dtype) => row.every((cell) => cell.dtype !== dtype))
  return lacking.length === 0 ? null : `${model.id} is recommended in ${lacking.join(', ')}, which the row of "${model.shape}" lacks`
}

/** A repository's name without its owner: conversions add to it at the end. */
function nameOf(id: string): string {
  return id.slice(id.indexOf('/') + 1)
}

describe('public/models.json and the matrix', () => {
  test.each(models.map((model) => [model.id, model] as const))('%s has its row', (_, model) => {
    expect(missingRow(model, cells)).toBeNull()
  })

  const listed = suggestedModel({ id: 'onnx-community/Qwen3-0.6B-ONNX', shape: 'qwen3-0.6b', dtype: 'q4' })

  test('an entry of an unknown shape is refused', () => {
    expect(missingRow({ ...listed, shape: 'qwen4-1b' }, cells)).toMatch(/no graph of the shape "qwen4-1b"/)
  })

  test('an entry tied to another model’s row is refused', () => {
    expect(missingRow({ ...listed, shape: 'qwen3-1.7b' }, cells)).toMatch(/which is Qwen\/Qwen3-1\.7B/)
  })

  test('an entry whose recommended dtype the row lacks is refused', () => {
    expect(missingRow({ ...listed, dtype: 'q2' }, cells)).toMatch(/recommended in q2/)
    const without = cells.filter(({ shape, dtype }) => shape !== 'qwen3-0.6b' || dtype !== 'q4')
    expect(missingRow(listed, cells)).toBeNull()
    expect(missingRow(listed, without)).toMatch(/recommended in q4/)
  })

  test('an entry without a recommendation needs every dtype', () => {
    const without = cells.filter(({ shape, dtype }) => shape !== 'qwen3-0.6b' || dtype !== 'fp16')
    expect(missingRow({ ...listed, dtype: null }, cells)).toBeNull()
    expect(missingRow({ ...listed, dtype: null }, without)).toMatch(/recommended in fp16/)
  })
})
