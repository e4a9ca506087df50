import fc from 'fast-check'
import { expect, test } from 'vitest'
import { lessonSteps } from '../../../src/analysis/lab/lesson.ts'
import { lengthUnits, norms } from '../../../src/analysis/lab/norms.ts'
import { styles } from '../../../src/analysis/lab/styles.ts'
import { units } from '../../../src/analysis/lab/units.ts'
import { firstView, labHash, readLabView, type LabView } from '../../../src/app/lab/lab-view.ts'
import { parseRoute } from '../../../src/app/router.svelte.ts'

const anyView: fc.Arbitrary<LabView> = fc.record({
  set: fc.string({ maxLength: 8 }),
  doc: fc.nat(10_000),
  style: fc.constantFrom(...styles),
  norm: fc.constantFrom(...norms),
  unit: fc.constantFrom(...units),
  alpha: fc.nat(100).map((hundredths) => hundredths / 100),
  by: fc.constantFrom(...lengthUnits),
  step: fc.constantFrom(null, ...lessonSteps),
  isClass: fc.boolean(),
  isRevealed: fc.boolean(),
})

test('every view of the lab comes back from its address', () => {
  fc.assert(
    fc.property(anyView, (view) => {
      const route = parseRoute(labHash(view))
      expect(route.page).toBe('lab')
      expect(readLabView(route.query)).toEqual(view)
    }),
  )
})

test('the plain lab has a plain address, and an address that makes no sense gives the plain lab', () => {
  expect(labHash(firstView)).toBe('#/lab')
  expect(readLabView({ doc: '-3', alpha: 'NaN', norm: 'constructor', unit: '', style: 'x', by: '2', step: '9', class: 'yes' })).toEqual(
    firstView,
  )
  expect(readLabView({ doc: '1e99', alpha: '7' })).toEqual(firstView)
})
