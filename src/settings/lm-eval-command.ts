/** A run as the command that lm_eval 0.4.13 takes (`_cli/run.py`), for whoever goes on with it elsewhere. */
import type { Json } from '../base/errors.ts'
import type { RunSettings } from '../contracts/run-settings.ts'
import { argumentsText } from './arguments-text.ts'
import { harnessModelArgs } from './run-config-write.ts'

const defaultSeeds = '0,1234,1234,1234'

/** Where the command runs: what starts it, which backend, with what model arguments, and flags that go before the output's. */
interface CommandForm {
  readonly launcher: string
  readonly model: 'hf' | 'vllm'
  readonly modelArgs: { readonly [key: string]: Json }
  readonly more: readonly (readonly [flag: string, value: string])[]
}

/**
 * The command, one flag a line, ready to paste into a POSIX shell. `includePath` is the folder that the run's own task files are saved in;
 * null when it needs none. Without a `form` it is for one machine, and device and batch size are left to the harness.
 */
export function lmEvalCommand(settings: RunSettings, includePath: string | null, form: CommandForm = onOneMachine(settings)): string {
  const { random, numpy, torch, fewshot } = settings.seeds
  const seed = [random, numpy, torch, fewshot].join(',')
  const template = settings.applyChatTemplate
  const flags: readonly (readonly [flag: string, value: string | true | null])[] = [
    ['model', form.model],
    ['model_args', argumentsText(form.modelArgs)],
    ['tasks', settings.tasks.join(',')],
    ['include_path', includePath],
    ['num_fewshot', settings.numFewshot === null ? null : String(settings.numFewshot)],
    ['limit', settings.limit === null ? null : String(settings.limit)],
    ['samples', settings.samples === null ? null : JSON.stringify(settings.samples)],
    ['apply_chat_template', template === false ? null : template],
    ['fewshot_as_multiturn', settings.fewshotAsMultiturn === null ? null : String(settings.fewshotAsMultiturn)],
    ['system_instruction', settings.systemInstruction],
    ['gen_kwargs', Object.keys(settings.genKwargs).length === 0 ? null : argumentsText(settings.genKwargs)],
    ['seed', seed === defaultSeeds ? null : seed],
    ['metadata', Object.keys(settings.metadata).length === 0 ? null : JSON.stringify(settings.metadata)],
    ['predict_only', settings.predictOnly ? true : null],
    ...form.more,
    ['log_samples', true],
    ['output_path', 'results'],
  ]
  const lines = flags.flatMap(([flag, value]) => {
    if (value === null) return []
    return value === true ? [`--${flag}`] : [`--${flag} ${quote(value)}`]
  })
  return [form.launcher, ...lines].join(' \\\n  ')
}

function onOneMachine(settings: RunSettings): CommandForm {
  return { launcher: 'lm_eval', model: 'hf', modelArgs: harnessModelArgs(settings), more: [] }
}

/** One word of a POSIX shell. */
function quote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
