import { describe, expect, it } from 'vitest'
import type { RunManifest } from '../../src/contracts/runs.ts'
import { firstDifference, requestsPerPart } from '../../src/planning/plan-difference.ts'
import { describePlan, makePlan } from '../../src/planning/plan.ts'
import { madeTask } from '../evaluation/fakes.ts'
import { makeManifest } from '../storage/builders.ts'

const file = (path: string, sha256: string) => ({ path, bytes: 1, sha256: sha256.repeat(64) })
const before = makeManifest('r', {
  model: { id: 'made/up', revision: 'main', commit: 'a'.repeat(40), license: null, files: [file('model.onnx', '1')] },
  datasets: { t: { path: 'made/data', name: null, commit: 'b'.repeat(40), files: [file('rows.jsonl', '2')] } },
})
const changed = (change: Partial<RunManifest>): string | null => firstDifference(before, { ...before, ...change })

describe('firstDifference', () => {
  it('finds none between a run and itself, whatever its date and app', () => {
    expect(changed({ createdAt: 'later', app: { version: '9', build: 'other' } })).toBeNull()
  })

  it.each<[string, Partial<RunManifest>, RegExp]>([
    [
      'the model’s commit',
      { model: { ...before.model, commit: 'c'.repeat(40) } },
      /made\/up was at commit aaaaaaaaaaaa, and is at cccccccccccc now/,
    ],
    [
      'a model file',
      { model: { ...before.model, files: [file('model.onnx', '3')] } },
      /model.onnx has changed: its SHA-256 was 1{12}, and is 3{12}/,
    ],
    ['a missing model file', { model: { ...before.model, files: [] } }, /model.onnx is not there any more/],
    ['the tokenizer', { tokenizer: { ...before.tokenizer, sha256: 'x' } }, /tokenizer/],
    ['a task file', { tasks: { t: { config: {}, sha256: 'x' } } }, /task file of t has changed/],
    [
      'a dataset',
      { datasets: { t: { path: 'made/data', name: null, commit: null, files: [] } } },
      /made\/data of t was at commit b{12}, and is at none/,
    ],
    [
      'a data file',
      { datasets: { t: { path: 'made/data', name: null, commit: 'b'.repeat(40), files: [file('rows.jsonl', '4')] } } },
      /data of t, the file rows.jsonl has changed/,
    ],
    ['the number of requests', { plan: { ...before.plan, hash: 'x', requests: 3 } }, /gave 2 requests, and give 3 now/],
    ['the numeric class', { engine: { ...before.engine, numericClass: 'other' } }, /Different: its numeric class \(wasm, now other\)/],
  ])('names %s', (_, change, message) => {
    expect(changed(change)).toMatch(message)
  })

  it('says from which request on a plan differs', async () => {
    const task = madeTask(requestsPerPart)
    const other = {
      ...task,
      requests: task.requests.map((request, at) => (at < requestsPerPart + 5 ? request : { ...request, docId: request.docId + 1 })),
    }
    const plan = await describePlan(makePlan([task]))
    expect(plan.parts).toHaveLength(2)
    expect(firstDifference({ ...before, plan }, { ...before, plan: await describePlan(makePlan([other])) })).toContain(
      `from request ${requestsPerPart} on`,
    )
  })
})
