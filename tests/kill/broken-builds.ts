/** Builds that break the durability protocol on purpose, each in the way that a hurried author would; the kill test must fail on every one. */

export type BuildName = 'good' | 'put' | 'counters' | 'repack'

export const buildNames: readonly BuildName[] = ['good', 'put', 'counters', 'repack']

export interface Mutation {
  /** End of the source's path. */
  readonly file: string
  readonly find: string
  readonly replace: string
}

const mutations: { readonly [name in BuildName]: readonly Mutation[] } = {
  good: [],

  // "put, so that writing twice is no error": a second tab's answers replace the ones that the first has acknowledged.
  put: [
    { file: 'storage/commit.ts', find: '.add(row, row.keys[0])', replace: '.put(row, row.keys[0])' },
    { file: 'storage/commit.ts', find: 'journal.add(', replace: 'journal.put(' },
  ],

  // "remember how far we are": a count of batches in the run's row, raised in a transaction of its own, and believed on resume.
  counters: [
    {
      file: 'storage/open-store.ts',
      find: "failPoint('before-tx')",
      replace: `await database.transact(['runs'], 'readwrite', async (tx) => {
        const tail = await readTail(tx, batch.runId, batch.epoch)
        await putTail(tx, { ...tail, batchesDone: batch.planIndex + 1 })
      })
      failPoint('before-tx')`,
    },
    {
      file: 'evaluation/answer-all.ts',
      find: 'for (const [planIndex, batch] of plan.batches.entries()) {',
      replace: `const counter = (await evaluation.store.listRuns()).find((row) => row.runId === prepared.manifest.runId)?.batchesDone ?? 0
      for (const [planIndex, batch] of plan.batches.entries()) {
        if (planIndex < counter) continue`,
    },
  ],

  // "only what is left": missing items are put into full batches again, counted on from the ones that are there.
  repack: [
    {
      file: 'evaluation/answer-all.ts',
      find: 'for (const [planIndex, batch] of plan.batches.entries()) {',
      replace: `const left = plan.batches.flatMap(({ items }) => items).filter((item) => !book.isAnswered(item))
      const firstLeft = plan.batches.length - Math.ceil(left.length / 8)
      const packed = Array.from({ length: Math.ceil(left.length / 8) }, (_, at) => [firstLeft + at, { items: left.slice(at * 8, at * 8 + 8), prefixes: [] }])
      for (const [planIndex, batch] of packed) {`,
    },
  ],
}

/** The changes of sources that make the build. */
export function mutationsOf(name: BuildName): readonly Mutation[] {
  return mutations[name]
}
