import { describe, expect, it } from 'vitest'
import { UsageError } from '../../src/cli/flags/flag-values.ts'
import { formatParityHelp, parseParityArgs } from './args.ts'

describe('parseParityArgs', () => {
  it('has the harness-like defaults: every golden, fp32, WASM, the reference path', () => {
    expect(parseParityArgs([])).toEqual({
      goldens: null,
      datasets: null,
      models: null,
      includePath: null,
      ids: null,
      model: null,
      dtype: 'fp32',
      device: 'wasm',
      scoring: 'fast',
      tasks: 'harness',
      help: false,
    })
  })

  it('takes a value after its flag or after =, and ids with commas', () => {
    const options = parseParityArgs(['--ids', 'a, b,', '--models=/m', '--include_path', 't', '--device', 'webgpu', '--scoring=reference'])
    expect(options).toMatchObject({ ids: ['a', 'b'], models: '/m', includePath: 't', device: 'webgpu', scoring: 'reference' })
    expect(parseParityArgs(['--include-path', 't']).includePath).toBe('t')
  })

  it.each([
    [['--golden', 'x'], /--golden is no flag of this command line; did you mean --goldens/],
    [['arc_easy'], /"arc_easy" belongs to no flag/],
    [['--ids'], /--ids needs a value/],
    [['--device', 'cuda'], /--device: wanted wasm or webgpu or auto, found "cuda"/],
    [['--scoring', 'quick'], /--scoring: wanted fast or reference/],
    [['--tasks', 'mine'], /--tasks: wanted harness or bundled, found "mine"/],
  ])('refuses %j', (argv, message) => {
    expect(() => parseParityArgs(argv)).toThrow(UsageError)
    expect(() => parseParityArgs(argv)).toThrow(message)
  })

  it('names every flag in its help', () => {
    const help = formatParityHelp()
    for (const name of ['goldens', 'datasets', 'models', 'include_path', 'ids', 'model', 'dtype', 'device', 'scoring', 'tasks'])
      expect(help).toContain(`--${name} `)
  })
})
