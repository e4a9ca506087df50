/** DFIR-Metric is no task of the harness; ours words its questions as the task files with which the golden runs were made. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHubServer, type RunningHub } from '../../scripts/lib/hub-server.ts'
import { dict, get } from '../../scripts/lib/conformance/values.ts'
import { parsePythonJson } from '../../scripts/lib/conformance/python-json.ts'
import { datasetReference, requiredSplits } from '../../src/core/dataset-reference.ts'
import { hashDoc, sha256 } from '../../src/core/hash.ts'
import { buildRequests, requestArguments } from '../../src/core/output-types.ts'
import { jsonDumps, str } from '../../src/core/python/value.ts'
import { buildTask } from '../../src/core/task.ts'
import { loadSplits } from '../../src/data/dataset.ts'
import { hubClient } from '../../src/data/hub.ts'
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
    const { docs } = buildRequests(buildTask(config, tables), {
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
