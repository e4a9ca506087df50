/** DFIR-Metric is no task of the harness; ours words its questions as the task files with which the golden runs were made. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sha256 } from '../../src/base/sha256.ts'
import { createHubServer, type RunningHub } from '../../src/cli/browser/hub-server.ts'
import { loadSplits } from '../../src/data/dataset/dataset.ts'
import { hubClient } from '../../src/data/hub/hub.ts'
import { buildRequests, requestArguments } from '../../src/harness/requests/output-types.ts'
import { buildTask } from '../../src/harness/requests/task.ts'
import { hashDoc } from '../../src/harness/sample-hashes.ts'
import { datasetReference, requiredSplits } from '../../src/harness/tasks/dataset-reference.ts'
import { functionTable } from '../../src/ports/functions/functions.ts'
import { jsonDumps, str } from '../../src/python/value.ts'
import { parsePythonJson } from '../conformance/python-json.ts'
import { dict, get } from '../conformance/values.ts'
import { findShared } from '../data/shared.ts'
import { bundledConfig, bundledRegistry } from './bundled-goldens.ts'

const rows = findShared('hub/datasets/DFIR-Metric/DFIR-Metric')
const runs = findShared('goldens/smollm2-135m-instruct')
const hasBoth = rows !== null && runs !== null && existsSync(join(runs, 'dfir_mcq'))

describe.skipIf(!hasBoth)('the DFIR tasks', () => {
  let hub: RunningHub
  beforeAll(async () => {
    hub = await createHubServer({ datasets: { 'Neo111x/DFIR-Metric': rows ?? '' } })
  })
  afterAll(() => hub.close())

  it.each(['dfir_mcq', 'dfir_mcq_continuation'])('%s makes the requests of its golden run, out of the nested file', async (name) => {
    const config = bundledConfig(bundledRegistry(), name)
    const client = hubClient({ base: hub.address, fetch })
    const { tables } = await loadSplits(datasetReference(config), requiredSplits(config, 5), { hubOf: () => client, fetch, dataFiles: {} })
    const lines = readFileSync(join(runs ?? '', name, 'samples.jsonl'), 'utf8')
      .trimEnd()
      .split('\n')
      .map(parsePythonJson)
    expect(lines).toHaveLength(15)
    const { docs } = buildRequests(buildTask(config, tables, { functions: functionTable() }), {
      numFewshot: config.numFewshot ?? 0,
      limit: lines.length,
      samples: null,
      fewshotSeed: 1234,
      systemInstruction: null,
      chat: null,
    })
    const made = docs.map(({ doc, target, requests }) => ({
      doc: hashDoc(doc),
      target: sha256(str(target)),
      requests: jsonDumps(requests.map((request) => new Map(requestArguments(request).map((value, index) => [`arg_${index}`, value])))),
    }))
    const wanted = lines.map((line) => ({
      doc: get(line, 'doc_hash'),
      target: get(line, 'target_hash'),
      requests: jsonDumps([...dict(get(line, 'arguments')).values()]),
    }))
    expect(made).toEqual(wanted)
  })
})
