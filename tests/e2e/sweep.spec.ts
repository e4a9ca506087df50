import { expect, test } from '@playwright/test'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommandLine } from './command-line.ts'

const folder = mkdtempSync(join(tmpdir(), 'yardstick-sweep-'))
test.afterAll(() => rmSync(folder, { recursive: true, force: true }))

const evaluate = (args: readonly string[]) => runCommandLine(args, { folder })

test('E: checkpoint sweep SmolLM2 revisions', async () => {
  test.setTimeout(240_000)
  const flags = ['--tasks', 'yardstick_facts', '--limit', '2', '--dtype', 'q8', '--output_path', folder]
  const { code, stdout } = await evaluate(['--revision', 'step-001088,step-000084', ...flags, '--json'])
  expect(code).toBe(0)
  const sweep: unknown = JSON.parse(stdout)
  const at = (step: number, revision: string) => expect.objectContaining({ step, revision, file: revision })
  expect(sweep).toMatchObject({
    revisions: ['step-001088', 'step-000084'],
    tasks: [
      {
        task: 'yardstick_facts',
        series: expect.arrayContaining([
          expect.objectContaining({ metric: 'acc', points: [at(84, 'step-000084'), at(1088, 'step-001088')] }),
          expect.objectContaining({ metric: 'acc_norm', points: [at(84, 'step-000084'), at(1088, 'step-001088')] }),
        ]),
      },
    ],
  })
  const place = join(folder, 'yardstick__pico')
  const curves = readdirSync(place).find((name) => name.startsWith('checkpoints_')) ?? ''
  expect(readdirSync(join(place, curves)).sort()).toEqual(['scores.csv', 'yardstick_facts.svg'])
  // Every checkpoint was run for itself: its own commit stands in its own file.
  const shas = readdirSync(place)
    .filter((name) => name.startsWith('results_'))
    .map((name) => /"model_sha": "(\w+)"/.exec(readFileSync(join(place, name), 'utf8'))?.[1])
  expect(new Set(shas).size).toBe(2)
})

test('C: prompts of one task as a fan: styles with and without the chat template over the same docs', async () => {
  test.setTimeout(240_000)
  const output = join(folder, 'fan')
  const flags = ['--tasks', 'yardstick_swahili', '--limit', '3', '--dtype', 'q4', '--wordings', 'yardstick_facts', '--output_path', output]
  const { code, stdout } = await evaluate(['fan', ...flags, '--json'])
  expect(code).toBe(0)
  const fan = JSON.parse(stdout) as { prompt_fans: { metric: string; arms: { task: string; run: number }[]; pairs: unknown[] }[] }
  expect(fan).toMatchObject({
    runs: ['plain', 'chat'],
    variants: [
      { task: 'yardstick_swahili', style: 'continuation' },
      { task: 'yardstick_swahili_letters', style: 'letters' },
      { task: 'yardstick_swahili_hybrid', style: 'hybrid' },
      { wording: 'yardstick_facts', of: 'yardstick_swahili' },
    ],
  })
  expect(fan.prompt_fans.map(({ metric }) => metric)).toEqual(['acc', 'acc_norm', 'acc_bytes'])
  for (const one of fan.prompt_fans) {
    expect(one).toMatchObject({ docs: 3, spread: expect.any(Number), samplingError: expect.any(Number), p: expect.any(Number) })
    expect(new Set(one.arms.map(({ run, task }) => `${run} ${task}`)).size).toBe(8)
    expect(one.pairs).toHaveLength(28)
  }
  const place = join(output, 'yardstick__pico')
  // One run a chat setting, each variant with samples of its own.
  expect(readdirSync(place).filter((name) => name.startsWith('results_'))).toHaveLength(2)
  expect(readdirSync(place).filter((name) => name.startsWith('samples_'))).toHaveLength(8)
  const own = readdirSync(place).find((name) => name.startsWith('fan_')) ?? ''
  expect(readdirSync(join(place, own)).sort()).toEqual(['fan.json', 'tasks'])
  expect(readdirSync(join(place, own, 'tasks'))).toHaveLength(4)
})
