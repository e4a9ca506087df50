/** What a comparison reads of a run. */
import type { Json } from '../../base/errors.ts'
import type { SampleView } from '../../contracts/samples.ts'
import { lineHashes } from '../cluster/line-hashes.ts'
import type { ResultFile } from './result-file.ts'

/** One doc's sample as far as a comparison reads it. */
export interface ComparedSample {
  readonly docId: number
  readonly filter: string
  /** Hash of the doc's content; null in files that have none. */
  readonly docHash: string | null
  /** Hash of its prompt, examples and chat template included; null in files that have none. */
  readonly promptHash: string | null
  readonly metrics: { readonly [name: string]: Json }
  /** Log-likelihoods of the choices in nats, in order; empty where none are scored. */
  readonly logprobs: readonly number[]
}

export interface ComparedRun {
  readonly file: ResultFile
  /** False for samples without their results file: scores are known, how they came about is not. */
  readonly hasSettings: boolean
  /** By task; empty when no samples came along. */
  readonly samples: ReadonlyMap<string, readonly ComparedSample[]>
}

/** The few facts of a sample that are compared, without its texts. */
export function comparedSample({ docId, filter, metrics, choices, line }: SampleView): ComparedSample {
  const { docHash, promptHash } = lineHashes(line)
  return {
    docId,
    filter,
    metrics,
    logprobs: choices.map(({ logprob }) => logprob),
    docHash: docHash || null,
    promptHash: promptHash || null,
  }
}
