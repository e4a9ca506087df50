/** `npm run bench` on the embedded model: what it prints, and the counts behind its figures. Times are this machine's and not looked at. */
import { expect, test } from '@playwright/test'
import { isLong } from '../support/long.ts'
import { bench } from './bench-command.ts'

const keys = [
  'work',
  'arm',
  'model',
  'device',
  'dtype',
  'threads',
  'docs',
  'ms',
  'engine_ms',
  'cpu_ms',
  'runs',
  'tokens',
  'trie_tokens',
  'rows',
]
const furtherKeys = ['bytes_read_back', 'peak_bytes', 'opening_peak_bytes', 'max_abs_diff', 'docs_that_differ']

test('the arms of the bench score the same ids alike, and the fast one computes and reads back no more than it must', async () => {
  // Seconds on a free machine.
  test.setTimeout(300_000)
  const { code, stdout, stderr } = await bench(
    // A model that is missing is named, and the others are measured.
    ...['--models', 'no-such-folder', '--on', 'embedded,smollm2'],
    ...['--json', '--quick', '--work', isLong ? 'mmlu_5shot,gsm8k' : 'mmlu_5shot', '--arm', 'naive,reference,fast'],
  )
  expect({ code, stderr }).toMatchObject({ code: 1 })
  expect(stderr).toMatch(/can't be measured: .*no-such-folder\/HuggingFaceTB\/SmolLM2-135M-Instruct\/onnx\/model_q4.onnx is missing/)
  expect(stderr).not.toContain('Limit exceeded')
  const report: unknown = JSON.parse(stdout)
  expect(report).toMatchObject({ machine: expect.any(Object), arms: expect.any(Array) })
  // Looked at key by key below.
  const { arms } = report as { readonly arms: readonly { readonly [key: string]: unknown }[] }
  for (const arm of arms) expect(Object.keys(arm)).toEqual([...keys, ...furtherKeys])
  const counts = arms.map(({ work, arm, runs, tokens, trie_tokens: trie, docs_that_differ: differ }) => [
    work,
    arm,
    runs,
    tokens,
    trie,
    differ,
  ])
  expect(counts).toEqual([
    ['mmlu_5shot', 'naive', 8, 5520, 780, 0],
    ['mmlu_5shot', 'reference', 12, 1380, 780, 0],
    ['mmlu_5shot', 'fast', expect.any(Number), 780, 780, 0],
    ...(isLong
      ? [
          ['gsm8k', 'naive', 200, 1598, 998, 0],
          ['gsm8k', 'reference', 210, 1598, 998, 0],
          ['gsm8k', 'fast', expect.any(Number), 998, 998, 0],
        ]
      : []),
  ])
  const fast = arms.find(({ work, arm }) => work === 'mmlu_5shot' && arm === 'fast')
  expect(fast).toMatchObject({ model: 'yardstick/pico', device: 'wasm', dtype: 'q4', threads: 2, docs: 2 })
  expect(Number(fast?.['bytes_read_back'])).toBeLessThan(2 * 1024)
  expect(Number(fast?.['max_abs_diff'])).toBeLessThan(5e-3)
})

test('the bench names the model that is missing, and how to give it', async () => {
  const { code, stdout, stderr } = await bench('--json', '--on', 'smollm2', '--arm', 'fast')
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toContain("SmolLM2 can't be measured: name the folder that build_hub.py wrote with --models or YARDSTICK_MODELS.")
})
