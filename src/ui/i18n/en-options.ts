/** Texts of the settings that are folded away; loaded when they are unfolded. */
import { translated } from './language.svelte.ts'

export const optionTexts = {
  templateName: 'Template name',
  templateNameHint: 'Only for models that have several; empty takes the default.',
  multiturn: 'Few-shot examples in the chat',
  multiturnHint: 'The harness splits them into turns unless told otherwise.',
  multiturnDefault: 'default (turns)',
  multiturnTrue: 'one turn each',
  multiturnFalse: 'all in one message',
  system: 'System instruction',
  systemHint: 'Put before every prompt.',
  modelArgs: 'Model arguments',
  modelArgsHint: 'name=value, separated by commas.',
  genKwargs: 'Generation arguments',
  genKwargsHint: 'name=value, or a JSON object.',
  shard: 'Part of the docs',
  shardHint: '1/3: the first of three parts, by content; 1/3+5: and 5 docs that every part asks. Open the parts’ files to merge them.',
  seed: 'Seeds',
  seedHint: 'random, numpy, torch, few-shot.',
  bootstrap: 'Bootstrap iterations',
  bootstrapHint: 'For standard errors that have no formula.',
  metadata: 'Metadata',
  metadataHint:
    'Given to every task, as --metadata: name=value, or a JSON object. guess_seed=1 and numeric_tolerance=0.002 add scores of ours.',
  noise: 'Items to compute again',
  noiseHint: 'Says how much answers differ between repeats; empty for none.',
  useCache: 'Use answers kept from earlier runs',
  keepsPacked: 'Leave weights of 4 and 8 bits packed on WASM: less memory, slower, the same scores',
  predictOnly: 'Only collect answers, compute no scores',
} as const

type OptionKey = keyof typeof optionTexts

/** The text of `key` in the language of the page. */
export function optionText(key: OptionKey): string {
  return translated('options', optionTexts)[key]
}
