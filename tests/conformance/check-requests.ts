/** Corpus A: the prompts and requests of a task over its rows. */
import type { Table } from '../../src/contracts/rows.ts'
import { buildPipelines } from '../../src/harness/filters/filters.ts'
import type { ChatMessage, ChatSettings } from '../../src/harness/requests/context.ts'
import { buildRequests, requestArguments } from '../../src/harness/requests/output-types.ts'
import { buildTask } from '../../src/harness/requests/task.ts'
import { readTaskConfig, type TaskConfig } from '../../src/harness/tasks/task-config.ts'
import { functionTable } from '../../src/ports/functions/functions.ts'
import { typeName, toNumber, type PyDict, type PyValue } from '../../src/python/value.ts'
import { isConfigDict } from '../../src/python/yaml/yaml-value.ts'
import { findDifference } from './compare.ts'
import { docJson } from './json-form.ts'
import { expectedError, judge } from './outcome.ts'
import { typedTable } from './tables.ts'
import { dict, get, list, number } from './values.ts'

/** What differs from the harness's requests, or null. */
export function checkRequests(input: PyDict, expected: PyDict): string | null {
  return judge(
    () => build(input),
    expectedError(expected),
    (built) => findDifference(built, expected) ?? targetDifference(built, expected),
  )
}

/** A target's ints and floats print differently, so their types count too. */
function targetDifference(built: PyValue, expected: PyValue): string | null {
  const targets = (value: PyValue): PyValue => list(get(value, 'docs')).map((doc) => get(doc, 'target'))
  return findDifference(targets(built), targets(expected), { hasTypes: true }, 'targets')
}

/** The config of a case's task; keys that belong to lists of tasks are dropped, as the harness does before. */
export function caseConfig(input: PyValue): TaskConfig {
  const source = dict(get(input, 'config'))
  const own = new Map([...source].filter(([key]) => !['tag', 'group', 'task_list'].includes(key)))
  if (!isConfigDict(own)) throw new Error('wanted an object as config')
  return readTaskConfig(own, 'case.yaml')
}

/** What the corpus records of a case, from our side. */
function build(input: PyDict): PyValue {
  const config = caseConfig(input)
  const splits = [...dict(get(input, 'dataset'))].map(([split, rows]): [string, Table] => [
    split,
    typedTable(rows, get(input, 'features', split)),
  ])
  buildPipelines(config.filterList)
  const task = buildTask(config, Object.fromEntries(splits), { functions: functionTable() })
  const system = get(input, 'chat', 'system_instruction')
  const { docs } = buildRequests(task, {
    numFewshot: number(input, 'num_fewshot'),
    limit: toNumber(get(input, 'limit')),
    samples: null,
    fewshotSeed: number(input, 'fewshot_seed'),
    systemInstruction: typeof system === 'string' ? system : null,
    chat: chatSettings(get(input, 'chat')),
  })
  return new Map<string, PyValue>([
    [
      'docs',
      docs.map(
        ({ docId, target, requests }) =>
          new Map<string, PyValue>([
            ['doc_id', docId],
            ['target', docJson(target)],
            ['target_type', typeName(target)],
            [
              'requests',
              requests.map(
                (request) =>
                  new Map<string, PyValue>([
                    ['request_type', request.type],
                    ['arguments', requestArguments(request)],
                  ]),
              ),
            ],
          ]),
      ),
    ],
    ['multiple_input', task.multipleInput],
    ['multiple_target', task.multipleTarget],
    ['repeats', task.config.repeats],
  ])
}

function chatSettings(chat: PyValue): ChatSettings | null {
  if (get(chat, 'apply_chat_template') !== true) return null
  return { render: toyTemplate, fewshotAsMultiturn: get(chat, 'fewshot_as_multiturn') === true }
}

/** The corpus's toy chat template. */
function toyTemplate(messages: readonly ChatMessage[], { addGenerationPrompt }: { addGenerationPrompt: boolean }): string {
  const text = messages.map(({ role, content }) => `<|${role}|>${content}\n`).join('')
  return addGenerationPrompt ? `${text}<|assistant|>` : text.slice(0, -1)
}
