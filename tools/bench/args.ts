/** The command line of `npm run bench`. */
import { parseArgs } from 'node:util'
import { madeDtypes, type MadeDtype } from './gpu/models/graph-weights.ts'
import { shapeNames, type ShapeName } from './gpu/models/shapes.ts'
import { armNames, type ArmName } from './rows.ts'
import { workNames, type WorkName } from './works.ts'

/** Models of the benchmark, each on its device. */
export const targetNames = ['smollm2', 'embedded', 'embedded-webgpu'] as const
export type TargetName = (typeof targetNames)[number]

/** What `--gpu` measures, and by which arms: what they are held against is transformers.js. */
const gpuWorks: readonly WorkName[] = ['mmlu_5shot', 'hellaswag_0shot', 'hellaswag_10shot', 'generate_200']
const gpuArms: readonly ArmName[] = ['naive', 'one_forward', 'fast', 'own', 'harness']

export interface BenchFlags {
  readonly kind: 'models' | 'stream' | 'tasks' | 'growth' | 'page' | 'gpu'
  readonly json: boolean
  readonly quick: boolean
  /** The folder that `build_hub.py` wrote; null when neither the flag nor YARDSTICK_MODELS names one. */
  readonly models: string | null
  readonly works: readonly WorkName[]
  readonly arms: readonly ArmName[]
  /** False where the arms are just all there are. */
  readonly armsAreChosen: boolean
  readonly targets: readonly TargetName[]
  readonly docs: number
  readonly threads: number
  readonly seed: number
  /** Of `--stream`: size of a file, and how often each is read. */
  readonly bytes: number
  readonly turns: number
  readonly gpu: GpuFlags
}

/** Of `--gpu`. */
export interface GpuFlags {
  readonly shapes: readonly ShapeName[]
  readonly dtypes: readonly MadeDtype[]
  /** Parts that begin later are left out; null: none are. */
  readonly minutes: number | null
  /** Of float32, outside of tensor cores; null: looked up by the card's name. */
  readonly peakTflops: number | null
  /** Where models are made; null: in the system's temporary folder. */
  readonly folder: string | null
  readonly keepsModels: boolean
  readonly unsafe: boolean
}

export const usage = `npm run bench -- [--json] [--quick] [--growth] [--stream] [--gpu] [--models FOLDER]

Without more: every arm over every work, SmolLM2-135M-Instruct q4 on WASM and the embedded model on WASM and WebGPU.
  --models FOLDER   the folder that build_hub.py wrote (default: $YARDSTICK_MODELS)
  --quick           2 docs a work instead of 20
  --work a,b        of ${workNames.join(', ')}
  --arm a,b         of ${armNames.join(', ')}
  --on a,b          of ${targetNames.join(', ')}
  --docs N          docs a work
  --threads N       WASM threads, and the harness's (default 2; 4 with --gpu, as the app has them)
  --seed N          of all made data (default 1)
Instead of the arms:
  --growth          the fast arm on the embedded model over 100, 1,000 and 10,000 docs
  --stream          large data files through the app: --bytes N a file, --turns N times each
  --tasks           the task engine, in this process
  --gpu             everything that a machine with a GPU can tell, without network: adapter and self-checks, models of real shapes with
                    random weights against transformers.js and lm_eval on CUDA, a whole MMLU, the embedded model's goldens; --quick proves it
                    on a software adapter. --work, --arm, --docs narrow it, and
                      --shape a,b          of ${shapeNames.join(', ')}
                      --dtype a,b          of ${madeDtypes.join(', ')}
                      --minutes N          leaves out what has not begun by then
                      --peak_tflops N      of the card in float32, for the floor of arithmetic (default: by its name)
                      --gpu_models FOLDER  where models are made, one at a time (default: the temporary folder)
                      --keep_models        leaves them there
                      --unsafe_webgpu      experimental WebGPU features too, which no page has
  --page            the page: the sample viewer over 14,000 docs (1,000 with --quick), and long tasks while a run goes on
`

/** Thrown for a command line that can't be understood; the message says why. */
export class BenchUsageError extends Error {}

/** Reads the flags; null when help is asked for. Throws BenchUsageError. */
export function parseBenchFlags(args: readonly string[], env: { readonly [name: string]: string | undefined }): BenchFlags | null {
  const flags = readFlags(args)
  if (flags.help === true) return null
  const kinds = (['growth', 'stream', 'tasks', 'page', 'gpu'] as const).filter((kind) => flags[kind] === true)
  const [kind = 'models', other] = kinds
  if (other !== undefined) throw new BenchUsageError(`--${kind} and --${other} are two runs: choose one`)
  const quick = flags.quick === true
  return {
    kind,
    json: flags.json === true,
    quick,
    models: flags.models ?? nonEmpty(env['YARDSTICK_MODELS']),
    works: namesOf('work', flags.work, kind === 'gpu' ? gpuWorks : workNames),
    arms: namesOf('arm', flags.arm, kind === 'gpu' ? gpuArms : armNames),
    armsAreChosen: flags.arm !== undefined,
    targets: namesOf('on', flags.on, targetNames),
    docs: numberOf('docs', flags.docs) ?? docsOf(kind, quick),
    threads: numberOf('threads', flags.threads) ?? (kind === 'gpu' ? gpuThreads : 2),
    seed: numberOf('seed', flags.seed) ?? 1,
    bytes: numberOf('bytes', flags.bytes) ?? (quick ? 100e6 : 1e9),
    turns: numberOf('turns', flags.turns) ?? 1,
    gpu: gpuFlagsOf(kind, flags),
  }
}

/** WASM is only what adapters are held against there: as many as the app takes. */
const gpuThreads = 4

/** A pass on a software adapter takes about a second, whatever is in it. */
function docsOf(kind: BenchFlags['kind'], quick: boolean): number {
  if (!quick) return 20
  return kind === 'gpu' ? 1 : 2
}

const gpuOnly = ['shape', 'dtype', 'minutes', 'peak_tflops', 'gpu_models', 'keep_models', 'unsafe_webgpu'] as const

function gpuFlagsOf(kind: BenchFlags['kind'], flags: ReturnType<typeof readFlags>): GpuFlags {
  const foreign = kind === 'gpu' ? undefined : gpuOnly.find((name) => flags[name] !== undefined)
  if (foreign !== undefined) throw new BenchUsageError(`--${foreign} belongs to --gpu`)
  return {
    shapes: namesOf('shape', flags.shape, shapeNames),
    dtypes: namesOf('dtype', flags.dtype, madeDtypes),
    minutes: numberOf('minutes', flags.minutes),
    peakTflops: tflopsOf(flags.peak_tflops),
    folder: nonEmpty(flags.gpu_models),
    keepsModels: flags.keep_models === true,
    unsafe: flags.unsafe_webgpu === true,
  }
}

function tflopsOf(given: string | undefined): number | null {
  if (given === undefined) return null
  const value = Number(given)
  if (!(value > 0 && value < 1e6)) throw new BenchUsageError(`--peak_tflops takes a number above 0, found "${given}"`)
  return value
}

function readFlags(args: readonly string[]) {
  const flag = { type: 'boolean' } as const
  const text = { type: 'string' } as const
  const kinds = { stream: flag, tasks: flag, growth: flag, page: flag, gpu: flag }
  const options = { ...kinds, json: flag, quick: flag, help: flag, keep_models: flag, unsafe_webgpu: flag }
  const gpu = { shape: text, dtype: text, minutes: text, peak_tflops: text, gpu_models: text }
  const texts = { models: text, work: text, arm: text, on: text, docs: text, threads: text, seed: text, bytes: text, turns: text, ...gpu }
  try {
    return parseArgs({ args: [...args], options: { ...options, ...texts } }).values
  } catch (error) {
    throw new BenchUsageError(error instanceof Error ? error.message : String(error))
  }
}

function namesOf<Name extends string>(flag: string, given: string | undefined, known: readonly Name[]): readonly Name[] {
  if (given === undefined) return known
  return given.split(',').map((name) => {
    const found = known.find((each) => each === name.trim())
    if (found === undefined) throw new BenchUsageError(`--${flag} takes some of ${known.join(', ')}, found "${name}"`)
    return found
  })
}

function numberOf(flag: string, given: string | undefined): number | null {
  if (given === undefined) return null
  const value = Number(given)
  if (!Number.isInteger(value) || value < 1) throw new BenchUsageError(`--${flag} takes a whole number above 0, found "${given}"`)
  return value
}

function nonEmpty(value: string | undefined): string | null {
  return value === undefined || value === '' ? null : value
}
