import { expect, test } from 'vitest'
import { readRevisions } from '../../../../src/analysis/compare/series/revision-list.ts'

const invalid: unknown = expect.objectContaining({ code: 'settings/invalid' })

test('revisions are read with commas or blanks, and counted in braces both ways and as wide as they are typed', () => {
  expect(readRevisions(' main,  step-5\nstep-7 ')).toEqual(['main', 'step-5', 'step-7'])
  expect(readRevisions('step-{250..1000..250}')).toEqual(['step-250', 'step-500', 'step-750', 'step-1000'])
  expect(readRevisions('a{3..1}b')).toEqual(['a3b', 'a2b', 'a1b'])
  expect(readRevisions('step-{008..010}')).toEqual(['step-008', 'step-009', 'step-010'])
  expect(readRevisions('')).toEqual([])
})

test('a revision that comes twice, other braces and endless counts are refused', () => {
  for (const text of ['a a', 'x-{1..3} x-2', '{a..b}', 'x{1..3', 'x}1..3{', '{1..3}{1..2}', '{1..5..0}', '{1..9999999}'])
    expect(() => readRevisions(text), text).toThrow(invalid)
})
