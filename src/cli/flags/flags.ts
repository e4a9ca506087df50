/**
 * Every flag of the command line, as data: `args.ts` reads it, `help.ts` prints it. Names and short forms are those of
 * lm-evaluation-harness 0.4.13 (`_cli/run.py`); what is our own says so.
 */

import { fanFlags } from './fan-flags.ts'
import type { Flag } from './flag.ts'
import { judgeFlags } from './judge-flags.ts'

const flags: readonly Flag[] = [
  {
    name: 'model',
    short: 'M',
    kind: 'text',
    value: 'ID|FOLDER|FILE.gguf',
    help: 'a model on the Hub, an embedded one, a folder, or a GGUF file; hf and vllm take pretrained= from --model_args',
  },
  {
    name: 'model_args',
    short: 'a',
    kind: 'dict',
    value: 'k=v,…',
    help: 'pretrained, revision, dtype, max_length, add_bos_token, …; or a JSON object',
  },
  {
    name: 'revision',
    kind: 'text',
    value: 'REV|a,b,c',
    help: 'branch, tag or commit of the model; several run one after the other, with one table, CSV and curves',
  },
  {
    name: 'dtype',
    kind: 'text',
    value: 'DTYPE|a,b,c',
    help: 'fp32, fp16, q8, q4, q4f16, …; a torch dtype is mapped; several run one after the other, with the matrix of what each costs (not with several revisions)',
  },
  {
    name: 'device',
    kind: 'text',
    value: 'auto|webgpu|wasm',
    help: 'where the model runs; only auto chooses, webgpu and wasm never fall back',
  },
  { name: 'tasks', short: 't', kind: 'list', value: 'a,b,group|list', help: 'tasks, groups or tags; list prints all of them' },
  { name: 'include_path', kind: 'text', value: 'FOLDER', help: 'a folder with further task files' },
  { name: 'num_fewshot', short: 'f', kind: 'integer', value: 'N', help: 'examples in the context' },
  { name: 'limit', short: 'L', kind: 'number', value: 'N|0.x', help: 'docs a task, as a number or a fraction' },
  { name: 'samples', short: 'E', kind: 'text', value: 'JSON|FILE', help: 'task → doc numbers, instead of --limit' },
  { name: 'apply_chat_template', kind: 'optional', value: '[NAME]', help: "wrap prompts in the model's chat template" },
  { name: 'fewshot_as_multiturn', kind: 'switch', help: 'examples as turns of a chat (default: on with a chat template)' },
  { name: 'system_instruction', kind: 'text', value: 'TEXT', help: 'system message, or text before the prompt' },
  { name: 'gen_kwargs', kind: 'dict', value: 'k=v,…', help: 'generation arguments; or a JSON object' },
  { name: 'seed', kind: 'text', value: 'N|a,b,c,d', help: 'seeds of random, numpy, torch and few-shot (default 0,1234,1234,1234)' },
  { name: 'log_samples', short: 's', kind: 'switch', help: 'write samples_*.jsonl (default: on)' },
  { name: 'output_path', short: 'o', kind: 'text', value: 'FOLDER', help: 'where the files go (default results/)' },
  { name: 'write_out', short: 'w', kind: 'switch', help: 'print the first prompts before the run' },
  { name: 'predict_only', short: 'x', kind: 'switch', help: 'keep the answers, compute no metrics' },
  { name: 'show_config', kind: 'switch', help: 'print the whole results file after the run' },
  {
    name: 'metadata',
    kind: 'dict',
    value: 'k=v,…',
    help: 'metadata for tasks that ask for some; or a JSON object. guess_seed=N and numeric_tolerance=0.002 add scores of ours',
  },
]

const ownFlags: readonly Flag[] = [
  {
    name: 'model_format',
    kind: 'text',
    value: 'onnx|safetensors|gguf',
    help: 'which of the model’s weights to take, where it has several (default: the first of these that it has)',
  },
  {
    name: 'allow_outside',
    kind: 'switch',
    help: 'task files of --include_path may name files outside that folder and the one you are in (default: refused by name)',
  },
  { name: 'hub', kind: 'text', value: 'URL', help: 'another Hub address, as HF_ENDPOINT is elsewhere (default https://huggingface.co)' },
  { name: 'hub_token', kind: 'switch', help: 'send $HF_TOKEN to that other Hub address too' },
  {
    name: 'unsafe_webgpu',
    kind: 'switch',
    help: 'start the browser with its experimental WebGPU features: other kernels than a page gets (default: as a page has it)',
  },
  { name: 'scoring', kind: 'text', value: 'fast|reference', help: 'how log-likelihoods are computed (default fast)' },
  {
    name: 'resume',
    kind: 'optional',
    value: '[ID]',
    help: 'go on with an interrupted run: the given one, or the newest with the same settings',
  },
  {
    name: 'noise',
    kind: 'integer',
    value: 'N',
    help: 'compute the first N items afresh, twice together and twice one at a time, and print how answers differ',
  },
  {
    name: 'second_opinion',
    kind: 'integer',
    value: 'N',
    help: 'have transformers.js score the first N docs again after the run, and print how the two agree',
  },
  {
    name: 'measure_speed',
    kind: 'switch',
    help: 'measure prompt and writing speed after the run, as speed does, and keep it in the result file',
  },
  { name: 'no_cache', kind: 'switch', help: 'compute everything anew (answers are still kept)' },
  { name: 'keep_packed', kind: 'switch', help: 'leave weights of 4 and 8 bits packed on WASM: less memory, slower, the same scores' },
  {
    name: 'shard',
    kind: 'text',
    value: 'i/n',
    help: 'ask only the i-th of n parts of the docs, split by their content; merge puts the parts together',
  },
  { name: 'shard_overlap', kind: 'integer', value: 'N', help: 'with --shard: N docs of each task that every part asks (default 0)' },
  { name: 'tensor_parallel', kind: 'integer', value: 'N', help: 'with export: GPUs that share one model (default 1)' },
  { name: 'data_parallel', kind: 'integer', value: 'N', help: 'with export: copies of the model that share the docs (default 1)' },
  { name: 'json', kind: 'switch', help: 'results on standard output, all else on standard error' },
  { name: 'details', kind: 'switch', help: 'with compare: every score, also where there are many' },
  { name: 'embedded', kind: 'switch', help: 'with models: the embedded ones only' },
  { name: 'help', short: 'h', kind: 'switch', help: 'this text' },
]

/** Flags that name a file of flags; `config-flags.ts` puts what the file says in their place before anything else is read. */
export const fileFlags: readonly (Flag & { readonly holds: 'run' | 'model' | 'tasks' })[] = [
  {
    name: 'config',
    short: 'C',
    kind: 'text',
    value: 'FILE',
    holds: 'run',
    help: 'a YAML file of these flags, as lm_eval takes it, or Meta’s eval_config.yaml; typed ones win',
  },
  {
    name: 'model_config_yaml',
    kind: 'text',
    value: 'FILE',
    holds: 'model',
    help: 'a model file of the African-language suite (model_name, model_type, …)',
  },
  {
    name: 'task_config_yaml',
    kind: 'text',
    value: 'FILE',
    holds: 'tasks',
    help: 'a task file of that suite (task_template, languages); its --eval.* spellings are taken too',
  },
]

/** Flags of the harness that have no meaning here: accepted, and named as ignored. */
export const ignoredFlags: readonly Flag[] = [
  { name: 'batch_size', short: 'b', kind: 'text', help: 'batches are planned from the requests alone' },
  { name: 'max_batch_size', kind: 'text', help: 'batches are planned from the requests alone' },
  { name: 'use_cache', short: 'c', kind: 'text', help: 'answers are always kept; --no_cache computes anew' },
  { name: 'cache_requests', kind: 'optional', help: 'requests are cheap to build' },
  { name: 'check_integrity', kind: 'switch', help: 'files are always checked' },
  { name: 'trust_remote_code', kind: 'switch', help: 'no remote code can run' },
  { name: 'confirm_run_unsafe_code', kind: 'switch', help: 'no unsafe code can run' },
  { name: 'verbosity', short: 'v', kind: 'text', help: 'there is one level' },
  { name: 'wandb_args', kind: 'dict', help: 'nothing is uploaded' },
  { name: 'wandb_config_args', kind: 'dict', help: 'nothing is uploaded' },
  { name: 'trackio_args', kind: 'dict', help: 'nothing is uploaded' },
  { name: 'hf_hub_log_args', kind: 'dict', help: 'nothing is uploaded' },
]

export const allFlags: readonly Flag[] = [...flags, ...ownFlags, ...judgeFlags, ...fanFlags, ...ignoredFlags]

export const commands = [
  'run',
  'tasks',
  'models',
  'prompts',
  'command',
  'compare',
  'import',
  'export',
  'merge',
  'judge',
  'fan',
  'speed',
] as const
export type Command = (typeof commands)[number]

/** The text of `--help`. */
export function formatHelp(): string {
  const line = (flag: Flag): string => {
    const names = `--${flag.name}${flag.short === undefined ? '' : `, -${flag.short}`}${flag.value === undefined ? '' : ` ${flag.value}`}`
    return `  ${names.padEnd(38)}${flag.help}`
  }
  return [
    'Evaluates a language model in headless Chromium: the same code that the page runs.',
    '',
    'Usage',
    '  npm run eval                            the embedded model on the embedded benchmark',
    '  npm run eval -- [flags]                 a run',
    '  npm run eval -- tasks [FILTER]          tasks, groups and tags whose name contains FILTER',
    '  npm run eval -- models [--embedded]     models and their dtypes; with --json as an array',
    '  npm run eval -- prompts [flags]         the requests of the first docs (--limit N of them); needs no model',
    '  npm run eval -- command --config FILE   the lm_eval command that Meta’s eval_config.yaml stands for; runs nothing',
    '  npm run eval -- speed [flags]           how fast the model is here: prompts of 512 tokens, texts of 128, mean ± sd of five, as Markdown',
    '  npm run eval -- import FILE…            the table of result files (lm_eval’s, or a run saved as one file); a folder means those in it',
    '  npm run eval -- compare A B …           runs beside the first: same setup or not, differences with intervals, docs that changed sides',
    '  npm run eval -- export [FOLDER] [flags] a folder (default cluster/) that lm_eval runs elsewhere: tasks, rows, commands for hf and vllm',
    '  npm run eval -- fan --tasks TASK        a multiple-choice task in several styles, with and without the chat template: scores, spread, and the widest pair',
    '  npm run eval -- judge RUN|FOLDER …      a second model (--judge_model) decides on the generated answers of a kept run, or of samples files',
    '  npm run eval -- merge A B …             shards of one run (--shard i/n) as the files of the whole run; says what is missing, and how docs that several asked agree',
    '',
    'Flags of the lm-evaluation-harness (switches take an optional true or false)',
    ...flags.map(line),
    '',
    'Files of flags',
    ...fileFlags.map(line),
    '',
    'Our own flags',
    ...ownFlags.map(line),
    '',
    'A judge, after the run or over an earlier one',
    ...judgeFlags.map(line),
    '',
    'A prompt fan',
    ...fanFlags.map(line),
    '',
    `Accepted and ignored: ${ignoredFlags.map((flag) => `--${flag.name}`).join(', ')}`,
    '',
    'Environment',
    '  HF_TOKEN              token for gated models and datasets; sent to the Hub alone, kept in memory',
    '  YARDSTICK_JUDGE_KEY   key for --judge_address; sent there alone, never written down',
    '  YARDSTICK_CHROMIUM    the browser to use',
    '  YARDSTICK_PROFILE     folder of the browser profile, which keeps downloads, answers and runs',
    '',
    'Exit codes: 0 a complete run, 1 an error or an incomplete run, 2 a wrong command line, 130 stopped by Ctrl-C.',
  ].join('\n')
}
