/** The command line as data: reads every flag of `flags.ts` in the harness's spellings. Pure: touches no file and no process. */
import type { Parallelism } from '../../analysis/cluster/commands.ts'
import { isEvalError, type Json } from '../../base/errors.ts'
import type { DeviceChoice, ScoringPath } from '../../contracts/engine.ts'
import type { RunSettings } from '../../contracts/run-settings.ts'
import { parseShard, type Shard } from '../../contracts/shard.ts'
import { parseFloatText, parseKeyValues } from '../../settings/key-values.ts'
import { effectiveModelArgs } from '../../settings/model-args.ts'
import { readFan, type FanFlags } from './fan-flags.ts'
import type { Flag } from './flag.ts'
import { allFlags, commands, ignoredFlags, type Command } from './flags.ts'
import { readJudge, type JudgeFlags } from './judge-flags.ts'
import { editDistance, suggestion } from './near-names.ts'

/** A command line that can't be read; its message is one sentence for the person who typed it. */
export class UsageError extends Error {}

export interface CommandLine {
  readonly command: Command | 'help'
  /** `tasks FILTER`. */
  readonly filter: string | null
  /** `import FILE…`, `compare A B …`, `merge A B …`, `export FOLDER`, `judge RUN|FOLDER`. */
  readonly files: readonly string[]
  /** A model id or folder; null = the embedded default. */
  readonly model: string | null
  readonly revision: string | null
  /** Dtypes to try in order; the first that the model offers is used. Null = the model's default. */
  readonly dtypes: readonly string[] | null
  /** The dtype as typed; several with commas are run one after the other. */
  readonly dtypeAsked: string | null
  /** Model arguments that apply here, without pretrained, revision and dtype. */
  readonly modelArgs: { readonly [key: string]: Json }
  readonly device: DeviceChoice
  readonly scoring: ScoringPath
  /** Empty = the embedded default. */
  readonly tasks: readonly string[]
  readonly includePath: string | null
  /** Task files may name data files outside their folder and the caller's. */
  readonly allowOutside: boolean
  readonly numFewshot: number | null
  readonly limit: number | null
  /** JSON text or a file's path, unread. */
  readonly samples: string | null
  readonly applyChatTemplate: boolean | string
  readonly fewshotAsMultiturn: boolean | null
  readonly systemInstruction: string | null
  readonly genKwargs: { readonly [key: string]: Json }
  readonly seeds: RunSettings['seeds']
  readonly metadata: { readonly [key: string]: Json }
  readonly predictOnly: boolean
  readonly logSamples: boolean
  readonly outputPath: string | null
  readonly writeOut: boolean
  readonly showConfig: boolean
  readonly hub: string | null
  readonly hubToken: boolean
  /** true = the newest interrupted run with the same settings. */
  readonly resume: boolean | string
  readonly useCache: boolean
  /** `--noise`: items to compute again; null for none. */
  readonly noiseItems: number | null
  /** `--shard`; null = all docs. */
  readonly shard: Shard | null
  /** `--tensor_parallel`, `--data_parallel` of an export. */
  readonly parallelism: Parallelism
  /** `--judge_model` and what goes with it; null for no judge. */
  readonly judge: JudgeFlags | null
  /** Of `fan`. */
  readonly fan: FanFlags
  readonly json: boolean
  readonly embedded: boolean
  /** `compare --details`. */
  readonly details: boolean
  /** What was accepted without effect, ready to print. */
  readonly notes: readonly string[]
}

/** Reads the arguments after `npm run eval --`. Throws UsageError. */
export function parseCommandLine(argv: readonly string[]): CommandLine {
  const [first] = argv
  const hasCommand = first !== undefined && !first.startsWith('-')
  const command = hasCommand ? readCommand(first) : 'run'
  const { values, rest } = readFlags(hasCommand ? argv.slice(1) : argv)
  const notes = namesOfIgnored(values)
  const takesFiles = (['import', 'compare', 'merge', 'export', 'judge'] as const).some((name) => name === command)
  const files = takesFiles ? rest : []
  const filter = readFilter(command, takesFiles ? [] : rest)

  const modelArgs = { ...(dict(values, 'model_args') ?? {}) }
  const model = readModel(values, modelArgs)
  const revision = readLifted(values, modelArgs, 'revision', notes)
  const dtypeAsked = readLifted(values, modelArgs, 'dtype', notes)
  if (dtypeAsked?.includes(',') && command !== 'run') throw new UsageError(`--dtype: ${command} takes one, found ${dtypeAsked}`)
  const tasks = list(values, 'tasks')
  const limit = readLimit(values)
  const samples = text(values, 'samples')
  if (limit !== null && samples !== null) throw new UsageError('--samples and --limit both choose docs: give one of them')
  const applyChatTemplate = readChatTemplate(values)
  const multiturn = switchOrNull(values, 'fewshot_as_multiturn')
  if (multiturn === true && applyChatTemplate === false) throw new UsageError('--fewshot_as_multiturn needs --apply_chat_template')
  const predictOnly = isOn(values, 'predict_only')

  return {
    command: isOn(values, 'help') ? 'help' : command === 'run' && tasks.length === 1 && tasks[0] === 'list' ? 'tasks' : command,
    filter,
    files,
    model,
    revision,
    dtypes: mapDtype(dtypeAsked, notes),
    dtypeAsked,
    modelArgs: keepApplicable(modelArgs, notes),
    device: readDevice(values, notes),
    scoring: readChoice(values, 'scoring', ['reference', 'fast'], 'fast'),
    tasks: tasks.length === 1 && tasks[0] === 'list' ? [] : tasks,
    includePath: text(values, 'include_path'),
    allowOutside: isOn(values, 'allow_outside'),
    numFewshot: integer(values, 'num_fewshot'),
    limit,
    samples,
    applyChatTemplate,
    fewshotAsMultiturn: multiturn,
    systemInstruction: text(values, 'system_instruction'),
    genKwargs: dict(values, 'gen_kwargs') ?? {},
    seeds: readSeeds(values, notes),
    metadata: dict(values, 'metadata') ?? {},
    predictOnly,
    logSamples: predictOnly || (switchOrNull(values, 'log_samples') ?? true),
    outputPath: text(values, 'output_path'),
    writeOut: isOn(values, 'write_out'),
    showConfig: isOn(values, 'show_config'),
    hub: readHub(values),
    hubToken: isOn(values, 'hub_token'),
    resume: readResume(values),
    useCache: !isOn(values, 'no_cache'),
    noiseItems: readNoise(values),
    shard: readShard(values),
    parallelism: { tensor: countOr(values, 'tensor_parallel', 1), data: countOr(values, 'data_parallel', 1) },
    judge: readJudge(
      (name) => text(values, name),
      (name) => switchOrNull(values, name),
      fail,
    ),
    fan: readFan(
      (name) => list(values, name),
      (name) => text(values, name),
      fail,
    ),
    json: isOn(values, 'json'),
    embedded: isOn(values, 'embedded'),
    details: isOn(values, 'details'),
    notes,
  }
}

function fail(problem: string): never {
  throw new UsageError(problem)
}

// ---------------------------------------------------------------- tokens

type Values = ReadonlyMap<string, boolean | string | readonly string[] | { readonly [key: string]: Json }>

const byName: ReadonlyMap<string, Flag> = new Map(allFlags.map((flag) => [flag.name, flag]))
const byShort: ReadonlyMap<string, Flag> = new Map(
  allFlags.flatMap((flag) => (flag.short === undefined ? [] : [[flag.short, flag] as const])),
)

function readCommand(word: string): Command {
  const command = commands.find((name) => name === word)
  if (command === undefined) {
    throw new UsageError(`${JSON.stringify(word)} is no sub-command${suggestion(word, commands)}; npm run eval -- --help lists them`)
  }
  return command
}

function readFlags(argv: readonly string[]): { values: Values; rest: string[] } {
  const values = new Map<string, boolean | string | readonly string[] | { readonly [key: string]: Json }>()
  const rest: string[] = []
  for (let at = 0; at < argv.length;) {
    const token = argv[at++] ?? ''
    const found = findFlag(token)
    if (found === null) {
      rest.push(token)
      continue
    }
    const { flag, inline } = found
    const following: string[] = inline === null ? [] : [inline]
    const takes = maxValues(flag)
    while (inline === null && following.length < takes && at < argv.length && isValueFor(flag, argv[at] ?? '', following.length)) {
      following.push(argv[at++] ?? '')
    }
    values.set(flag.name, readValue(flag, following, values.get(flag.name)))
  }
  return { values, rest }
}

function findFlag(token: string): { flag: Flag; inline: string | null } | null {
  if (token.startsWith('--') && token.length > 2) {
    const at = token.indexOf('=')
    const name = at < 0 ? token.slice(2) : token.slice(2, at)
    const flag = byName.get(name)
    if (flag === undefined) {
      const known = allFlags.map((each) => each.name)
      throw new UsageError(
        `--${name} is no flag of this command line${suggestion(name.replaceAll('-', '_'), known, '--')}; npm run eval -- --help lists them all`,
      )
    }
    return { flag, inline: at < 0 ? null : token.slice(at + 1) }
  }
  if (/^-[A-Za-z]/.test(token)) {
    const flag = byShort.get(token[1] ?? '')
    if (flag === undefined) throw new UsageError(`${token} is no flag of this command line; npm run eval -- --help lists them all`)
    if (token.length === 2) return { flag, inline: null }
    return { flag, inline: token[2] === '=' ? token.slice(3) : token.slice(2) }
  }
  return null
}

function maxValues(flag: Flag): number {
  return flag.kind === 'list' || flag.kind === 'dict' ? Infinity : 1
}

/** Whether `token` is a value of the flag before it: a switch takes only true and false, the others anything but a flag. */
function isValueFor(flag: Flag, token: string, taken: number): boolean {
  if (flag.kind === 'switch') return readSwitch(token) !== null
  if (token.startsWith('--') || (byShort.has(token.slice(1)) && token.startsWith('-'))) return false
  return taken === 0 || flag.kind === 'list' || flag.kind === 'dict'
}

function readValue(
  flag: Flag,
  given: readonly string[],
  before: unknown,
): boolean | string | readonly string[] | { readonly [key: string]: Json } {
  const [value] = given
  if (flag.kind === 'switch') {
    if (value === undefined) return true
    const isTrue = readSwitch(value)
    if (isTrue === null) throw new UsageError(`--${flag.name} is a switch: wanted true or false, found ${JSON.stringify(value)}`)
    return isTrue
  }
  if (flag.kind === 'optional') return value === undefined ? true : (readSwitch(value) ?? value)
  if (value === undefined) throw new UsageError(`--${flag.name} needs a value${flag.value === undefined ? '' : ` (${flag.value})`}`)
  if (flag.kind === 'list') {
    const earlier = Array.isArray(before) ? before.filter((item) => typeof item === 'string') : []
    return [
      ...earlier,
      ...given
        .flatMap((each) => each.split(','))
        .map((each) => each.trim())
        .filter((each) => each !== ''),
    ]
  }
  if (flag.kind === 'dict') return { ...(isDict(before) ? before : {}), ...readDict(flag, given) }
  return value
}

function readSwitch(text: string): boolean | null {
  const lower = text.toLowerCase()
  if (lower === 'true') return true
  if (lower === 'false') return false
  return null
}

function readDict(flag: Flag, given: readonly string[]): { readonly [key: string]: Json } {
  try {
    // After a JSON object nothing else is read, as in the harness.
    const [first = ''] = given
    if (first.trim().startsWith('{')) return parseKeyValues(first)
    return given.map(parseKeyValues).reduce((all, each) => ({ ...all, ...each }), {})
  } catch (error) {
    if (isEvalError(error)) throw new UsageError(`--${flag.name}: ${error.message}`)
    throw error
  }
}

function isDict(value: unknown): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

// ---------------------------------------------------------------- values by kind

function text(values: Values, name: string): string | null {
  const value = values.get(name)
  return typeof value === 'string' ? value : null
}

function isOn(values: Values, name: string): boolean {
  return values.get(name) === true
}

function switchOrNull(values: Values, name: string): boolean | null {
  const value = values.get(name)
  return typeof value === 'boolean' ? value : null
}

function list(values: Values, name: string): readonly string[] {
  const value = values.get(name)
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}

function dict(values: Values, name: string): { readonly [key: string]: Json } | null {
  const value = values.get(name)
  return isDict(value) ? value : null
}

function integer(values: Values, name: string): number | null {
  const value = text(values, name)
  if (value === null) return null
  if (!/^\+?\d+$/.test(value.trim())) throw new UsageError(`--${name}: wanted a whole number from 0, found ${JSON.stringify(value)}`)
  return Number(value)
}

function readChoice<T extends string>(values: Values, name: string, choices: readonly T[], fallback: T): T {
  const value = text(values, name)
  if (value === null) return fallback
  const choice = choices.find((each) => each === value)
  if (choice === undefined) throw new UsageError(`--${name}: wanted ${choices.join(' or ')}, found ${JSON.stringify(value)}`)
  return choice
}

// ---------------------------------------------------------------- single flags

function readFilter(command: Command, rest: readonly string[]): string | null {
  const [filter, extra] = rest
  const unwanted = command === 'tasks' ? extra : filter
  if (unwanted !== undefined)
    throw new UsageError(`${JSON.stringify(unwanted)} belongs to no flag; a flag's value follows it (--tasks a,b)`)
  return filter ?? null
}

/** Model backends of the harness whose arguments name Hugging Face weights. */
const weightBackends = ['hf', 'hf-auto', 'huggingface', 'vllm']
/** Backends that ask a server or another runtime: there is nothing here to run. */
const otherBackends =
  /^(openai|local|anthropic|watsonx|textsynth|gguf|ggml|sglang|sglang-generate|nemo_lm|megatron_lm|mamba_ssm|hf-multimodal|vllm-vlm|hf-mistral3|steered|dummy|litellm|winml|openvino|optimum-lm|ipex|deepsparse|sparseml|neuronx|habana|gaudi|trtllm)(-(chat|chat-completions|completions|completions-chat|chat-completions-llms|llms))?$/

function readModel(values: Values, modelArgs: { [key: string]: Json }): string | null {
  const model = text(values, 'model')
  const pretrained = modelArgs['pretrained']
  delete modelArgs['pretrained']
  if (pretrained !== undefined && typeof pretrained !== 'string')
    throw new UsageError(`--model_args pretrained: wanted a model, found ${JSON.stringify(pretrained)}`)
  if (model === null) return pretrained ?? null
  if (weightBackends.includes(model)) {
    if (pretrained === undefined) throw new UsageError(`--model ${model} needs --model_args pretrained=ID`)
    return pretrained
  }
  if (otherBackends.test(model))
    throw new UsageError(`--model ${model} runs elsewhere; here a model is a Hub id, a folder, or hf with --model_args pretrained=ID`)
  if (pretrained !== undefined && pretrained !== model)
    throw new UsageError(`two models are named: --model ${model} and pretrained=${pretrained}`)
  return model
}

/** A value that may be a flag of its own or a model argument; the flag wins, and is said to. */
function readLifted(values: Values, modelArgs: { [key: string]: Json }, name: 'revision' | 'dtype', notes: string[]): string | null {
  const own = text(values, name)
  const given = modelArgs[name]
  delete modelArgs[name]
  if (given === undefined || given === null) return own
  if (typeof given === 'object') throw new UsageError(`--model_args ${name}: wanted text, found ${JSON.stringify(given)}`)
  if (own !== null && own !== String(given)) notes.push(`--${name} ${own} wins over ${name}=${given} in --model_args`)
  return own ?? String(given)
}

const torchDtypes: { readonly [torch: string]: readonly string[] } = {
  float32: ['fp32'],
  float: ['fp32'],
  float16: ['fp16', 'fp32'],
  half: ['fp16', 'fp32'],
  bfloat16: ['fp16', 'fp32'],
}

/** What a name of a dtype stands for, in the order in which it is tried: itself, or the counterparts of torch's. */
export function dtypesNamed(name: string): readonly string[] {
  return torchDtypes[name.replace(/^torch\./, '')] ?? [name]
}

/** Null also for a list of them, which is a sweep. */
function mapDtype(asked: string | null, notes: string[]): readonly string[] | null {
  if (asked === null || asked.includes(',')) return null
  const name = asked.replace(/^torch\./, '')
  if (name === 'auto') {
    notes.push("dtype auto: the model's default is used")
    return null
  }
  return dtypesNamed(asked)
}

/** Keeps what has an effect; names the rest; refuses what looks like a misspelt one, because ignoring it would change scores. */
function keepApplicable(modelArgs: { readonly [key: string]: Json }, notes: string[]): { readonly [key: string]: Json } {
  const kept: { [key: string]: Json } = {}
  for (const [key, value] of Object.entries(modelArgs)) {
    if (effectiveModelArgs.includes(key)) kept[key === 'max_model_len' ? 'max_length' : key] = value
    else {
      const meant = ['pretrained', 'revision', 'dtype', ...effectiveModelArgs].find((name) => editDistance(name, key) <= 2)
      if (meant !== undefined) throw new UsageError(`--model_args: ${key} is no argument that applies here; did you mean ${meant}?`)
      notes.push(`ignored: model argument ${key}`)
    }
  }
  return kept
}

function readDevice(values: Values, notes: string[]): DeviceChoice {
  const device = text(values, 'device')
  if (device === null) return 'auto'
  if (/^(cuda|mps|xpu|hpu|npu|rocm|hip)(:\d+)?$/.test(device)) {
    notes.push(`--device ${device} is a torch device: auto is used`)
    return 'auto'
  }
  if (device === 'cpu') {
    notes.push('--device cpu is a torch device: wasm is used')
    return 'wasm'
  }
  return readChoice(values, 'device', ['auto', 'webgpu', 'wasm'], 'auto')
}

function readLimit(values: Values): number | null {
  const value = text(values, 'limit')
  if (value === null) return null
  const limit = parseFloatText(value)
  if (limit === null || limit <= 0)
    throw new UsageError(`--limit: wanted a number of docs or a fraction above 0, found ${JSON.stringify(value)}`)
  return limit
}

function readChatTemplate(values: Values): boolean | string {
  const value = values.get('apply_chat_template')
  return typeof value === 'string' || typeof value === 'boolean' ? value : false
}

const defaultSeeds = [0, 1234, 1234, 1234] as const

/** `--shard i/n` with `--shard_overlap`. */
function readShard(values: Values): Shard | null {
  const given = text(values, 'shard')
  const overlap = integer(values, 'shard_overlap')
  if (overlap !== null && (overlap < 0 || given === null))
    throw new UsageError('--shard_overlap wants a number of docs from 0, and --shard with it')
  if (given === null) return null
  const shard = parseShard(given, overlap ?? 0)
  if (shard === null) throw new UsageError(`--shard: wanted a part such as 1/3, found ${JSON.stringify(given)}`)
  return shard
}

/** A whole number above 0. */
function countOr(values: Values, name: string, fallback: number): number {
  const count = integer(values, name) ?? fallback
  if (count < 1) throw new UsageError(`--${name}: wanted a whole number above 0, found ${count}`)
  return count
}

/** `--noise`: a whole number above 0. */
function readNoise(values: Values): number | null {
  const items = integer(values, 'noise')
  if (items !== null && items < 1) throw new UsageError(`--noise: wanted a whole number above 0, found ${items}`)
  return items
}

/** One number for all four, three or four numbers; `None` takes the default, because a run here is always seeded. */
function readSeeds(values: Values, notes: string[]): RunSettings['seeds'] {
  const value = text(values, 'seed')
  const items = value === null ? [] : value.split(',').map((item) => item.trim())
  if (value !== null && items.length !== 1 && items.length !== 3 && items.length !== 4) {
    throw new UsageError(`--seed: wanted one number, or four with commas, found ${items.length} in ${JSON.stringify(value)}`)
  }
  const seed = (slot: 0 | 1 | 2 | 3): number => {
    const item = items.length === 1 ? items[0] : items[slot]
    if (item === undefined) return defaultSeeds[slot]
    if (item.toLowerCase() === 'none') return defaultSeeds[slot]
    if (!/^[+-]?\d+$/.test(item)) throw new UsageError(`--seed: wanted a whole number or None, found ${JSON.stringify(item)}`)
    return Number(item)
  }
  if (items.some((item) => item.toLowerCase() === 'none'))
    notes.push('--seed None leaves a generator unseeded in the harness; here it takes its default (0,1234,1234,1234)')
  return { random: seed(0), numpy: seed(1), torch: seed(2), fewshot: seed(3) }
}

function readHub(values: Values): string | null {
  const value = text(values, 'hub')
  if (value === null) return null
  const url = URL.canParse(value) ? new URL(value) : null
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new UsageError(`--hub: wanted an http or https address, found ${JSON.stringify(value)}`)
  return value.replace(/\/+$/, '')
}

function readResume(values: Values): boolean | string {
  const value = values.get('resume')
  return typeof value === 'string' || typeof value === 'boolean' ? value : false
}

function namesOfIgnored(values: Values): string[] {
  return ignoredFlags.filter((flag) => values.has(flag.name)).map((flag) => `ignored: --${flag.name} (${flag.help})`)
}
