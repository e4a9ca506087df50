/** What came back: verdicts by hash, and how far two runs of the same docs are apart. */
import { describe, expect, test } from 'vitest'
import { expectedText, readExpected, type ExpectedRun } from '../../../src/analysis/cluster/expected.ts'
import { judgeReturned } from '../../../src/analysis/cluster/returned.ts'
import { sampleAgreement } from '../../../src/analysis/compare/agreement/sample-agreement.ts'
import type { Json } from '../../../src/base/errors.ts'
import { sha256 } from '../../../src/base/sha256.ts'
import type { SampleView } from '../../../src/contracts/samples.ts'

const hashesOf = (docId: number, prompt = 'p') => ({
  docHash: sha256(`doc ${docId}`),
  promptHash: sha256(`${prompt} ${docId}`),
  targetHash: sha256('t'),
})

function view(docId: number, change: Partial<SampleView> = {}, prompt = 'p'): SampleView {
  const { docHash, promptHash, targetHash } = hashesOf(docId, prompt)
  const choice = (logprob: number) => ({ text: 'x', logprob, isGreedy: false, unconditional: null })
  return {
    task: 't',
    docId,
    filter: 'none',
    prompt: '',
    target: '0',
    choices: [choice(-1), choice(-2)],
    gold: [0],
    picks: null,
    generated: [],
    metrics: { acc: 1 },
    // The doc's own text holds a key of the same name, which must not be taken for the hash.
    line: JSON.stringify({ doc: { doc_hash: 'f'.repeat(64) }, doc_hash: docHash, prompt_hash: promptHash, target_hash: targetHash }),
    ...change,
  }
}

const expected: ExpectedRun = {
  model: 'm',
  dtype: null,
  tasks: [{ task: 't', taskHash: 'h', commit: null, docs: [0, 1, 2].map((docId) => ({ docId, ...hashesOf(docId) })) }],
}

describe('what came back from a cluster', () => {
  const judge = (samples: readonly SampleView[]) => judgeReturned(expected, new Map([['t', samples]]))[0]

  test('is green only when every doc, prompt and target is as expected', () => {
    expect(judge([view(0), view(1), view(2)])).toMatchObject({ verdict: 'green', agree: 3, missing: [] })
    expect(judge([view(0), view(2)])).toMatchObject({ verdict: 'amber', agree: 2, missing: [1] })
    expect(judge([view(0), view(1, {}, 'other'), view(2)])).toMatchObject({ verdict: 'red', agree: 2, otherPrompts: [1], otherDocs: [] })
    expect(judge([view(0), view(1), view(2), view(3)])).toMatchObject({ verdict: 'red', unexpected: [3] })
    expect(judgeReturned(expected, new Map())).toMatchObject([{ verdict: 'amber', missing: [0, 1, 2] }])
  })

  test('is expected by a file that is read back as it was written, and no other is taken for one', () => {
    expect(readExpected(JSON.parse(expectedText(expected)) as Json, 'expected.json')).toEqual(expected)
    for (const broken of [
      '{}',
      '{"format":"yardstick-cluster","version":2}',
      '{"format":"yardstick-cluster","version":1,"model":"m","tasks":[{}]}',
    ])
      expect(() => readExpected(JSON.parse(broken) as Json, 'e.json')).toThrow(expect.objectContaining({ code: 'results/invalid' }))
  })
})

describe('agreement of two runs', () => {
  test('counts differences in nats, verdicts, texts and docs that only one has', () => {
    const left = [view(0), view(1, { metrics: { acc: 0 } }), view(2, { choices: [], generated: ['a'] }), view(7)]
    const right = [
      view(0, {
        choices: [
          { text: 'x', logprob: -1.5, isGreedy: false, unconditional: null },
          { text: 'x', logprob: -2, isGreedy: false, unconditional: null },
        ],
      }),
      view(1),
      view(2, { choices: [], generated: ['b'] }),
      view(9),
    ]
    expect(sampleAgreement('t', left, right)).toEqual({
      task: 't',
      docs: 3,
      leftOnly: [7],
      rightOnly: [9],
      otherDocs: [],
      logprobs: 4,
      maxAbsDiff: 0.5,
      meanAbsDiff: 0.125,
      texts: 1,
      otherTexts: [2],
      flips: { 'acc,none': [1] },
    })
  })

  test('doesn’t compare answers to other content under the same id', () => {
    const other = view(0, { metrics: { acc: 0 }, choices: [] }, 'another prompt')
    expect(sampleAgreement('t', [view(0)], [other])).toMatchObject({ docs: 1, otherDocs: [0], logprobs: 0, maxAbsDiff: null, flips: {} })
  })
})
