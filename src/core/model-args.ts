import type { Json } from './errors.ts'

/** Model arguments of HFLM and vLLM that decide prompts or scores here; all others have no effect. */
export const effectiveModelArgs: readonly string[] = [
  'max_length',
  'max_model_len',
  'add_bos_token',
  'prefix_token_id',
  'enable_thinking',
  'think_end_token',
  'chat_template_args',
  'max_gen_toks',
]

/** What the harness reads of a model's arguments to find it, and we read elsewhere. */
const naming: readonly string[] = ['pretrained', 'revision', 'dtype']

/** One sentence that names the arguments without an effect here; null for none. `truncation` gets its reason, since prompts are cut all the same. */
export function ignoredModelArgs(modelArgs: { readonly [key: string]: Json }): string | null {
  const ignored = Object.keys(modelArgs).filter((key) => !effectiveModelArgs.includes(key) && !naming.includes(key))
  if (ignored.length === 0) return null
  const cut = ignored.includes('truncation')
    ? ' (truncation: log-likelihoods are cut from the left and prompts of texts to leave room for them, as the harness does without it)'
    : ''
  return `Model arguments without an effect here: ${ignored.join(', ')}${cut}.`
}
