/** Texts of the page about Yardstick; loaded with it. */
import { translated } from './language.svelte.ts'
import { fill, type Values } from './t.ts'

export const aboutTexts = {
  heading: 'About Yardstick',
  what: 'Yardstick measures language models inside the browser. You pick a small model and a benchmark, and the model runs on your own machine: nothing is installed, nothing is uploaded, nothing costs money.',
  numbersHeading: 'Whose numbers these are',
  numbers:
    'Scores are the ones that EleutherAI’s lm-evaluation-harness, version 0.4.13, gives for the same weights: the same prompts, log-likelihoods, filters, metrics and standard errors. Result files have the harness’s format, and its task files run unchanged. All log-probabilities are in nats.',
  acc: 'The share of questions whose right choice has the highest log-probability, summed over its tokens.',
  accNorm: 'The same after dividing by the choice’s length in characters, so that long choices aren’t at a disadvantage.',
  trustHeading: 'How far to trust them',
  trust:
    'Graphics drivers make mistakes. Before a score is computed on WebGPU, the adapter is compared with the CPU engine on fixed texts; the largest difference is shown with the result, and an adapter that disagrees is not used. Every run records exactly which files, settings and software made it.',
  privacyHeading: 'Privacy',
  privacy:
    'Prompts, answers, scores and your task files stay in this browser. Models and datasets that aren’t included come from the Hugging Face Hub, which sees those downloads, what you type into its search, and nothing else. One more file is fetched where you type its address yourself and confirm its host, which then learns that this page asks. A token for the Hub stays in memory unless you ask for it to be remembered. There are no cookies, no analytics and no servers of ours.',
  hereHeading: 'In this browser',
  isolated: 'This page is cross-origin isolated, so the CPU engine can use several threads.',
  requirements: 'WebGPU needs a recent browser and a supported graphics card; everything also works without it, more slowly.',
  licenceHeading: 'Licence',
  licence:
    'Yardstick is free software under the Apache License 2.0. It builds on ONNX Runtime Web, transformers.js and Svelte. Models and datasets keep their own licences, which are shown with each run.',
  version: 'Version {version}',
} as const

/** The text of `key`, each `{name}` replaced by its value. */
export function aboutText(key: keyof typeof aboutTexts, values: Values = {}): string {
  return fill(translated('about', aboutTexts)[key], values)
}
