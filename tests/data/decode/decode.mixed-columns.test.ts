import { describe, expect, it } from 'vitest'
import { decodeFiles } from '../../../src/data/dataset/formats.ts'
import { typedRow } from '../typed.ts'

async function read(lines: readonly string[]): Promise<unknown[]> {
  const bytes = new TextEncoder().encode(lines.map((line) => `{"a":${line}}\n`).join(''))
  const table = await decodeFiles('json', [{ name: 'rows.jsonl', bytes }], {})
  return table.rows.map((_, row) => (typedRow(table, row) as { readonly dict: readonly (readonly [string, unknown])[] }).dict[0]?.[1]) // A row is a dict.
}

// What pandas 3.1.1 (its ujson) and datasets 5.0.1 give.
describe('a text in a column of mixed shapes', () => {
  it.each([
    ['"007"', { int: '7' }],
    ['"-007"', { int: '-7' }],
    ['"00"', { int: '0' }],
    ['"01.5"', { float: '0x1.8000000000000p+0' }],
    ['"1."', { float: '0x1.0000000000000p+0' }],
    ['"1e"', { float: '0x1.0000000000000p+0' }],
    ['"-"', { int: '0' }],
    ['" 1 "', { int: '1' }],
    ['12345678901234567890', { int: '12345678901234567890' }],
    ['"1 2"', '1 2'],
    ['".5"', '.5'],
    ['"+1"', '+1'],
    ['"--1"', '--1'],
    ['"0x10"', '0x10'],
    ['"1.5.5"', '1.5.5'],
    ['""', ''],
    ['" "', ' '],
    ['"e5"', 'e5'],
    ['"nul"', 'nul'],
  ])('%s is %j', async (text, value) => {
    expect((await read([text, '[1]']))[0]).toEqual(value)
  })
})

describe('-0', () => {
  it('is 0 among integers and -0.0 among floats', async () => {
    expect(await read(['-0', '1'])).toEqual([{ int: '0' }, { int: '1' }])
    expect(await read(['-0', '1.5'])).toEqual([{ float: '-0x0.0p+0' }, { float: '0x1.8000000000000p+0' }])
    expect(await read(['-0', '1.5', '[1]'])).toEqual([{ int: '0' }, { float: '0x1.8000000000000p+0' }, [{ int: '1' }]])
    expect(await read(['[-0]', '[1.5]'])).toEqual([[{ float: '-0x0.0p+0' }], [{ float: '0x1.8000000000000p+0' }]])
  })
})
