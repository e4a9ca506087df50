/** The flags of a judge, as data. */
import type { JudgedTexts } from '../../analysis/judge/docs.ts'
import { goldPostprocessors, postprocessors } from '../../analysis/judge/postprocess.ts'
import { judgeWays, type JudgeBy } from '../../analysis/judge/verdict.ts'
import type { Flag } from './flag.ts'

export interface JudgeFlags {
  /** A model id, a folder, or a GGUF file; with an address the name that is asked for there. */
  readonly model: string
  readonly revision: string
  /** Null = the model's default. */
  readonly dtype: string | null
  /** Name of the GGUF file that `model` is, in its folder; null for other models. */
  readonly ggufFile: string | null
  /** A file's path, unread; null = the built-in prompt. */
  readonly template: string | null
  readonly by: JudgeBy
  readonly chatTemplate: boolean | 'auto'
  readonly texts: JudgedTexts
  /** Of an OpenAI-compatible server; null = the judge runs here. */
  readonly address: string | null
}

/** Below the output path: one folder a judging, by its time. */
export const judgeFolder = 'judge'

export const judgeFlags: readonly Flag[] = [
  {
    name: 'judge_model',
    kind: 'text',
    value: 'ID|FOLDER|FILE.gguf',
    help: 'a second model that says of every generated answer whether it is right',
  },
  { name: 'judge_revision', kind: 'text', value: 'REV', help: 'its revision (default main)' },
  { name: 'judge_dtype', kind: 'text', value: 'DTYPE', help: 'its dtype (default: the model’s own)' },
  { name: 'judge_template', kind: 'text', value: 'FILE', help: 'its prompt, with {obj_gold} and {prediction}, and {question} if wanted' },
  {
    name: 'judge_by',
    kind: 'text',
    value: judgeWays.join('|'),
    help: 'the text that it writes (default), or the likelier of “[Yes]” and “[No]”',
  },
  { name: 'judge_chat_template', kind: 'switch', help: 'ask it in its chat template (default: where it has one)' },
  { name: 'judge_filter', kind: 'text', value: 'NAME', help: 'the task’s filter that stands beside it (default: the first)' },
  {
    name: 'judge_postprocess',
    kind: 'text',
    value: 'NAME',
    help: `what an answer goes through before: ${postprocessors.join(', ')} (default none)`,
  },
  { name: 'judge_gold_postprocess', kind: 'text', value: 'NAME', help: `the same for references: ${goldPostprocessors.join(', ')}` },
  {
    name: 'judge_address',
    kind: 'text',
    value: 'URL',
    help: 'ask an OpenAI-compatible server instead; questions and answers go there (key: $YARDSTICK_JUDGE_KEY)',
  },
]

/** The judge that is asked for; null for none. `fail` is called with what is wrong. */
export function readJudge(
  text: (name: string) => string | null,
  isSwitchedOn: (name: string) => boolean | null,
  fail: (problem: string) => never,
): JudgeFlags | null {
  const oneOf = <T extends string>(name: string, known: readonly T[], fallback: T): T => {
    const value = text(name)
    if (value === null) return fallback
    return known.find((one) => one === value) ?? fail(`--${name}: wanted one of ${known.join(', ')}, found ${JSON.stringify(value)}`)
  }
  const model = text('judge_model')
  if (model === null) {
    const lonely = judgeFlags.find(({ name }) => text(name) !== null || isSwitchedOn(name) !== null)
    return lonely === undefined ? null : fail(`--${lonely.name} needs --judge_model`)
  }
  const address = text('judge_address')
  if (address !== null && !(URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)))
    fail(`--judge_address: wanted an http or https address, found ${JSON.stringify(address)}`)
  const by = oneOf('judge_by', judgeWays, 'text')
  if (address !== null && by !== 'text') fail('--judge_address answers with text: --judge_by loglikelihood needs a judge that runs here')
  // Of a server it is a name like any other.
  const ggufFile = address === null && model.endsWith('.gguf') ? (model.split(/[\\/]/).at(-1) ?? null) : null
  const dtype = text('judge_dtype')
  if (ggufFile !== null && dtype !== null) fail(`--judge_dtype ${dtype}: the GGUF file ${ggufFile} runs as it is stored`)
  return {
    model,
    revision: text('judge_revision') ?? 'main',
    dtype,
    ggufFile,
    template: text('judge_template'),
    by,
    chatTemplate: isSwitchedOn('judge_chat_template') ?? 'auto',
    texts: {
      filter: text('judge_filter'),
      prediction: oneOf('judge_postprocess', postprocessors, 'none'),
      gold: oneOf('judge_gold_postprocess', goldPostprocessors, 'none'),
    },
    address,
  }
}
