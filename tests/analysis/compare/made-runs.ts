/** Small runs for tests of comparisons, as their files would say. */
import type { ComparedRun, ComparedSample } from '../../../src/analysis/compare/compared-run.ts'
import { readResultFile } from '../../../src/analysis/compare/result-file.ts'

export interface MadeTask {
  readonly acc: readonly number[]
  /** Log-likelihoods of the choices, doc by doc. */
  readonly logprobs?: readonly (readonly number[])[]
  /** What the prompts' hashes begin with. */
  readonly prompt?: string
  /** What the docs' hashes begin with; the task's name by default. */
  readonly docs?: string
}

/** A run of some tasks, with `acc` of every doc. */
export function madeRun(
  name: string,
  tasks: { readonly [task: string]: MadeTask },
  {
    dtype = 'fp32',
    revision = 'main',
    commit = 'c1',
  }: { readonly dtype?: string; readonly revision?: string; readonly commit?: string } = {},
): ComparedRun {
  const results = Object.fromEntries(
    Object.entries(tasks).map(([task, { acc }]) => [
      task,
      { 'acc,none': acc.reduce((a, b) => a + b, 0) / acc.length, 'acc_stderr,none': 0.1 },
    ]),
  )
  const whole = {
    results,
    config: { model_args: { revision }, model_sha: commit, model_dtype: dtype },
    model_name: 'org/model',
    chat_template_sha: null,
  }
  const samples = Object.entries(tasks).map(([task, { acc, logprobs, prompt = 'p', docs = task }]): [string, ComparedSample[]] => [
    task,
    acc.map((value, docId) => ({
      docId,
      filter: 'none',
      docHash: `${docs} ${docId}`,
      promptHash: `${prompt} ${docId}`,
      metrics: { acc: value },
      logprobs: logprobs?.[docId] ?? [],
    })),
  ])
  return { file: readResultFile(whole, name), hasSettings: true, samples: new Map(samples) }
}
