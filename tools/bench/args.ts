/** The command line of `npm run bench`. */
import { parseArgs } from 'node:util'
import { armNames, type ArmName } from './rows.ts'
import { workNames, type WorkName } from './works.ts'

/** Models of the benchmark, each on its device. */
export const targetNames = ['smollm2', 'embedded', 'embedded-webgpu'] as const
export type TargetName = (typeof targetNames)[number]

export interface BenchFlags {
  readonly kind: 'models' | 'stream' | 'tasks' | 'growth' | 'page'
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
}

export const usage = `npm run bench -- [--json] [--quick] [--growth] [--stream] [--models FOLDER]

Without more: every arm over every work, SmolLM2-135M-Instruct q4 on WASM and the embedded model on WASM and WebGPU.
  --models FOLDER   the folder that build_hub.py wrote (default: $YARDSTICK_MODELS)
  --quick           2 docs a work instead of 20
  --work a,b        of ${workNames.join(', ')}
  --arm a,b         of ${armNames.join(', ')}
  --on a,b          of ${targetNames.join(', ')}
  --docs N          docs a work
  --threads N       WASM threads, and the harness's (default 2)
  --seed N          of all made data (default 1)
Instead of the arms:
  --growth          the fast arm on the embedded model over 100, 1,000 and 10,000 docs
  --stream          large data files through the app: --bytes N a file, --turns N times each
  --tasks           the task engine, in this process
  --page            the page: the sample viewer over 14,000 docs (1,000 with --quick), and long tasks while a run goes on
`

/** Thrown for a command line that can't be understood; the message says why. */
export class BenchUsageError extends Error {}

/** Reads the flags; null when help is asked for. Throws BenchUsageError. */
export function parseBenchFlags(args: readonly string[], env: { readonly [name: string]: string | undefined }): BenchFlags | null {
  const flags = readFlags(args)
  if (flags.help === true) return null
  const kinds = (['growth', 'stream', 'tasks', 'page'] as const).filter((kind) => flags[kind] === true)
  const [kind = 'models', other] = kinds
  if (other !== undefined) throw new BenchUsageError(`--${kind} and --${other} are two runs: choose one`)
  const quick = flags.quick === true
  return {
    kind,
    json: flags.json === true,
    quick,
    models: flags.models ?? nonEmpty(env['YARDSTICK_MODELS']),
    works: namesOf('work', flags.work, workNames),
    arms: namesOf('arm', flags.arm, armNames),
    armsAreChosen: flags.arm !== undefined,
    targets: namesOf('on', flags.on, targetNames),
    docs: numberOf('docs', flags.docs) ?? (quick ? 2 : 20),
    threads: numberOf('threads', flags.threads) ?? 2,
    seed: numberOf('seed', flags.seed) ?? 1,
    bytes: numberOf('bytes', flags.bytes) ?? (quick ? 100e6 : 1e9),
    turns: numberOf('turns', flags.turns) ?? 1,
  }
}

function readFlags(args: readonly string[]) {
  const flag = { type: 'boolean' } as const
  const text = { type: 'string' } as const
  const options = { stream: flag, tasks: flag, growth: flag, page: flag, json: flag, quick: flag, help: flag }
  const texts = { models: text, work: text, arm: text, on: text, docs: text, threads: text, seed: text, bytes: text, turns: text }
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
