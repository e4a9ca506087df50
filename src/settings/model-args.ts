import { EvalError, type Json } from '../base/errors.ts'
import { isAttentionName } from './attention.ts'

type Args = { readonly [key: string]: Json }

/** Model arguments of HFLM and vLLM that decide prompts or scores here; all others have no effect. */
export const effectiveModelArgs: readonly string[] = [
  'max_length',
  'max_model_len',
  'add_bos_token',
  'prefix_token_id',
  'enable_thinking',
  'think_end_token',
  'chat_template_args',
  'attn_implementation',
]

/**
 * Arguments of HFLM, vLLM and transformers' `generate` that name a model, its files, a tokenizer or an adapter, or let code of theirs run.
 * They count on the command line alone, where the user typed them: a link or a file that brought them would choose what others load.
 * A part of a name is enough: nothing is lost by refusing one too many, which would have no effect here.
 */
const naming =
  /pretrained|revision|dtype|file|code|tokenizer|peft|delta|lora|adapter|quant|gptq|model|path|engine|config|folder|variant|url|_dir|load|hf_|specul|assist|custom|attn|worker|token$/i

/** Those of them that the harness's tasks read of their metadata; other words are a task's own there. */
const namingMetadata = /^(?:pretrained|revision|dtype|gguf_file|peft|delta|tokenizer|.*_code)$/i

/** The names among the arguments that only a typed command line may give. */
export function namingArgs(args: Args, kind: 'arguments' | 'metadata' = 'arguments'): readonly string[] {
  return Object.keys(args).filter((name) =>
    kind === 'metadata' ? namingMetadata.test(name.trim()) : naming.test(name) && !isEffective(name, args[name]),
  )
}

/** `attn_implementation` with a value that isn't transformers' own names code to load. */
function isEffective(name: string, value: Json | undefined): boolean {
  return effectiveModelArgs.includes(name) && (name !== 'attn_implementation' || isAttentionName(value))
}

/** The arguments but those that only a typed command line may give. */
export function withoutNaming(args: Args, kind?: 'metadata'): Args {
  const names = namingArgs(args, kind)
  return Object.fromEntries(Object.entries(args).filter(([name]) => !names.includes(name)))
}

/** Why they aren't taken, in one sentence. */
export function refusalOf(names: readonly string[]): string {
  return `Not taken: ${names.join(', ')}. Arguments that name a model or its files, or let code run, count on the command line alone, where you type them.`
}

/** Throws `settings/invalid` that names such arguments; `where` is the flag that held them. */
export function refuseNaming(args: Args, where: string): void {
  const names = namingArgs(args)
  if (names.length > 0) throw new EvalError('settings/invalid', `${where}: ${refusalOf(names)}`, { details: { key: where, names } })
}

/** The arguments with vLLM's name for the length as HFLM's, which is the one that is read here. */
export function namedAsHflm({ max_model_len: length, ...rest }: Args): Args {
  return length === undefined ? rest : { max_length: length, ...rest }
}

/** The arguments that take effect: what results and exports tell of. */
export function effectiveArgs(args: Args): Args {
  return Object.fromEntries(Object.entries(namedAsHflm(args)).filter(([name, value]) => isEffective(name, value)))
}

/** One sentence that names the arguments without an effect here; null for none. `truncation` gets its reason, since prompts are cut all the same. */
export function ignoredModelArgs(modelArgs: Args): string | null {
  const ignored = Object.keys(modelArgs).filter((key) => !isEffective(key, modelArgs[key]))
  if (ignored.length === 0) return null
  const cut = ignored.includes('truncation')
    ? ' (truncation: log-likelihoods are cut from the left and prompts of texts to leave room for them, as the harness does without it)'
    : ''
  return `Model arguments without an effect here: ${ignored.join(', ')}${cut}.`
}
