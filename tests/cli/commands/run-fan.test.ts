import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { EvalError } from '../../../src/base/errors.ts'
import type { RunExtras } from '../../../src/cli/commands/run-evaluation.ts'
import { runFan } from '../../../src/cli/commands/run-fan.ts'
import { parseCommandLine } from '../../../src/cli/flags/args.ts'
import { UsageError } from '../../../src/cli/flags/flag-values.ts'
import { createProgress } from '../../../src/cli/output/progress.ts'

const folder = mkdtempSync(join(tmpdir(), 'fan-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** What each run was asked for; every run after the first has the outcome `then`. */
async function fan(argv: readonly string[], then: number | Error = 130) {
  const asked: {
    readonly tasks: readonly string[]
    readonly chat: boolean | string
    readonly files: readonly string[]
    readonly samples: string | null
  }[] = []
  const said: string[] = []
  const progress = createProgress({ isTerminal: false, columns: 80, write: (text) => void said.push(text), now: () => 0 })
  const outcome = await runFan(parseCommandLine(['fan', ...argv, '--output_path', folder]), {
    ...{ bundled: 'public/tasks', progress, print: () => undefined },
    evaluate: (line, _progress, _print, extras: RunExtras = {}) => {
      asked.push({
        tasks: line.tasks,
        chat: line.applyChatTemplate,
        samples: line.samples,
        files: (extras.taskFiles ?? []).map(({ path }) => path),
      })
      return typeof then === 'number' ? Promise.resolve(then) : Promise.reject(then)
    },
  }).catch((error: unknown) => error)
  return { asked, said, outcome }
}

describe('a fan', () => {
  test('asks all styles, and the words of siblings, in one run; its files include the task’s own', async () => {
    const { asked, outcome } = await fan(['--tasks', 'yardstick_swahili'])
    expect(asked).toEqual([
      {
        tasks: [
          ...['yardstick_swahili', 'yardstick_swahili_letters', 'yardstick_swahili_hybrid'],
          ...['yardstick_swahili_worded_as_yardstick_arithmetic', 'yardstick_swahili_worded_as_yardstick_yoruba'],
        ],
        chat: false,
        samples: null,
        files: [
          ...['letters', 'hybrid', 'worded_as_yardstick_arithmetic', 'worded_as_yardstick_yoruba'].map(
            (name) => `yardstick/yardstick_swahili_${name}.yaml`,
          ),
        ],
      },
    ])
    // The first run that isn't complete ends it.
    expect(outcome).toBe(130)
  })

  test('asks what its flags say', async () => {
    const flags = ['--tasks', 'yardstick_swahili', '--styles', 'letters,hybrid', '--wordings', 'none', '--chat', 'on']
    const { asked } = await fan(flags)
    expect(asked).toMatchObject([{ tasks: ['yardstick_swahili_letters', 'yardstick_swahili_hybrid'], chat: true }])
    const named = await fan([
      '--tasks',
      'yardstick_swahili',
      '--wordings',
      'yardstick_facts',
      '--chat',
      'on',
      '--apply_chat_template',
      'rag',
    ])
    expect(named.asked[0]?.tasks.at(-1)).toBe('yardstick_swahili_worded_as_yardstick_facts')
    expect(named.asked[0]?.chat).toBe('rag')
  })

  test('chooses for every variant the docs that are chosen of its task', async () => {
    const { asked } = await fan([
      '--tasks',
      'yardstick_swahili',
      '--wordings',
      'none',
      '--samples',
      '{"yardstick_swahili":[3,5],"other":[1]}',
    ])
    const docs = [3, 5]
    expect(JSON.parse(asked[0]?.samples ?? '')).toEqual({
      ...{ yardstick_swahili: docs, yardstick_swahili_letters: docs, yardstick_swahili_hybrid: docs, other: [1] },
    })
  })

  test('leaves many wordings out unless they are asked for', async () => {
    const include = join(folder, 'many')
    mkdirSync(include)
    const file = (name: string) =>
      `task: ${name}\ndataset_path: d\ndataset_name: ${name}\noutput_type: multiple_choice\ndoc_to_text: "${name} {{q}}"\ndoc_to_choice: o\ndoc_to_target: 0\n`
    for (let at = 0; at < 8; at += 1) writeFileSync(join(include, `many_${at}.yaml`), file(`many_${at}`))
    const few = await fan(['--tasks', 'many_0', '--include_path', include])
    expect(few.asked[0]?.tasks).toEqual(['many_0', 'many_0_letters', 'many_0_hybrid'])
    expect(few.said.join('')).toContain('7 siblings word it otherwise')
    const all = await fan(['--tasks', 'many_0', '--include_path', include, '--wordings', 'all'])
    expect(all.asked[0]?.tasks).toHaveLength(10)
  })

  test('refuses before any run what has no choices, what leaves one prompt, and flags that it doesn’t know', async () => {
    const { asked, outcome } = await fan(['--tasks', 'yardstick_wordproblems'])
    expect(asked).toEqual([])
    expect(outcome).toMatchObject({ code: 'task/unsupported', message: expect.stringMatching(/generate_until.*no choices/) as string })
    for (const flags of [
      [],
      ['--tasks', 'yardstick_facts', '--styles', 'letters', '--wordings', 'none', '--chat', 'off'],
      ['--tasks', 'yardstick_facts', '--judge_model', 'yardstick/pico'],
      ['--tasks', 'yardstick_facts', '--resume'],
      ['--tasks', 'yardstick_facts', '--log_samples', 'false'],
      ['--tasks', 'yardstick_facts', '--chat', 'off', '--apply_chat_template'],
    ])
      expect((await fan(flags)).outcome).toBeInstanceOf(UsageError)
    expect(() => parseCommandLine(['fan', '--styles', 'rhymes'])).toThrow(/wanted some of continuation, letters, hybrid/)
    expect(() => parseCommandLine(['fan', '--chat', 'maybe'])).toThrow(/wanted both or on or off/)
  })

  test('is refused for a model without a chat template only where one was asked for', async () => {
    const missing = new EvalError('tokenizer/chat-template', 'none')
    expect((await fan(['--tasks', 'yardstick_facts', '--chat', 'on'], missing)).outcome).toBe(missing)
    expect((await fan(['--tasks', 'yardstick_facts', '--chat', 'both'], missing)).outcome).toBe(missing)
  })
})
