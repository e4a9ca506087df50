/** Runs with 300 hostile texts in everything untrusted that they hold. */
import type { ResultsRow } from '../../src/contracts/results.ts'
import type { RunManifest } from '../../src/contracts/runs.ts'
import type { SampleView } from '../../src/contracts/samples.ts'
import { engineFacts, resultsRow, runManifest, runSettings, sample } from '../app/builders.ts'
import { payloads } from './xss-payloads.ts'

const docsPerTask = 50

/** Text that survives UTF-8 on its way. */
export const stored = (text: string): string => Buffer.from(text).toString()
export const joined = stored(payloads.join('\n'))
export const nameAt = (index: number): string => stored(payloads[index] ?? '').slice(0, 300)

/** A row of the table for each payload, in all its texts. */
export const rows: readonly ResultsRow[] = payloads.map((_, index) =>
  resultsRow(nameAt(index), `${nameAt(index)} ${index}`, 0.5, {
    alias: nameAt(index),
    filter: nameAt(index).slice(0, 150),
    version: nameAt(index).slice(0, 40),
    nShot: nameAt(index).slice(0, 40),
    value: index % 3 === 0 ? nameAt(index).slice(0, 40) : 0.5,
  }),
)

/** A sample that says the text wherever a sample has a text. */
export function hostileSample(docId: number, task: string, own: string): SampleView {
  const text = stored(own)
  return sample(docId, {
    task,
    filter: task.slice(0, 100),
    prompt: text,
    target: text,
    choices: [text, `${text} `].map((choice, at) => ({
      text: choice,
      logprob: -1 - at,
      isGreedy: at === 0,
      unconditional: -2,
      tokens: { ids: [at], texts: [choice], logprobs: [-1 - at] },
    })),
    generated: [text],
    filterSteps: [{ name: text, outputs: [text] }],
    metrics: { [text]: text, [`${text}2`]: [text], acc: 1 },
    line: JSON.stringify({ doc: { [text]: text }, target: text }),
  })
}

/** A sample for each payload, in tasks of a few. */
export const samples: readonly SampleView[] = payloads.map((payload, index) => {
  const at = Math.floor(index / docsPerTask)
  return hostileSample(index, `${nameAt(at)} ${at}`, payload)
})

/** A manifest with all of them in each of its texts. */
export function hostileManifest(runId: string): RunManifest {
  const text = joined
  const facts = engineFacts()
  const [origin] = Object.values(runManifest(runId).datasets)
  if (origin === undefined) throw new Error('no dataset')
  return runManifest(runId, {
    createdAt: text.slice(0, 200),
    app: { version: text, build: text },
    settings: runSettings({
      model: text,
      revision: text,
      dtype: text,
      tasks: [text, nameAt(3)],
      systemInstruction: text,
      applyChatTemplate: text,
      taskFiles: [{ path: text, text }],
      dataFiles: { [text]: text },
      modelArgs: { [text]: text },
      genKwargs: { [text]: text },
      metadata: { [text]: text },
      samples: { [text]: [0] },
    }),
    model: { id: text, revision: text, commit: text, license: text, files: [{ path: text, bytes: 1, sha256: 'a'.repeat(64) }] },
    engine: {
      ...facts,
      dtype: text,
      deviceReason: text,
      engine: text,
      numericClass: text,
      adapter: { vendor: text, architecture: text, description: text, isFallback: true },
      selfCheck: { ...facts.selfCheck, message: text },
    },
    tokenizer: { sha256: text, bos: [text, 1], eos: [text, 2], pad: [text, 3], chatTemplate: text, maxLength: 64 },
    datasets: {
      [text]: { ...origin, path: text, name: text, commit: text, warnings: [text], isRestricted: true },
      bench_facts: { ...origin, path: text },
    },
    tasks: { [text]: { config: { [text]: text }, sha256: text, warnings: [text] } },
    plan: { hash: text, requests: 1, batches: 1 },
  })
}
