import { expect, it } from 'vitest'
import { passTimesOf, passTimesToJson } from '../../../src/analysis/speed/pass-times.ts'

const times = { passes: 12, insideSeconds: 6, wallSeconds: 8, fixedSeconds: 1.5 }

it('keeps the share of time inside passes, and of that the share of dispatch', () => {
  expect(passTimesToJson(times)).toEqual({
    passes: 12,
    inside_seconds: 6,
    wall_seconds: 8,
    inside_share: 0.75,
    dispatch_seconds: 1.5,
    dispatch_share: 0.25,
  })
  expect(passTimesToJson({ ...times, wallSeconds: 5.9, fixedSeconds: null })).toMatchObject({ inside_share: 1, dispatch_share: null })
  expect(passTimesToJson({ ...times, insideSeconds: 0, wallSeconds: 0 })).toMatchObject({ inside_share: null, dispatch_share: null })
})

it('is read back, and nothing of what lacks a number', () => {
  for (const one of [times, { ...times, fixedSeconds: null }]) expect(passTimesOf(passTimesToJson(one))).toEqual(one)
  for (const bad of [
    undefined,
    3,
    {},
    { ...passTimesToJson(times), passes: 'many' },
    { ...passTimesToJson(times), dispatch_seconds: 'few' },
  ])
    expect(passTimesOf(bad)).toBeNull()
})
