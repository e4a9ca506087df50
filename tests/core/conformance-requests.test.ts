/** Every case of corpus A: the harness's own prompts and requests for its shipped tasks over made-up rows. */
import { existsSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { isConfigDict } from '../../src/core/config-value.ts'
import type { ChatMessage, ChatSettings } from '../../src/core/context.ts'
import { isEvalError } from '../../src/core/errors.ts'
import { buildPipelines } from '../../src/core/filters.ts'
import { buildRequests, type DocRequests } from '../../src/core/output-types.ts'
import { isDict, isList, toJson, toNumber, typeName, type PyDict, type PyValue, str } from '../../src/core/python/value.ts'
import { readTaskConfig } from '../../src/core/task-config.ts'
import { buildTask, type PromptTask } from '../../src/core/task.ts'
import type { Feature, Table, TextRequest } from '../../src/core/types.ts'
import { get } from './corpus.ts'
import { parsePythonJson } from './python-json.ts'
import { toCell } from './tables.ts'

const file = new URL('../../../shared/conformance/A_requests.jsonl.gz', import.meta.url)

function readCases(): readonly (readonly [string, PyValue])[] {
  if (!existsSync(file)) {
    console.log('skipped: the conformance corpus A_requests is not beside this repository')
    return []
  }
  const lines = gunzipSync(readFileSync(file)).toString('utf8').split('\n')
  return lines.filter((line) => line !== '').map((line) => [str(get(parsePythonJson(line), 'id')), parsePythonJson(line)])
}

const simpleFeatures: ReadonlyMap<PyValue, Feature> = new Map(
  (['string', 'int64', 'float64', 'bool', 'null'] as const).map((name): [PyValue, Feature] => [name, name]),
)

function toFeature(value: PyValue): Feature {
  if (isList(value)) return { list: toFeature(value[0] ?? null) }
  if (isDict(value)) return { struct: [...value].map(([name, type]) => [name, toFeature(type)] as const) }
  const feature = simpleFeatures.get(value)
  if (feature === undefined) throw new Error(`unknown feature ${str(value)}`)
  return feature
}

function toTable(rows: PyValue, features: PyValue): Table {
  const columns = isDict(features) ? [...features].map(([name, type]) => ({ name, type: toFeature(type) })) : []
  return { columns, rows: (isList(rows) ? rows : []).map((row) => columns.map(({ name }) => toCell(get(row, name)))) }
}

/** The corpus's toy chat template. */
function toyTemplate(messages: readonly ChatMessage[], { addGenerationPrompt }: { addGenerationPrompt: boolean }): string {
  const text = messages.map(({ role, content }) => `<|${role}|>${content}\n`).join('')
  return addGenerationPrompt ? `${text}<|assistant|>` : text.slice(0, -1)
}

function build(input: PyValue): { readonly task: PromptTask; readonly docs: readonly DocRequests[] } {
  const source = get(input, 'config')
  if (!isDict(source) || !isConfigDict(source)) throw new Error('a case without a config')
  const config = readTaskConfig(new Map([...source].filter(([key]) => !['tag', 'group', 'task_list'].includes(key))), 'case.yaml')
  const data = get(input, 'dataset')
  const splits = isDict(data)
    ? [...data].map(([split, rows]): [string, Table] => [split, toTable(rows, get(input, 'features', split))])
    : []
  buildPipelines(config.filterList)
  const task = buildTask(config, Object.fromEntries(splits))
  const chat: ChatSettings | null =
    get(input, 'chat', 'apply_chat_template') === true
      ? { render: toyTemplate, fewshotAsMultiturn: get(input, 'chat', 'fewshot_as_multiturn') === true }
      : null
  const system = get(input, 'chat', 'system_instruction')
  const { docs } = buildRequests(task, {
    numFewshot: toNumber(get(input, 'num_fewshot')) ?? 0,
    limit: toNumber(get(input, 'limit')),
    samples: null,
    fewshotSeed: toNumber(get(input, 'fewshot_seed')) ?? 1234,
    systemInstruction: typeof system === 'string' ? system : null,
    chat,
  })
  return { task, docs }
}

function argumentsOf(request: TextRequest): unknown {
  switch (request.type) {
    case 'loglikelihood':
      return [request.context, request.continuation]
    case 'loglikelihood_rolling':
      return [request.text]
    case 'generate_until':
      return [request.context, request.kwargs]
  }
}

/** What the corpus records of a case, from our side. */
function outcome(input: PyValue): unknown {
  try {
    const { task, docs } = build(input)
    return {
      docs: docs.map(({ docId, target, requests }) => ({
        doc_id: docId,
        target: toJson(target),
        target_type: typeName(target),
        requests: requests.map((request) => ({ request_type: request.type, arguments: argumentsOf(request) })),
      })),
      multiple_input: task.multipleInput,
      multiple_target: task.multipleTarget,
      repeats: task.config.repeats,
    }
  } catch (error) {
    if (isEvalError(error) && error.code !== 'internal') return 'refused'
    throw error
  }
}

function wanted(expected: PyDict): unknown {
  return expected.has('error') ? 'refused' : toJson(expected)
}

const cases = readCases()

describe.skipIf(cases.length === 0)('requests of the conformance corpus A', () => {
  it.each(cases)('%s', (_id, row) => {
    const expected = get(row, 'expected')
    expect(isDict(expected)).toBe(true)
    if (isDict(expected)) expect(outcome(get(row, 'input'))).toEqual(wanted(expected))
  })
})
