/** The text worker as an evaluation calls it: every call under a deadline, after which the worker is killed. */
import type { WorkerHandle } from '../rpc/handle.ts'
import type { TextWorkerApi } from '../rpc/text-api.ts'

/** Longest that a call may take, in milliseconds. Per-doc budgets inside are far shorter; these end what no budget inside can. */
const deadlinesMs: { readonly [method in keyof TextWorkerApi]: number } = {
  loadTokenizer: 60_000,
  loadTasks: 60_000,
  resolve: 30_000,
  build: 300_000,
  preview: 60_000,
  watchGeneration: 60_000,
  answer: 60_000,
  runningScores: 60_000,
  results: 900_000,
  docHashes: 60_000,
  clusterTasks: 60_000,
}

export function withDeadlines(handle: WorkerHandle<TextWorkerApi>): TextWorkerApi {
  return {
    loadTokenizer: (...args) => handle.callWithDeadline(deadlinesMs.loadTokenizer, (api) => api.loadTokenizer(...args)),
    loadTasks: (...args) => handle.callWithDeadline(deadlinesMs.loadTasks, (api) => api.loadTasks(...args)),
    resolve: (...args) => handle.callWithDeadline(deadlinesMs.resolve, (api) => api.resolve(...args)),
    build: (...args) => handle.callWithDeadline(deadlinesMs.build, (api) => api.build(...args)),
    preview: (...args) => handle.callWithDeadline(deadlinesMs.preview, (api) => api.preview(...args)),
    watchGeneration: (...args) => handle.callWithDeadline(deadlinesMs.watchGeneration, (api) => api.watchGeneration(...args)),
    answer: (...args) => handle.callWithDeadline(deadlinesMs.answer, (api) => api.answer(...args)),
    runningScores: () => handle.callWithDeadline(deadlinesMs.runningScores, (api) => api.runningScores()),
    results: (...args) => handle.callWithDeadline(deadlinesMs.results, (api) => api.results(...args)),
    docHashes: (...args) => handle.callWithDeadline(deadlinesMs.docHashes, (api) => api.docHashes(...args)),
    clusterTasks: (...args) => handle.callWithDeadline(deadlinesMs.clusterTasks, (api) => api.clusterTasks(...args)),
  }
}
