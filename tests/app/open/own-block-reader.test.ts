import { describe, expect, test } from 'vitest'
import { ownBlock } from '../../../src/analysis/scores/yardstick-block.ts'
import { passTimesToJson } from '../../../src/analysis/speed/pass-times.ts'
import { packRun } from '../../../src/app/export/run-file.ts'
import { openFiles } from '../../../src/app/open/open-files.ts'
import { readOwnBlock } from '../../../src/app/open/own-block-reader.ts'
import type { Json } from '../../../src/base/errors.ts'
import type { NoiseFacts, OwnResults } from '../../../src/contracts/yardstick-results.ts'
import { toJson } from '../../../src/python/value.ts'
import { runManifest, runSummary } from '../builders.ts'

const noise: NoiseFacts = { logprobs: 8, identical: 7, maxAbsDiff: 1e-5, meanAbsDiff: 1e-6, greedyFlips: 0, texts: 2, sameTexts: 2 }
const own: OwnResults = {
  alarms: [
    { task: 'sums', alarm: { kind: 'one-letter', letter: 'A', picked: 20, gold: 5, of: 20 } },
    { task: 'facts', alarm: { kind: 'low-mass', docs: 3, of: 4, meanMass: 0.01 } },
  ],
  cuts: [{ task: 'facts', docs: [3], mostTokens: 5 }],
  goldsOutside: [{ task: 'facts', docs: [2], example: "'Z'" }],
  scores: [{ task: 'facts', metric: 'acc_tok', value: 0.5, stderr: 0.1, n: 24 }],
  averages: [
    {
      ...{ group: 'all', alias: 'all', metric: 'acc', filter: 'none', macro: 0.5, macroStderr: 0.1, micro: 0.6, microStderr: 'N/A' },
      ...{ tasks: 2, docs: 48, categoryMap: null },
    },
  ],
  recipes: [
    {
      ...{ task: 'facts', recipe: 'mmlu_original', tokens: [{ choice: 'A', bare: 1, spaced: 2 }], tokensUsed: 'spaced' },
      ...{ shots: { 5: 24 }, docs: 24, lowMassDocs: 1, meanMass: 0.9, csv: null },
    },
  ],
  agreements: [
    {
      ...{ task: 'facts', column: 'is_correct', metric: 'acc', filter: 'none', n: 24, agree: 22, disagree: 2, gained: [1], lost: [4] },
      ...{ difference: 0, kappa: 0.8, p: 1, unknown: 0 },
    },
  ],
  failures: [
    {
      ...{ task: 'sums', alias: 'sums', filter: 'strict,match', n: 20, failed: 2, metric: 'exact_match', value: 0.4 },
      guessed: { seed: 1, docs: [7], value: 0.45 },
    },
  ],
  ties: [{ task: 'facts', nats: 0.001, docs: [9], bands: [{ metric: 'acc', low: 0.4, high: 0.5 }] }],
  published: [{ recipe: 'Llama 3', source: 'its card', tasks: ['facts'], differs: ['Other shots.'] }],
  noise: { items: 8, again: noise, alone: noise },
  files: [],
}
const file = (change: { readonly [key: string]: Json } = {}): { readonly [key: string]: Json } => ({
  results: { facts: { alias: 'facts', 'acc,none': 0.5 } },
  'n-samples': { facts: { original: 24, effective: 24 } },
  yardstick: { dtype: 'q4', device: 'wasm', ...(toJson(ownBlock(own)) as { readonly [key: string]: Json }), ...change },
})
const open = (text: string) => openFiles([{ name: 'results_2026-11-21T09-12-35.572732.json', file: new Blob([text]) }], () => 'opened')

describe('what we say beside the harness’s results', () => {
  test('comes back whole from a results file', () => {
    expect(readOwnBlock(file())).toEqual(own)
  })

  test('where the time of a run went comes back where it was kept, and nothing where it can’t be read', () => {
    const times = { passes: 4, insideSeconds: 3, wallSeconds: 4, fixedSeconds: null }
    expect(readOwnBlock(file({ pass_times: passTimesToJson(times) }))).toEqual({ ...own, speed: { scored: null, written: null, times } })
    expect(readOwnBlock(file({ pass_times: { passes: -1, inside_seconds: 3, wall_seconds: 4 } }))).toEqual(own)
  })

  test('comes back whole from a run in one file', async () => {
    async function* noSamples() {
      await Promise.resolve()
      yield []
    }
    const summary = runSummary('r', { own: { ...own, speed: { scored: { tokens: 10, seconds: 0.5 }, written: null } } })
    const packed = await packRun({ manifest: runManifest('r'), summary, samples: noSamples() })
    const [run] = await openFiles([{ name: 'r', file: packed }], () => 'opened')
    expect(run?.summary.own).toEqual(summary.own)
  })

  test('is shown without a part that can’t be read', () => {
    const { agreements, ...rest } = own
    expect(agreements).toBeDefined()
    expect(readOwnBlock(file({ agreements: [{ task: 'facts', n: 'many' }] }))).toEqual(rest)
  })

  test('tells results of ours from the harness’s', async () => {
    const [ours] = await open(JSON.stringify(file()))
    expect(ours).toMatchObject({ kind: 'own-results', summary: { own: { scores: own.scores } } })
    expect(ours?.facts).toContainEqual(['yardstick.dtype', 'q4'])
    const { yardstick, ...harness } = file()
    expect(yardstick).toBeDefined()
    const [theirs] = await open(JSON.stringify(harness))
    expect(theirs?.kind).toBe('harness')
    expect(theirs?.summary.own).toBeUndefined()
  })
})
