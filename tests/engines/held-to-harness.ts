/** A task's requests by the embedded model in this process, held against what lm_eval made of the same task file (`make_task_file_goldens.py`). */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { ModelEngine } from '../../src/engines/engine.ts'
import type { DocRequests } from '../../src/harness/requests/output-types.ts'
import { str } from '../../src/python/value.ts'
import { encodeLoglikelihood } from '../../src/tokenizing/encode.ts'
import { loadTokenizer } from '../../src/tokenizing/tokenizer.ts'
import { readEmbedded } from './embedded.ts'
import { loadNodeOrt } from './node-runtime.ts'

export interface HarnessTask {
  readonly acc: number
  readonly docs: readonly {
    readonly target: string
    readonly acc: number
    readonly requests: readonly (readonly [context: string, continuation: string, logprob: number])[]
  }[]
}

export interface HarnessGolden {
  readonly limit: number | null
  readonly num_fewshot: number
  readonly tasks: { readonly [task: string]: HarnessTask }
}

/** Our own script wrote the file; a missing key shows as a failing test. */
export function readHarness(folder: string): HarnessGolden {
  return JSON.parse(readFileSync(`${folder}/harness.json`, 'utf8')) as HarnessGolden
}

export interface Asked {
  /** Prompts, continuations, targets, picks and accuracy are the harness's, log-likelihoods within `nats`; gives the sums of each doc's choices. */
  hold(docs: readonly DocRequests[], wanted: HarnessTask | undefined, nats: number): Promise<readonly (readonly number[])[]>
  close(): Promise<void>
}

/** Opens the model whose files lie in `folder`, as fp32 on WASM. */
export async function openAsked(folder: string): Promise<Asked> {
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8')
  const tokenizer = loadTokenizer({
    ...{ tokenizerJson: read('tokenizer.json'), tokenizerConfig: read('tokenizer_config.json'), config: read('config.json') },
    ...{ specialTokensMap: null, chatTemplate: null, generationConfig: null },
  })
  const engine = new ModelEngine({ loadOrt: loadNodeOrt, gpu: undefined })
  await engine.open(readEmbedded(folder, 'fp32'), { device: 'wasm', dtype: 'fp32', scoring: 'reference', threads: 1 })
  return {
    close: () => engine.close(),
    hold: async (docs, wanted, nats) => {
      expect(docs.map(({ target }) => str(target))).toEqual(wanted?.docs.map(({ target }) => target))
      const all: number[][] = []
      let right = 0
      for (const [place, { requests, target }] of docs.entries()) {
        const golden = wanted?.docs[place]
        const texts = requests.map((request) => (request.type === 'loglikelihood' ? [request.context, request.continuation] : []))
        expect(texts).toEqual(golden?.requests.map(([context, continuation]) => [context, continuation]))
        const items = texts.map(([context = '', continuation = '']) => {
          const { input, target: tokens } = encodeLoglikelihood(tokenizer, context, continuation)
          return { input: Int32Array.from(input), targets: [Int32Array.from(tokens)] }
        })
        const sums = (await engine.score(items)).map(({ answers }) => answers[0]?.logprob ?? NaN)
        for (const [choice, sum] of sums.entries()) expect(Math.abs(sum - (golden?.requests[choice]?.[2] ?? NaN))).toBeLessThan(nats)
        const isRight = sums.indexOf(Math.max(...sums)) === Number(str(target))
        expect(isRight).toBe(golden?.acc === 1)
        right += isRight ? 1 : 0
        all.push(sums)
      }
      expect(right / docs.length).toBe(wanted?.acc)
      return all
    },
  }
}
