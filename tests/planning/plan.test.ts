import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { BuiltTask, EncodedRequest } from '../../src/contracts/built-task.ts'
import { isGeneration } from '../../src/contracts/items.ts'
import type { PlannedItem } from '../../src/contracts/items.ts'
import { batchItems, makePlan, planHash } from '../../src/planning/plan.ts'

function request(docId: number, idx: number, ...pieces: [input: number[], target: number[]][]): EncodedRequest {
  return { docId, idx, pieces: pieces.map(([input, target]) => ({ input: Int32Array.from(input), target: Int32Array.from(target) })) }
}

function task(name: string, requests: EncodedRequest[]): BuiltTask {
  return { name, docs: new Set(requests.map((one) => one.docId)).size, docsOriginal: 1, requests, warnings: [] }
}

function targetsOf(item: PlannedItem | undefined): readonly Int32Array[] {
  return item === undefined || isGeneration(item) ? [] : item.targets
}

describe('makePlan', () => {
  it('runs requests that share their input once, with one target each', () => {
    const plan = makePlan([task('letters', [request(0, 0, [[1, 2], [7]]), request(0, 1, [[1, 2], [8]]), request(1, 0, [[1, 3], [7]])])])
    expect(plan.items.map((item) => [...item.input])).toEqual([
      [1, 2],
      [1, 3],
    ])
    expect(targetsOf(plan.items[0]).map((target) => [...target])).toEqual([[7], [8]])
    expect(plan.requests.map((one) => one.pieces)).toEqual([[{ item: 0, target: 0 }], [{ item: 0, target: 1 }], [{ item: 1, target: 0 }]])
  })

  it('scores an identical request of another task once', () => {
    const one = request(0, 0, [[5], [6]])
    const plan = makePlan([task('a', [one]), task('b', [one])])
    expect(plan.items).toHaveLength(1)
    expect(targetsOf(plan.items[0])).toHaveLength(1)
    expect(plan.requests.map((planned) => planned.task)).toEqual([0, 1])
  })

  it('puts every item into exactly one batch, in order', () => {
    const requests = Array.from({ length: 3 * batchItems + 1 }, (_, docId) => request(docId, 0, [[docId, 1], [2]]))
    const plan = makePlan([task('many', requests)])
    expect(plan.batches).toHaveLength(4)
    expect(plan.batches.flatMap((batch) => batch.items)).toEqual(requests.map((_, index) => index))
  })
})

describe('planHash', () => {
  const anyRequests = fc.array(
    fc.tuple(fc.array(fc.nat(9), { minLength: 1, maxLength: 4 }), fc.array(fc.nat(9), { minLength: 1, maxLength: 3 })),
    { minLength: 1, maxLength: 6 },
  )
  const hashOf = (pieces: [number[], number[]][]) =>
    planHash(
      makePlan([
        task(
          't',
          pieces.map((piece, docId) => request(docId, 0, piece)),
        ),
      ]),
    )

  it('is equal for equal requests and differs when any token moves', async () => {
    await fc.assert(
      fc.asyncProperty(anyRequests, anyRequests, async (one, other) => {
        const areEqual = JSON.stringify(one) === JSON.stringify(other)
        expect((await hashOf(one)) === (await hashOf(other))).toBe(areEqual)
      }),
    )
  })

  it('tells a token at the end of the input from one at the start of the target', async () => {
    expect(await hashOf([[[1, 2], [3]]])).not.toBe(await hashOf([[[1], [2, 3]]]))
  })

  it('takes a prompt as long as any context', async () => {
    const long = Array.from({ length: 300_000 }, (_, i) => i % 1000)
    expect(await hashOf([[long, [3]]])).not.toBe(await hashOf([[long, [4]]]))
  })
})
