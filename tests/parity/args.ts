/** The flags of `npm run parity`. Pure: touches no file and no process. */
import { UsageError } from '../../src/cli/flags/flag-values.ts'
import { suggestion } from '../../src/cli/flags/near-names.ts'
import type { DeviceChoice, ScoringPath } from '../../src/contracts/engine.ts'

export interface ParityOptions {
  /** Folders as typed; null = the default. */
  readonly goldens: string | null
  readonly datasets: string | null
  readonly models: string | null
  readonly includePath: string | null
  /** Null = every golden. */
  readonly ids: readonly string[] | null
  /** The model to run instead of the one that the goldens were made with. */
  readonly model: string | null
  readonly dtype: string
  readonly device: DeviceChoice
  readonly scoring: ScoringPath
  /** Whose task files are run: the harness's own, or the bundled ones of the same names. */
  readonly tasks: 'harness' | 'bundled'
  readonly help: boolean
}

const flags: readonly (readonly [name: string, value: string, help: string])[] = [
  [
    'goldens',
    'FOLDER',
    'one folder a run of the harness, or one a model with its runs in it (default ../shared/goldens/smollm2-135m-instruct)',
  ],
  ['datasets', 'FOLDER', 'holds datasets/OWNER/NAME, served as the Hub (default ../shared/hub)'],
  ['models', 'FOLDER', 'holds OWNER/NAME, served as the Hub (default $YARDSTICK_MODELS)'],
  ['include_path', 'FOLDER', "the harness's task files (default $LM_EVAL_TASKS, else those of an lm_eval that python3 finds)"],
  ['ids', 'a,b', 'only these goldens'],
  ['model', 'ID', 'another model below --models than the one that the goldens were made with'],
  ['dtype', 'DTYPE', 'fp32 (default), fp16, q4, …'],
  ['device', 'auto|webgpu|wasm', 'default wasm'],
  ['scoring', 'fast|reference', 'default fast'],
  [
    'tasks',
    'harness|bundled',
    "whose task files to run: the harness's (default), or the bundled ones of the same names; goldens of others are left out",
  ],
]

/** Reads the arguments after `npm run parity --`; a flag's value follows it or stands after `=`. Throws UsageError. */
export function parseParityArgs(argv: readonly string[]): ParityOptions {
  const values = new Map<string, string>()
  let help = false
  for (let at = 0; at < argv.length; at++) {
    const token = argv[at] ?? ''
    if (token === '--help' || token === '-h') {
      help = true
      continue
    }
    const match = /^--([^=]+)(?:=(.*))?$/s.exec(token)
    if (match === null) throw new UsageError(`${JSON.stringify(token)} belongs to no flag; a flag's value follows it (--ids a,b)`)
    const name = (match[1] ?? '').replaceAll('-', '_')
    const known = flags.map(([each]) => each)
    if (!known.includes(name)) {
      throw new UsageError(
        `--${name} is no flag of this command line${suggestion(name, known, '--')}; npm run parity -- --help lists them all`,
      )
    }
    const value = match[2] ?? argv[++at]
    if (value === undefined || value === '') throw new UsageError(`--${name} needs a value`)
    values.set(name, value)
  }
  const text = (name: string): string | null => values.get(name) ?? null
  return {
    goldens: text('goldens'),
    datasets: text('datasets'),
    models: text('models'),
    includePath: text('include_path'),
    ids:
      text('ids')
        ?.split(',')
        .map((id) => id.trim())
        .filter((id) => id !== '') ?? null,
    model: text('model'),
    dtype: text('dtype') ?? 'fp32',
    device: choice(values, 'device', ['wasm', 'webgpu', 'auto']),
    scoring: choice(values, 'scoring', ['fast', 'reference']),
    tasks: choice(values, 'tasks', ['harness', 'bundled']),
    help,
  }
}

/** The flag's value, or the first choice without one. */
function choice<T extends string>(values: ReadonlyMap<string, string>, name: string, choices: readonly [T, ...T[]]): T {
  const value = values.get(name) ?? choices[0]
  const known = choices.find((each) => each === value)
  if (known === undefined) throw new UsageError(`--${name}: wanted ${choices.join(' or ')}, found ${JSON.stringify(value)}`)
  return known
}

export function formatParityHelp(): string {
  return [
    'npm run parity -- [flags]: runs every golden of the harness in the browser and compares the numbers.',
    '',
    ...flags.map(([name, value, help]) => `  ${`--${name} ${value}`.padEnd(28)} ${help}`),
  ].join('\n')
}
