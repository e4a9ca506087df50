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
