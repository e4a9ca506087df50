import { expect, test } from '@playwright/test'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommandLine, type Outcome } from './command-line.ts'

const folder = mkdtempSync(join(tmpdir(), 'yardstick-cli-'))
test.afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Runs the command line with a profile of its own. */
function evaluate(args: readonly string[], { onStderr }: { onStderr?: (text: string, stop: () => void) => void } = {}): Promise<Outcome> {
  return runCommandLine(args, { folder, onStderr: (stderr, _pid, stop) => onStderr?.(stderr, stop) })
}

/** The value at a path of keys in parsed JSON; undefined where there is none. */
function valueAt(json: unknown, ...keys: readonly string[]): unknown {
  return keys.reduce<unknown>((at, key) => (typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined), json)
}

function textAt(json: unknown, key: string): string {
  const value = valueAt(json, key)
  return typeof value === 'string' ? value : ''
}

async function embeddedModels(): Promise<{ id: string; family: string }[]> {
  const { stdout } = await evaluate(['models', '--embedded', '--json'])
  const models: unknown = JSON.parse(stdout)
  if (!Array.isArray(models)) throw new Error(`models printed ${stdout}`)
  return models.map((model: unknown) => ({ id: textAt(model, 'id'), family: textAt(model, 'family') }))
}

let asked: Promise<string> | null = null

/** A task of the embedded benchmark (the others' rows are on the Hub); asked for once. */
const bundledTask = (): Promise<string> => (asked ??= findBundledTask())

async function findBundledTask(): Promise<string> {
  const { stdout } = await evaluate(['tasks', '--json'])
  const tasks: unknown = JSON.parse(stdout)
  const task: unknown = Array.isArray(tasks)
    ? tasks.find((each: unknown) => textAt(each, 'name').startsWith('yardstick_') && valueAt(each, 'outputType') === 'multiple_choice')
    : undefined
  if (task === undefined) throw new Error('no bundled multiple-choice task')
  return textAt(task, 'name')
}

test('the embedded models are listed, and one runs from the command line to its files', async () => {
  const models = await embeddedModels()
  const task = await bundledTask()
  expect(models.map(({ family }) => family).sort()).toEqual(['decomposed', 'gqa'])
  // A command line on WebGPU is gpu.spec.ts's.
  const [{ id } = { id: '' }] = models
  const output = join(folder, 'out')
  const { code, stdout, stderr } = await evaluate([
    ...['--model', id, '--dtype', 'fp32', '--device', 'wasm', '--tasks', task, '--limit', '1'],
    ...['--output_path', output, '--json'],
  ])
  expect(stderr).not.toContain('Error:')
  expect(code).toBe(0)
  const results: unknown = JSON.parse(stdout)
  expect(valueAt(results, 'results', task, 'acc,none')).toEqual(expect.any(Number))
  expect(valueAt(results, 'yardstick', 'device')).toBe('wasm')
  const files = readdirSync(join(output, id.replaceAll('/', '__')))
  expect(files.filter((name) => /^results_\d{4}-\d\d-\d\dT[\d.-]+\.json$/.test(name))).toHaveLength(1)
  const samples = files.find((name) => name.startsWith(`samples_${task}_`))
  expect(
    readFileSync(join(output, id.replaceAll('/', '__'), samples ?? ''), 'utf8')
      .trim()
      .split('\n'),
  ).toHaveLength(1)
})

test('the table is printed, and a second run takes every answer from the store', async () => {
  const task = await bundledTask()
  const args = ['--tasks', task, '--limit', '3', '--device', 'wasm', '--output_path', 'out']
  const first = await evaluate(args)
  expect(first.code).toBe(0)
  expect(first.stdout).toMatch(/^hf \(\{'pretrained': '.+limit: 3\.0, num_fewshot: None, batch_size: 1\n/)
  expect(first.stdout).toMatch(/\| *Tasks *\|Version\|Filter\|n-shot\| *Metric *\| *\| *Value *\| *\| *Stderr *\|/)
  const second = await evaluate(args)
  expect(second.code).toBe(0)
  expect(second.stderr).toMatch(/ 0 computed in 0 forward passes/)
  // How fast a run was is told of one that computed something.
  const withoutSpeed = (text: string): string => text.replace(/^tokens .*\n/m, '')
  expect(first.stdout).toMatch(/^tokens scored a second: \d/m)
  expect(second.stdout).toBe(withoutSpeed(first.stdout))
})

test('Ctrl-C stops a run cleanly, and --resume goes on with it to the same numbers', async () => {
  const task = await bundledTask()
  const args = ['--tasks', task, '--limit', '40', '--device', 'wasm', '--output_path', 'out', '--no_cache', '--json']
  const stopped = await evaluate(args, {
    onStderr: (text, stop) => {
      if (/ docs [1-9]/.test(text) || text.includes('Scoring')) stop()
    },
  })
  expect(stopped.code).toBe(130)
  expect(stopped.stdout).toBe('')
  const resumed = await evaluate([...args, '--resume'])
  expect(resumed.code).toBe(0)
  const whole = await evaluate(args)
  expect(valueAt(JSON.parse(resumed.stdout), 'results')).toEqual(valueAt(JSON.parse(whole.stdout), 'results'))
})

test('a second command line says who holds the profile, and waits', async () => {
  const both = await Promise.all([evaluate(['tasks']), evaluate(['tasks'])])
  expect(both.map(({ code }) => code)).toEqual([0, 0])
  expect(both.map(({ stderr }) => stderr).join('')).toMatch(/Waiting: process \d+ \(tasks\) has used the profile/)
})

test('data files are found in the caller’s folder, then beside the task file, else both are named', async () => {
  const tasks = join(folder, 'tasks')
  mkdirSync(tasks)
  const task = (name: string, file: string): string =>
    `task: ${name}\ndataset_path: json\ndataset_kwargs:\n  data_files: {test: ${file}}\ntest_split: test\noutput_type: multiple_choice\ndoc_to_text: "{{q}}"\ndoc_to_choice: [a, b]\ndoc_to_target: 0\n`
  for (const [name, file] of [
    ['beside', 'rows.jsonl'],
    ['called', 'mine.jsonl'],
    ['nowhere', 'no.jsonl'],
  ] as const)
    writeFileSync(join(tasks, `${name}.yaml`), task(name, file))
  writeFileSync(join(tasks, 'rows.jsonl'), '{"q": "One plus one is"}\n')
  writeFileSync(join(folder, 'mine.jsonl'), '{"q": "Two plus two is"}\n')
  const found = await evaluate(['prompts', '--include_path', 'tasks', '--tasks', 'beside,called'])
  expect(found.stdout).toContain('One plus one is')
  expect(found.stdout).toContain('Two plus two is')
  const missing = await evaluate(['--include_path', 'tasks', '--tasks', 'nowhere', '--device', 'wasm'])
  expect(missing.code).toBe(1)
  expect(missing.stderr).toContain(join(folder, 'no.jsonl'))
  expect(missing.stderr).toContain(join(tasks, 'no.jsonl'))
})

test('mistakes end with a sentence and a code other than 0', async () => {
  for (const [args, code, message] of [
    [['--taks', 'x'], 2, 'did you mean --tasks?'],
    [['--tasks', 'no_such_task', '--device', 'wasm'], 1, 'no_such_task'],
    [['--dtype', 'q3', '--device', 'wasm'], 1, 'q3'],
    [['--include_path', 'no/such/folder'], 1, 'is no folder'],
    [['judge'], 2, 'judge wants one run'],
  ] as const) {
    const outcome = await evaluate(args)
    expect([outcome.code, outcome.stdout]).toEqual([code, ''])
    expect(outcome.stderr).toContain(message)
  }
})
