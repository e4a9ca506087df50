import { basename, dirname, relative, resolve, win32 } from 'node:path'
import { expect, test } from 'vitest'
import { formatDateId, resultPaths, sanitizeModelName } from '../../../src/harness/results/file-names.ts'
import { numpyText } from '../../../src/python/numpy-repr.ts'

test('a date is local time with microseconds, and colons become dashes', () => {
  expect(formatDateId(new Date(2026, 10, 21, 9, 12, 35), 572732)).toBe('2026-11-21T09-12-35.572732')
  expect(formatDateId(new Date(2026, 0, 2, 3, 4, 5, 60))).toBe('2026-01-02T03-04-05.060000')
  expect(formatDateId(new Date(2026, 0, 2, 3, 4, 5))).toBe('2026-01-02T03-04-05')
})

test('runs of characters that file names refuse become two underscores', () => {
  expect(sanitizeModelName('org/na:me\\x?*[1]"q"')).toBe('org__na__me__x__1__q__')
  expect(sanitizeModelName('/data/x')).toBe('__data__x')
})

test('no name leads out of its folder, or is one that no file can have', () => {
  const names = [
    '',
    '.',
    '..',
    '...',
    '. .',
    ' ',
    'CON',
    'nul.txt',
    'com1',
    'LPT9.x',
    'a\0b\u001b',
    '字'.repeat(200),
    `${'x'.repeat(400)}a`,
    '../..',
    '\\..\\..',
  ]
  const made = names.map(sanitizeModelName)
  for (const [at, name] of made.entries()) {
    expect(basename(resolve('/out', name)), names[at]).toBe(name)
    expect(dirname(resolve('/out', name)), names[at]).toBe('/out')
    expect(win32.dirname(win32.resolve('C:\\out', name)), names[at]).toBe('C:\\out')
    expect(name).not.toMatch(/^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i)
    expect(new TextEncoder().encode(name).length).toBeLessThanOrEqual(180)
  }
  expect(made.slice(0, 6)).toEqual(['__', '__.', '__..', '__...', '__. .', '__ '])
  // Cut names still differ where the whole ones do.
  expect(sanitizeModelName(`${'x'.repeat(400)}b`)).not.toBe(made[12])
  for (const ordinary of ['org__name', '.hidden', 'a..b', 'console', 'v1.', 'com10', 'x'.repeat(180)])
    expect(sanitizeModelName(ordinary)).toBe(ordinary)
})

test('files of results and samples stay below the output folder, whatever model and task are called', () => {
  const paths = resultPaths('/out', '..', 'D')
  for (const path of [paths.results, paths.samples('../../x'), paths.samples('..'), paths.samples('/etc/passwd')])
    expect(relative('/out', resolve(path)).startsWith('..'), path).toBe(false)
  expect(resultPaths('/out', 'm', 'D').samples('a/../../../x')).toBe('/out/m/samples_a__..__..__..__x_D.jsonl')
})

test('results go below the model, or beside a named file', () => {
  const below = resultPaths('out/', 'a/b', 'D')
  expect([below.results, below.samples('t')]).toEqual(['out/a__b/results_D.json', 'out/a__b/samples_t_D.jsonl'])
  const beside = resultPaths('out/run.json', 'a/b', 'D')
  expect([beside.results, beside.samples('t')]).toEqual(['out/run_D.json', 'out/samples_t_D.jsonl'])
})

test.each([
  [[0.5, 0.25], '[0.5  0.25]'],
  [[0.3539212543, 0.28976667, 0.00238466, 0.35392741], '[0.35392125 0.28976667 0.00238466 0.35392741]'],
  [[0.99988, 0.00012], '[9.9988e-01 1.2000e-04]'],
  [[1, 0], '[1. 0.]'],
  [
    [0.1, 0.1, 0.1, 0.1, 0.1, 0.123456789, 0.1, 0.1],
    '[0.1        0.1        0.1        0.1        0.1        0.12345679\n 0.1        0.1       ]',
  ],
])('numpy prints %j', (values, text) => {
  expect(numpyText(values)).toBe(text)
})
