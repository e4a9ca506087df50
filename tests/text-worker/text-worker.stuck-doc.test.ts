/** Patterns that backtrack for ever, in a process that is really ended. */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import type { Table } from '../../src/contracts/rows.ts'
import { connectWorker, type WorkerHandle, type WorkerLike } from '../../src/rpc/handle.ts'
import type { TextWorkerApi } from '../../src/rpc/text-api.ts'
import { defaultSettings } from '../support/default-settings.ts'

interface Api extends TextWorkerApi {
  filter(yaml: string, docIds: readonly number[], replies: readonly string[]): Promise<readonly (readonly unknown[])[]>
}

const file = fileURLToPath(new URL('./text-process.ts', import.meta.url))
/** Long enough for a busy machine, and far too short for 2^40 turns. */
const deadlines = { prompt: 2_000, filter: 2_000, score: 2_000 }
const endless = 'a'.repeat(40) + '!'

let handle: WorkerHandle<Api> | null = null
const start = (): WorkerHandle<Api> => {
  const child = fork(file, [], { execArgv: ['--import', 'tsx'], serialization: 'advanced' })
  const worker = {
    postMessage: (message: unknown) => child.send(message as object),
    addEventListener: (type: string, listener: (event: { readonly data: unknown }) => void) => {
      if (type === 'message') child.on('message', (data) => listener({ data }))
    },
    removeEventListener: () => undefined,
    terminate: () => child.kill('SIGKILL'),
  } as unknown as WorkerLike // A process in place of a worker.
  handle = connectWorker<Api>(worker, 'text', () => undefined, deadlines)
  return handle
}
afterEach(() => handle?.terminate())

const filters = `filter_list:
  - name: strict
    filter:
      - {function: regex, regex_pattern: '((a+)+)$'}
      - {function: take_first}
`

describe('a filter that never ends on one doc', () => {
  it('ends its worker, naming the doc, the filter and the pattern; the other docs can be scored', async () => {
    const error = await start()
      .api.filter(filters, [3, 17, 5], ['aaa', endless, 'a'])
      .catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      code: 'regex/timeout',
      message: `Task made, doc 17: the filter 'strict' with the pattern "((a+)+)$" took more than 2 s and was stopped.`,
      details: { name: 'text', stuck: { task: 'made', docId: 17, kind: 'filter', filter: 'strict', pattern: '((a+)+)$' } },
    })
    expect(handle?.isAlive()).toBe(false)
    const next = start()
    expect(await next.api.filter(filters, [3, 5], ['aaa', 'a'])).toEqual([['aaa'], ['a']])
    // A worker that has done its steps is left alone, however long nothing is asked of it then.
    await new Promise((resolve) => setTimeout(resolve, deadlines.filter + 500))
    expect(next.isAlive()).toBe(true)
  })
})

describe('a template that never ends on one doc', () => {
  it('ends its worker before anything is asked, naming the doc', async () => {
    const text = `task: made
dataset_path: d
test_split: test
output_type: multiple_choice
doc_to_text: "{{ question | regex_replace('((a+)+)$', 'b') }}"
doc_to_choice: ["x", "y"]
doc_to_target: 0
`
    const table: Table = { columns: [{ name: 'question', type: 'string' }], rows: [['short'], ['short'], [endless]] }
    const { api } = start()
    await api.loadTasks([{ name: 'given', files: [{ path: 'made.yaml', text }] }], {})
    await api.resolve(['made'], null)
    const { numFewshot, limit, samples, applyChatTemplate, fewshotAsMultiturn, systemInstruction, genKwargs, seeds, predictOnly } =
      defaultSettings
    const settings = { numFewshot, limit, samples, applyChatTemplate, fewshotAsMultiturn, systemInstruction, genKwargs, seeds, predictOnly }
    const error = await api.preview('made', { test: table }, { ...settings, tasks: ['made'] }, 3).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      code: 'template/budget',
      message: 'Task made, doc 2: making its prompt took more than 2 s and was stopped.',
      details: { stuck: { docId: 2, kind: 'prompt' } },
    })
  })
})
