import { expect, test } from 'vitest'
import { BenchUsageError, parseBenchFlags } from '../../../tools/bench/args.ts'

test('without flags every arm runs over 20 docs of every work on every model', () => {
  expect(parseBenchFlags([], {})).toMatchObject({
    kind: 'models',
    json: false,
    models: null,
    works: ['mmlu_5shot', 'hellaswag_0shot', 'hellaswag_10shot', 'gsm8k', 'wikitext', 'generate_200'],
    arms: ['naive', 'one_forward', 'reference', 'fast', 'own', 'harness'],
    armsAreChosen: false,
    targets: ['smollm2', 'embedded', 'embedded-webgpu'],
    docs: 20,
    threads: 2,
  })
})

test('the models are those of the flag, else of YARDSTICK_MODELS', () => {
  expect(parseBenchFlags([], { YARDSTICK_MODELS: '/a' })?.models).toBe('/a')
  expect(parseBenchFlags([], { YARDSTICK_MODELS: '' })?.models).toBe(null)
  expect(parseBenchFlags(['--models', '/b'], { YARDSTICK_MODELS: '/a' })?.models).toBe('/b')
})

test('--quick takes fewer docs and smaller files, unless they are given', () => {
  expect(parseBenchFlags(['--quick'], {})).toMatchObject({ docs: 2, bytes: 100e6 })
  expect(parseBenchFlags(['--quick', '--docs', '7', '--bytes', '5'], {})).toMatchObject({ docs: 7, bytes: 5 })
})

test('each other run has its flag, and two of them are refused', () => {
  for (const kind of ['growth', 'stream', 'tasks']) expect(parseBenchFlags([`--${kind}`], {})?.kind).toBe(kind)
  expect(() => parseBenchFlags(['--stream', '--growth'], {})).toThrow(BenchUsageError)
})

test('names and numbers that are none are refused with what they could be', () => {
  expect(() => parseBenchFlags(['--arm', 'fast,quick'], {})).toThrow(
    '--arm takes some of naive, one_forward, reference, fast, own, harness, found "quick"',
  )
  expect(() => parseBenchFlags(['--docs', '0'], {})).toThrow('--docs takes a whole number above 0, found "0"')
  expect(() => parseBenchFlags(['--speed'], {})).toThrow(BenchUsageError)
})

test('--help asks for nothing else', () => {
  expect(parseBenchFlags(['--help'], {})).toBe(null)
})

test('--gpu has its own works, arms and flags, and fewer docs with --quick', () => {
  expect(parseBenchFlags(['--gpu'], {})).toMatchObject({
    kind: 'gpu',
    works: ['mmlu_5shot', 'hellaswag_0shot', 'hellaswag_10shot', 'generate_200'],
    arms: ['naive', 'one_forward', 'fast', 'own', 'harness'],
    docs: 20,
    threads: 4,
    gpu: {
      shapes: ['135M', '360M', '0.5B', '1B'],
      dtypes: ['fp32', 'fp16', 'q4', 'q4f16'],
      minutes: null,
      peakTflops: null,
      folder: null,
      keepsModels: false,
      unsafe: false,
    },
  })
  expect(parseBenchFlags(['--gpu', '--quick'], {})?.docs).toBe(1)
  const given = ['--shape', '1B,135M', '--dtype', 'q4', '--minutes', '9', '--peak_tflops', '66.9', '--gpu_models', '/m', '--keep_models']
  expect(parseBenchFlags(['--gpu', ...given, '--unsafe_webgpu'], {})?.gpu).toEqual({
    shapes: ['1B', '135M'],
    dtypes: ['q4'],
    minutes: 9,
    peakTflops: 66.9,
    folder: '/m',
    keepsModels: true,
    unsafe: true,
  })
})

test('flags of --gpu are refused without it, and works, arms and numbers that it hasn’t got', () => {
  expect(() => parseBenchFlags(['--shape', '1B'], {})).toThrow('--shape belongs to --gpu')
  expect(() => parseBenchFlags(['--stream', '--keep_models'], {})).toThrow('--keep_models belongs to --gpu')
  expect(() => parseBenchFlags(['--gpu', '--tasks'], {})).toThrow(BenchUsageError)
  expect(() => parseBenchFlags(['--gpu', '--arm', 'reference'], {})).toThrow(
    '--arm takes some of naive, one_forward, fast, own, harness, found "reference"',
  )
  expect(() => parseBenchFlags(['--gpu', '--work', 'gsm8k'], {})).toThrow(BenchUsageError)
  expect(() => parseBenchFlags(['--gpu', '--dtype', 'q8'], {})).toThrow(BenchUsageError)
  for (const wrong of ['0', '-3', 'fast', 'Infinity'])
    expect(() => parseBenchFlags(['--gpu', `--peak_tflops=${wrong}`], {})).toThrow(BenchUsageError)
})
