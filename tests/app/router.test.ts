import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatHash, parseRoute, runHash } from '../../src/app/router.svelte.ts'

describe('parseRoute', () => {
  test.each(['', '#', '#/', '#/?'])('takes %j for the set-up page', (hash) => {
    expect(parseRoute(hash)).toEqual({ page: 'setup', query: {} })
  })

  test('reads the form from the query of the set-up page', () => {
    expect(parseRoute('#/?model=org/name&tasks=a,b&limit=5')).toEqual({
      page: 'setup',
      query: { model: 'org/name', tasks: 'a,b', limit: '5' },
    })
  })

  test('reads a run id and what its sample list shows', () => {
    expect(parseRoute('#/run/r-1?show=wrong&page=2')).toEqual({ page: 'run', runId: 'r-1', query: { show: 'wrong', page: '2' } })
  })

  test('takes a shared result whole, whatever it holds', () => {
    expect(parseRoute('#/r/abc?x')).toEqual({ page: 'shared', payload: 'abc?x', query: {} })
    expect(parseRoute('#/task?task=piqa')).toEqual({ page: 'task', query: { task: 'piqa' } })
  })

  test.each(['#/tasks', '#/run/', '#/run/a/b', '#/run/%E0%A4%A', '#nonsense'])('says not-found for %s', (hash) => {
    expect(parseRoute(hash).page).toBe('not-found')
  })

  test('gives back every run id and query that a link was made of', () => {
    const name = fc.stringMatching(/^[a-z_]{1,8}$/)
    const text = fc.string({ minLength: 1, unit: 'grapheme' })
    fc.assert(
      fc.property(text, fc.dictionary(name, text), (runId, query) => {
        expect(parseRoute(runHash(runId, query))).toEqual({ page: 'run', runId, query: { ...query } })
      }),
    )
  })
})

test('a link leaves empty values out and keeps commas and slashes readable', () => {
  expect(formatHash('/', { model: 'org/name', dtype: '', tasks: 'a,b' })).toBe('#/?model=org/name&tasks=a,b')
})

test('a text with half a surrogate pair becomes a link, not an error', () => {
  expect(parseRoute(formatHash('/', { 'k\ud800': 'v\udc00' }))).toEqual({ page: 'setup', query: { 'k\ufffd': 'v\ufffd' } })
  expect(runHash('\ud800')).toBe('#/run/%EF%BF%BD')
})
