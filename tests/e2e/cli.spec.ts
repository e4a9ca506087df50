import { expect, test } from '@playwright/test'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommandLine, type Outcome } from './command-line.ts'

const folder = mkdtempSync(join(tmpdir(), 'yardstick-cli-'))
test.afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Runs the command line with a profile of its own. */
const evaluate = (args: readonly string[]): Promise<Outcome> => runCommandLine(args, { folder })

test('the embedded models are listed', async () => {
  const { code, stdout } = await evaluate(['models', '--embedded', '--json'])
  expect(code).toBe(0)
  const models = JSON.parse(stdout) as readonly { readonly id: string; readonly family: string }[]
  expect(models.map(({ id, family }) => [id, family]).sort()).toEqual([
    ['yardstick/pico', 'decomposed'],
    ['yardstick/pico-gqa', 'gqa'],
  ])
})

// A command line on WebGPU is gpu.spec.ts's; one that is killed, stopped and resumed is cli-interrupted.spec.ts's.
test('the table is printed and the files are written, and a second run takes every answer from the store', async () => {
  const args = ['--tasks', 'yardstick_facts', '--limit', '3', '--device', 'wasm', '--output_path', 'out']
  const first = await evaluate(args)
  expect([first.code, first.stderr]).toEqual([0, expect.not.stringContaining('Error:')])
  expect(first.stdout).toMatch(/^hf \(\{'pretrained': '.+limit: 3\.0, num_fewshot: None, batch_size: 1\n/)
  expect(first.stdout).toMatch(/\| *Tasks *\|Version\|Filter\|n-shot\| *Metric *\| *\| *Value *\| *\| *Stderr *\|/)
  const place = join(folder, 'out', 'yardstick__pico')
  const files = readdirSync(place).sort()
  expect(files).toEqual([
    expect.stringMatching(/^results_\d{4}-\d\d-\d\dT[\d.-]+\.json$/),
    expect.stringMatching(/^samples_yardstick_facts_\d{4}-\d\d-\d\dT[\d.-]+\.jsonl$/),
  ])
  const [results = '', samples = ''] = files.map((name) => readFileSync(join(place, name), 'utf8'))
  expect(JSON.parse(results)).toMatchObject({
    results: { yardstick_facts: { 'acc,none': expect.any(Number) } },
    yardstick: { device: 'wasm' },
  })
  expect(samples.trim().split('\n')).toHaveLength(3)

  const second = await evaluate(args)
  expect(second.code).toBe(0)
  expect(second.stderr).toMatch(/ 0 computed in 0 forward passes/)
  // How fast a run was is told of one that computed something.
  const withoutSpeed = (text: string): string => text.replace(/^tokens .*\n/m, '')
  expect(first.stdout).toMatch(/^tokens scored a second: \d/m)
  expect(second.stdout).toBe(withoutSpeed(first.stdout))
})

// A data file that is nowhere is task-folder.test.ts's and task-data.test.ts's.
test('a second command line says who holds the profile, and waits; data files are found in the caller’s folder and beside the task file', async () => {
  mkdirSync(join(folder, 'tasks'))
  for (const [name, file] of [
    ['beside', 'rows.jsonl'],
    ['called', 'mine.jsonl'],
  ] as const) {
    const head = `task: ${name}\ndataset_path: json\ndataset_kwargs:\n  data_files: {test: ${file}}\ntest_split: test\n`
    const rest = 'output_type: multiple_choice\ndoc_to_text: "{{q}}"\ndoc_to_choice: [a, b]\ndoc_to_target: 0\n'
    writeFileSync(join(folder, 'tasks', `${name}.yaml`), head + rest)
  }
  writeFileSync(join(folder, 'tasks', 'rows.jsonl'), '{"q": "One plus one is"}\n')
  writeFileSync(join(folder, 'mine.jsonl'), '{"q": "Two plus two is"}\n')
  const both = await Promise.all([
    evaluate(['tasks', '--json']),
    evaluate(['prompts', '--include_path', 'tasks', '--tasks', 'beside,called']),
  ])
  expect(both.map(({ code }) => code)).toEqual([0, 0])
  expect(both.map(({ stderr }) => stderr).join('')).toMatch(/Waiting: process \d+ \((tasks|prompts) .*\) has used the profile/)
  const [tasks, prompts] = both
  expect(JSON.parse(tasks.stdout)).toContainEqual(expect.objectContaining({ name: 'yardstick_facts', outputType: 'multiple_choice' }))
  expect(prompts.stdout).toContain('One plus one is')
  expect(prompts.stdout).toContain('Two plus two is')
})

// Other mistakes are unit tests: of arguments args.test.ts, of folders task-folder.test.ts, of a dtype dtypes.test.ts, of `judge` judge-answers.test.ts.
test('mistakes end with a sentence and a code other than 0', async () => {
  for (const [args, code, message] of [
    [['--taks', 'x'], 2, 'did you mean --tasks?'],
    [['--tasks', 'no_such_task', '--device', 'wasm'], 1, 'no_such_task'],
  ] as const) {
    const outcome = await evaluate(args)
    expect([outcome.code, outcome.stdout]).toEqual([code, ''])
    expect(outcome.stderr).toContain(message)
  }
})
