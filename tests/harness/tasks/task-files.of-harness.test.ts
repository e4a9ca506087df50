/** The harness's own task files, unchanged, give the harness's own requests (golden: lm_eval 0.4.13 over made-up rows). */
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { TextRequest } from '../../../src/contracts/requests.ts'
import { buildRequests } from '../../../src/harness/requests/output-types.ts'
import { buildTask } from '../../../src/harness/requests/task.ts'
import { buildRegistry } from '../../../src/harness/tasks/registry.ts'
import { readTaskConfig } from '../../../src/harness/tasks/task-config.ts'
import { functionTable } from '../../../src/ports/functions/functions.ts'
import { isDict, toJson, toNumber, str } from '../../../src/python/value.ts'
import { parsePythonJson } from '../../conformance/python-json.ts'
import { get, list } from '../../conformance/values.ts'
import { tableOf } from '../../support/tables.ts'

/** The folder `lm_eval/tasks` of an installed lm_eval 0.4.13. */
const tasks = process.env.LM_EVAL_TASKS
const hasTasks = tasks !== undefined && existsSync(tasks)
if (!hasTasks) console.log('skipped: LM_EVAL_TASKS does not name the folder lm_eval/tasks of an installed lm_eval 0.4.13')

const golden = parsePythonJson(readFileSync(new URL('golden/harness-files.json', import.meta.url), 'utf8'))

function flat(docId: number, request: TextRequest): unknown {
  if (request.type === 'loglikelihood') return [docId, request.type, request.context, request.continuation]
  return request.type === 'generate_until' ? [docId, request.type, request.context, request.kwargs] : [docId, request.type, request.text]
}

describe.skipIf(!hasTasks)("the harness's own task files", () => {
  it.each(list(get(golden, 'cases')).map((row) => [`${str(get(row, 'task'))}, ${str(get(row, 'shots'))} shots`, row] as const))(
    '%s',
    (_name, row) => {
      const name = str(get(row, 'task'))
      const path = str(get(row, 'file'))
      const { tasks: found } = buildRegistry([
        { name: 'harness', files: [{ path, text: readFileSync(`${tasks ?? ''}/${path}`, 'utf8') }] },
      ]).resolve([name])
      const [source] = found
      expect(found.map((one) => one.name)).toEqual([name])
      if (source === undefined) return
      const rows = list(get(golden, 'data', name, 'rows')).filter(isDict)
      const splits = list(get(golden, 'data', name, 'splits')).map((split) => [str(split), tableOf(rows)] as const)
      const task = buildTask(readTaskConfig(source.config, source.file), Object.fromEntries(splits), { functions: functionTable() })
      const { docs } = buildRequests(task, {
        numFewshot: toNumber(get(row, 'shots')) ?? 0,
        limit: 3,
        samples: null,
        fewshotSeed: 1234,
        systemInstruction: null,
        chat: null,
      })
      expect(docs.flatMap(({ docId, requests }) => requests.map((request) => flat(docId, request)))).toEqual(toJson(get(row, 'requests')))
    },
  )
})
