/** Memory of logits goes back when they are read. */
import { expect, test } from 'vitest'
import { readLogits } from '../../src/engines/logits.ts'
import { scoreByReference, type Runner } from '../../src/engines/scoring/reference-scoring.ts'
import { loadNodeOrt } from './node-runtime.ts'

test('logits give their whole buffer back, and leave one that others read too', async () => {
  const { Tensor } = (await loadNodeOrt()).api
  const own = Float32Array.of(1, 2, 3, 4)
  const logits = readLogits(new Tensor('float32', own, [1, 2, 2]))
  expect([...logits.row(1)]).toEqual([3, 4])
  logits.free()
  expect(own.buffer.byteLength).toBe(0)
  const shared = new Float32Array(5)
  readLogits(new Tensor('float32', shared.subarray(1), [1, 2, 2])).free()
  expect(shared.buffer.byteLength).toBe(20)
})

test('the reference path gives back the logits of every pass', async () => {
  const { Tensor } = (await loadNodeOrt()).api
  const made: Float32Array[] = []
  const session: Runner = {
    run: (tokens) => {
      const values = new Float32Array(tokens.length * 3)
      made.push(values)
      return Promise.resolve({ logits: readLogits(new Tensor('float32', values, [1, tokens.length, 3])), cache: null })
    },
  }
  const items = [1, 2].map((token) => ({ input: Int32Array.of(0, token), targets: [Int32Array.of(1)] }))
  const answers = await scoreByReference(session, items, null)
  expect(answers.map(({ tokenLogprobs }) => tokenLogprobs[0]?.[0])).toEqual([0, 0].map(() => Math.fround(-Math.log(3))))
  expect(made.map(({ buffer }) => buffer.byteLength)).toEqual([0, 0])
})
