/** Samples of finished runs, for the page. */
import { comparedSample } from '../../analysis/compare/compared-run.ts'
import { searchTexts } from '../../analysis/viewer/doc-filters.ts'
import type { SearchText } from '../../analysis/viewer/doc-index.ts'
import type { SamplesApi } from '../../rpc/run-worker-api.ts'
import type { KeptStore } from './kept-store.ts'

export function serveSamples(kept: KeptStore): Omit<SamplesApi, 'promptTokens'> {
  /** The texts of the run whose docs were searched last, so that the next key stroke doesn't read them again. */
  let searched: { readonly runId: string; readonly texts: Promise<readonly SearchText[]> } | null = null
  return {
    samplesOf: async (runId, task, page) => {
      const { total, samples } = await (await kept.open()).samplesOf(runId, task, page)
      return { task, offset: page.offset, total, samples }
    },
    comparedSamplesOf: async (runId, task, page) => {
      const { total, samples } = await (await kept.open()).samplesOf(runId, task, page)
      return { total, samples: samples.map(comparedSample) }
    },
    docIndexesOf: async (runId) => {
      // What is searched may have been made anew since.
      searched = null
      return (await kept.open()).docIndexesOf(runId)
    },
    searchDocs: async (runId, text) => {
      if (searched?.runId !== runId) searched = { runId, texts: (await kept.open()).searchTextsOf(runId) }
      const texts = await searched.texts.catch((error: unknown) => {
        searched = null
        throw error
      })
      return texts.map((one) => searchTexts(one, text))
    },
  }
}
