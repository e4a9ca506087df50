import { afterEach, expect, test } from 'vitest'
import { language } from '../../../src/ui/i18n/language.svelte.ts'
import { formatNumber } from '../../../src/ui/i18n/number-format.ts'

afterEach(() => {
  language.current = 'en'
})

test('a number follows the language and the options of each call, whatever was asked before', () => {
  const inAll = () => [formatNumber(1234.56, 0), formatNumber(1234.56, 1), formatNumber(0.5, 0, { style: 'percent' })]
  expect(inAll()).toEqual(['1,235', '1,234.6', '50%'])
  language.current = 'fr'
  expect(inAll().map((text) => text.replaceAll(/\s/g, ' '))).toEqual(['1 235', '1 234,6', '50 %'])
  language.current = 'en'
  expect(inAll()).toEqual(['1,235', '1,234.6', '50%'])
})
