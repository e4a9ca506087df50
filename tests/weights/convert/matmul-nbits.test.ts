import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { halfTable, packHalves } from '../../../src/weights/convert/half.ts'
import { quantizeRows, type NBitsRows, type Quantization } from '../../../src/weights/convert/matmul-nbits.ts'
import { madeNormals } from '../../support/made-bytes.ts'

type Row = readonly [
  bits: 4 | 8,
  isSymmetric: boolean,
  scaleType: 'float32' | 'float16',
  kind: string,
  columns: number,
  rows: number,
  seed: number,
  packed: string,
  scales: string,
  zeroPoints: string | null,
  whole: readonly [packed: readonly number[], zeroPoints: readonly number[]] | null,
]
interface Golden {
  readonly quantized: readonly Row[]
}
const golden = JSON.parse(readFileSync(join(import.meta.dirname, '../../goldens/weights/numbers.json'), 'utf8')) as Golden

function sha(values: Float32Array | Uint8Array): string {
  return createHash('sha256')
    .update(new Uint8Array(values.buffer, values.byteOffset, values.byteLength))
    .digest('hex')
    .slice(0, 16)
}

const toEven = (value: number) => value + 1.5 * 2 ** 52 - 1.5 * 2 ** 52

/** The matrices of make_weight_number_goldens.py. */
function matrix(kind: string, columns: number, rows: number, seed: number): Float32Array {
  const made = madeNormals(seed, rows * columns)
  switch (kind) {
    case 'positive':
      return made.map(Math.abs)
    case 'negative':
      return made.map((value) => -Math.abs(value))
    case 'constant':
      return made.fill(0.37)
    case 'zero':
      return made.fill(0)
    case 'minus zero':
      return made.fill(-0)
    case 'tiny':
      return made.map((value) => value * 2 ** -126)
    case 'subnormal':
      return made.map((value) => value * 2 ** -146)
    case 'huge':
      return made.map((value) => Math.min(3.4e38, Math.max(-3.4e38, value * 2 ** 127)))
    case 'outlier':
      made[Math.floor(columns / 2)] = 10000
      return made
    case 'integers':
      return made.map((value) => toEven(value * 8))
    case 'halves':
      return made.map((value, at) => ((at % columns) % 32 === 0 ? -8 : toEven(value * 4) / 2))
    default:
      return made
  }
}

function asHalves(values: Float32Array): Float32Array {
  const halves = new Uint16Array(values.length)
  packHalves(
    values.map((value) => Math.min(65504, Math.max(-65504, value))),
    halves,
  )
  return values.map((_, at) => halfTable()[halves[at] ?? 0] ?? 0)
}

describe("onnxruntime's own quantiser gives the same bits", () => {
  const kinds = [...new Set(golden.quantized.map(([, , , kind]) => kind))]
  test.each(kinds)('%s', (kind) => {
    for (const row of golden.quantized.filter(([, , , other]) => other === kind)) {
      const [bits, isSymmetric, scaleType, , columns, rows, seed, packed, scales, zeroPoints, whole] = row
      const made = matrix(kind, columns, rows, seed)
      const values = scaleType === 'float16' ? asHalves(made) : made
      const found = quantizeRows(values, columns, { bits, isSymmetric, scaleType }, 'w')
      if (whole !== null) {
        expect([...found.packed]).toEqual(whole[0])
        if (!isSymmetric) expect([...(found.zeroPoints ?? [])]).toEqual(whole[1])
      }
      const what = `${bits} bits, ${isSymmetric ? 'symmetric' : 'zero points'}, ${scaleType}, ${columns} × ${rows}`
      expect([what, sha(found.packed), sha(found.scales), found.zeroPoints === null ? null : sha(found.zeroPoints)]).toEqual([
        what,
        packed,
        scales,
        zeroPoints,
      ])
    }
  })
})

const everyWay: readonly Quantization[] = ([4, 8] as const).flatMap((bits) =>
  [true, false].map((isSymmetric) => ({ bits, isSymmetric, scaleType: 'float32' as const })),
)

test('rows come out alike in one chunk and in many', () => {
  const [rows, columns] = [7, 100]
  const values = madeNormals(5, rows * columns)
  for (const how of everyWay) {
    const whole = quantizeRows(values, columns, how, 'w')
    const parts: NBitsRows[] = []
    for (let row = 0; row < rows; row++) parts.push(quantizeRows(values.subarray(row * columns, (row + 1) * columns), columns, how, 'w'))
    expect(parts.flatMap(({ packed }) => [...packed])).toEqual([...whole.packed])
    expect(parts.flatMap(({ scales }) => [...scales])).toEqual([...whole.scales])
    expect(parts.flatMap(({ zeroPoints }) => [...(zeroPoints ?? [])])).toEqual([...(whole.zeroPoints ?? [])])
  }
})

test.each([NaN, Infinity, -Infinity])('refuses %d and says where it stands', (value) => {
  const values = madeNormals(6, 200)
  values[137] = value
  for (const how of everyWay)
    expect(() => quantizeRows(values, 50, how, 'lm_head.weight')).toThrow(
      expect.objectContaining({
        code: 'model/corrupt',
        message: `wanted finite numbers in lm_head.weight, found ${value} in row 2 of the chunk, column 37`,
      }),
    )
})

test('a matrix without columns has no blocks', () => {
  for (const how of everyWay) expect(quantizeRows(new Float32Array(0), 0, how, 'w').packed).toHaveLength(0)
})
