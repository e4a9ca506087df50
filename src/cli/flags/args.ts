/** The command line as data: reads every flag of `flags.ts` in the harness's spellings. Pure: touches no file and no process. */
import type { Parallelism } from '../../analysis/cluster/commands.ts'
import type { Json } from '../../base/errors.ts'
import type { DeviceChoice, ScoringPath } from '../../contracts/engine.ts'
import { modelFormats, type ModelFormat } from '../../contracts/models.ts'
import type { RunSettings } from '../../contracts/run-settings.ts'
import { parseShard, type Shard } from '../../contracts/shard.ts'
import { parseFloatText } from '../../settings/key-values.ts'
import { readFan, type FanFlags } from './fan-flags.ts'
import { dict, integer, isOn, list, readChoice, readFlags, switchOrNull, text, UsageError, type Values } from './flag-values.ts'
import { commands, ignoredFlags, type Command } from './flags.ts'
import { readJudge, type JudgeFlags } from './judge-flags.ts'
import { keepApplicable, mapDtype, readDevice, readGgufFile, readLifted, readModel } from './model-flags.ts'
import { suggestion } from './near-names.ts'

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
  /** `--model_format`; null = the first form that the model has. */
  readonly modelFormat: ModelFormat | null
  /** Model arguments that apply here, without pretrained, revision and dtype. */
  readonly modelArgs: { readonly [key: string]: Json }
  readonly device: DeviceChoice
  /** `--unsafe_webgpu`: the browser's experimental WebGPU features too. */
  readonly unsafeWebgpu: boolean
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
  /** `--keep_packed`: weights of 4 and 8 bits stay packed on WASM. */
  readonly keepsPacked: boolean
  /** `--second_opinion`: docs that transformers.js scores again; null for none. */
  readonly secondOpinion: number | null
  /** `--measure_speed`: prompt and writing speed after the run. */
  readonly measuresSpeed: boolean
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
  const format = text(values, 'model_format') === null ? null : readChoice(values, 'model_format', modelFormats, 'onnx')
  const ggufFile = readGgufFile(modelArgs, { model, format, dtype: dtypeAsked }, notes)
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
    dtypes: ggufFile === null ? mapDtype(dtypeAsked, notes) : [ggufFile],
    dtypeAsked: ggufFile ?? dtypeAsked,
    modelFormat: ggufFile === null ? format : 'gguf',
    modelArgs: keepApplicable(modelArgs, notes),
    device: readDevice(values, notes),
    unsafeWebgpu: isOn(values, 'unsafe_webgpu'),
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
    keepsPacked: isOn(values, 'keep_packed'),
    noiseItems: readNoise(values),
    secondOpinion: readSecondOpinion(values),
    measuresSpeed: isOn(values, 'measure_speed'),
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

function readCommand(word: string): Command {
  const command = commands.find((name) => name === word)
  if (command === undefined) {
    throw new UsageError(`${JSON.stringify(word)} is no sub-command${suggestion(word, commands)}; npm run eval -- --help lists them`)
  }
  return command
}

function readFilter(command: Command, rest: readonly string[]): string | null {
  const [filter, extra] = rest
  const unwanted = command === 'tasks' ? extra : filter
  if (unwanted !== undefined)
    throw new UsageError(`${JSON.stringify(unwanted)} belongs to no flag; a flag's value follows it (--tasks a,b)`)
  return filter ?? null
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

function readSecondOpinion(values: Values): number | null {
  const docs = integer(values, 'second_opinion')
  if (docs !== null && docs < 1) throw new UsageError(`--second_opinion: wanted a whole number above 0, found ${docs}`)
  return docs
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
