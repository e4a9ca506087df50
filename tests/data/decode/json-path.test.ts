import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Table } from '../../../src/contracts/rows.ts'
import { decodeFiles } from '../../../src/data/dataset/formats.ts'

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
const read = (value: unknown, field: string): Promise<Table> =>
  decodeFiles('json', [{ name: 'nested.json', bytes: utf8(JSON.stringify(value)) }], { field })
const asLines = (rows: readonly unknown[]): Promise<Table> =>
  decodeFiles('json', [{ name: 'rows.jsonl', bytes: utf8(rows.map((row) => JSON.stringify(row) + '\n').join('')) }], {})

const squad = {
  version: '1.1',
  data: [
    {
      title: 'Lagos',
      id: 7,
      paragraphs: [
        {
          context: 'c1',
          qas: [
            { id: 'a', question: 'q1', answers: [{ text: 't', answer_start: 1 }] },
            { id: 'b', question: 'q2', answers: [] },
          ],
        },
        { context: 'c2', qas: [] },
      ],
    },
    { title: 'Abuja', id: 8, paragraphs: [{ context: 'c3', qas: [{ id: 'c', question: 'q3', answers: [] }] }] },
  ],
}

describe('rows at a path', () => {
  it('are the items of one list, as a jsonl file of them would give', async () => {
    const questions = Array.from({ length: 713 }, (_, at) => ({ question: `q${at}`, choices: ['a', 'b'], answer: at % 2, weight: at / 2 }))
    const found = await read({ questions }, 'questions[]')
    expect(found).toEqual(await asLines(questions))
    expect(found.rows.length).toBe(713)
    expect(await read({ name: 'DFIR', questions }, 'questions[]')).toEqual(
      await asLines(questions.map((row) => ({ ...row, name: 'DFIR' }))),
    )
  })

  it('lie in lists within lists, with the plain values of what they lie in', async () => {
    const { columns, rows } = await read(squad, 'data[].paragraphs[].qas[]')
    expect(columns.map(({ name }) => name)).toEqual(['id', 'question', 'answers', 'context', 'title', 'data_id', 'version'])
    expect(rows.map((row) => [row[0], row[3], row[4], row[5], row[6]])).toEqual([
      ['a', 'c1', 'Lagos', 7, '1.1'],
      ['b', 'c1', 'Lagos', 7, '1.1'],
      ['c', 'c3', 'Abuja', 8, '1.1'],
    ])
  })

  it('may be plain values, in a list at the top, or behind a record', async () => {
    expect(await read({ a: { b: ['x', 'y'] } }, 'a.b[]')).toEqual({ columns: [{ name: 'b', type: 'string' }], rows: [['x'], ['y']] })
    expect(
      (
        await read(
          [
            { k: 1, q: [{ n: 1 }] },
            { k: 2, q: null },
            { k: 3, q: [{ n: 2 }] },
          ],
          '[].q[]',
        )
      ).rows,
    ).toEqual([
      [1, 1],
      [2, 3],
    ])
  })

  it('keep a name in one meaning, also where only some rows have it', async () => {
    const { columns, rows } = await read({ id: 'top', list: [{ id: 1 }, { other: 2 }] }, 'list[]')
    expect(columns.map(({ name }) => name)).toEqual(['id', 'file_id', 'other'])
    expect(rows).toEqual([
      [1, 'top', null],
      [null, 'top', 2],
    ])
  })

  it('leave a key alone that merely looks like a path', async () => {
    expect((await read({ 'a[]': [{ b: 1 }] }, 'a[]')).rows).toEqual([[1]])
  })

  it.each([
    [squad, 'data[].pages[].qas[]', "at 'data[0]' there is no key 'pages'; the keys there: title, id, paragraphs"],
    [squad, 'data[].title[]', "at 'data[0].title' a list was wanted, a text found"],
    [squad, 'data.paragraphs[]', "at 'data' a record with the key 'paragraphs' was wanted, a list of 2 found"],
    [[1], 'a[]', "at its top a record with the key 'a' was wanted, a list of 1 found"],
  ])('say where %# leads nowhere, and what is there', async (value, path, text) => {
    await expect(read(value, path)).rejects.toMatchObject({
      code: 'dataset/schema',
      message: expect.stringContaining(text) as string,
      details: { path },
    })
  })

  it.each(['a[].b', 'a[][]', '[]a[]', 'a[]..b[]', 'a[0][]', '.a[]'])('refuse %s, which is no path', async (path) => {
    await expect(read({ a: [] }, path)).rejects.toMatchObject({ code: 'task/invalid' })
  })

  it('leave prototypes alone', async () => {
    const text = '{"__proto__":{"polluted":1},"constructor":"x","list":[{"__proto__":1,"a":2}]}'
    const { columns } = await decodeFiles('json', [{ name: 'p.json', bytes: utf8(text) }], { field: 'list[]' })
    expect(columns.map(({ name }) => name)).toEqual(['__proto__', 'a', 'constructor'])
    expect('polluted' in {}).toBe(false)
  })

  it('are as many as the lists hold', async () => {
    const lists = fc.array(fc.array(fc.record({ q: fc.string(), n: fc.integer() }), { maxLength: 4 }), { maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(lists, async (groups) => {
        const value = { groups: groups.map((items, at) => ({ at, items })) }
        const { rows } = await read(value, 'groups[].items[]')
        expect(rows.length).toBe(groups.flat().length)
      }),
      { numRuns: 100 },
    )
  })
})
