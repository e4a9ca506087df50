/** Section C of docs/requirements.md, looking at the first prompt: the test carries its item. */
import { expect, it } from 'vitest'
import type { Session } from '../../src/cli/browser/session.ts'
import { prepare } from '../../src/cli/commands/run-evaluation.ts'
import { parseCommandLine } from '../../src/cli/flags/args.ts'
import { expandConfigs } from '../../src/cli/flags/config-flags.ts'
import { createProgress } from '../../src/cli/output/progress.ts'
import type { PromptPreview } from '../../src/contracts/requests.ts'
import type { RunSettings } from '../../src/contracts/run-settings.ts'
import { embeddedModel } from '../app/builders.ts'

it('C: --eval.limit 1 --eval.write-out: the first prompt is shown before anything of a model is loaded', async () => {
  const asked: { readonly name: string; readonly args: readonly unknown[] }[] = []
  const preview: PromptPreview = {
    task: 'bench_facts',
    docId: 0,
    target: '0',
    requests: [{ type: 'loglikelihood', context: 'Kínni iyì p nínú 24 = 2p?', continuation: ' p = 12' }],
  }
  const session = {
    call: async (name: string, ...args: readonly unknown[]) => {
      asked.push({ name, args })
      if (name === 'previewPrompts') return [preview]
      return name === 'listModels' ? [embeddedModel()] : { tasks: [], problems: [] }
    },
  } as unknown as Session // Only calls are made of it here.
  const line = parseCommandLine(expandConfigs(['--tasks', 'bench_facts', '--eval.limit', '1', '--eval.write-out'], '.').argv)
  const printed: string[] = []
  const inputs = { modelFolder: null, judgeFolder: null, taskFiles: [], dataFiles: {}, servedFiles: new Map<string, string>(), missing: [] }
  const progress = createProgress({ isTerminal: false, write: () => undefined, columns: () => 80 } as never) // It says nothing here.
  const { settings } = await prepare(session, line, inputs, null, progress, (text) => printed.push(text))
  expect(settings.limit).toBe(1)
  expect(printed.join('\n')).toContain('Kínni iyì p nínú 24 = 2p?')
  // What was asked by then: lists, and the prompts. A model is loaded by `start` and `resume`, which come later.
  expect(asked.map(({ name }) => name).filter((name) => !name.startsWith('list'))).toEqual(['previewPrompts'])
  const [given, docs] = asked.find(({ name }) => name === 'previewPrompts')?.args ?? []
  expect([(given as RunSettings).limit, docs]).toEqual([1, 1])
})
