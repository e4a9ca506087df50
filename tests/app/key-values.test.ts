import { describe, expect, test } from 'vitest'
import { formatKeyValues, parseKeyValues } from '../../src/app/key-values.ts'
import { isEvalError } from '../../src/core/errors.ts'

describe('parseKeyValues', () => {
  test('types values as the harness does', () => {
    expect(parseKeyValues('a=1,b=1.5,c=True,d=false,e=None,f=text,g=-2,h=1e-3')).toEqual({
      a: 1,
      b: 1.5,
      c: true,
      d: false,
      e: null,
      f: 'text',
      g: -2,
      h: 0.001,
    })
  })

  test('keeps what follows the first equals sign', () => {
    expect(parseKeyValues('pattern=a=b')).toEqual({ pattern: 'a=b' })
  })

  test('takes a JSON object for values with commas', () => {
    expect(parseKeyValues('{"until": ["a", "b"]}')).toEqual({ until: ['a', 'b'] })
  })

  test.each(['max_length', '=5', '{"a":'])('refuses %j', (text) => {
    expect(() => parseKeyValues(text)).toThrow(expect.objectContaining({ code: 'settings/invalid' }))
  })
})

test.each([{ a: 1 }, { a: '1' }, { a: 'x,y' }, { a: null, b: [1, 2] }, { a: 'None' }])('%j survives the way to text and back', (values) => {
  expect(parseKeyValues(formatKeyValues(values))).toEqual(values)
})

test('the refusal is one of ours', () => {
  try {
    parseKeyValues('x')
    expect.unreachable()
  } catch (error) {
    expect(isEvalError(error)).toBe(true)
  }
})
