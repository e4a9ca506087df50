import type { SampleChoice, SampleView } from '../../../src/contracts/samples.ts'

/** A number from 0 to 1 (exclusive), the next of a fixed row: mulberry32. */
export function draws(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

export function choice(text: string, logprob: number, change: Partial<SampleChoice> = {}): SampleChoice {
  return { text, logprob, isGreedy: false, unconditional: null, ...change }
}

const words = ['river', 'Éclair', 'mkate', '水', 'stone', 'wind', 'three', 'zebra crossing', 'a', 'the last of them']

const argmaxOf = (values: readonly number[]): number => values.indexOf(Math.max(...values))

/** A multiple-choice doc with made numbers; its picks are computed here, by themselves. */
export function madeChoiceSample(docId: number, draw: () => number, change: Partial<SampleView> = {}): SampleView {
  const wordAt = (): string => words[Math.floor(draw() * words.length)] ?? ''
  const choices = Array.from({ length: 2 + Math.floor(draw() * 4) }, () => {
    const tokens = Array.from({ length: 1 + Math.floor(draw() * 3) }, () => -draw() * 4)
    return choice(
      `${wordAt()} ${wordAt()}`,
      tokens.reduce((sum, one) => sum + one, 0),
      {
        unconditional: -draw() * 6,
        tokens: { ids: tokens.map((_, at) => at), texts: tokens.map(() => 'x'), logprobs: tokens },
      },
    )
  })
  const by = (length: (text: string) => number): number => argmaxOf(choices.map(({ text, logprob }) => logprob / length(text)))
  const acc = argmaxOf(choices.map(({ logprob }) => logprob))
  const gold = Math.floor(draw() * choices.length)
  return {
    task: 'made',
    docId,
    filter: 'none',
    prompt: `Read and answer.\n\nQuestion: ${wordAt()} ${wordAt()} ${docId}\nAnswer:`,
    target: String(gold),
    choices,
    gold: [gold],
    picks: {
      acc,
      acc_norm: by((text) => [...text].length),
      acc_bytes: by((text) => new TextEncoder().encode(text).length),
      acc_tok: argmaxOf(choices.map(({ logprob, tokens }) => logprob / (tokens?.ids.length ?? NaN))),
    },
    generated: [],
    metrics: { acc: Number(acc === gold) },
    line: `{"doc_id": ${docId}}`,
    ...change,
  }
}

export function madeReplySample(docId: number, reply: string, filtered: string, change: Partial<SampleView> = {}): SampleView {
  return {
    task: 'made',
    docId,
    filter: 'strict-match',
    prompt: `Question ${docId}`,
    target: '42',
    choices: [],
    gold: [],
    picks: null,
    generated: [reply],
    filterSteps: [{ name: 'regex', outputs: [filtered] }],
    metrics: { exact_match: filtered === '42' ? 1 : 0 },
    line: '{}',
    ...change,
  }
}
