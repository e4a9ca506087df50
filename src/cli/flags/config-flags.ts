/** Configuration files on the command line: their flags stand before those that were typed, which win. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Json } from '../../base/errors.ts'
import { readRunConfig, type RunConfig } from '../../settings/run-config.ts'
import { requireReadable } from '../files/yaml-gate.ts'
import { UsageError } from './flag-values.ts'
import { allFlags, fileFlags } from './flags.ts'

interface ExpandedArguments {
  readonly argv: readonly string[]
  /** Ready to print. */
  readonly notes: readonly string[]
  /** Commands that files stand for, ready to run elsewhere. */
  readonly commands: readonly string[]
}

/**
 * The arguments with every configuration file replaced by its flags; a flag that is typed as well is left out of them, whole, as lm_eval
 * does. `--eval.num-fewshot`, the African-language suite's spelling, becomes `--num_fewshot`. Throws UsageError for a file of another kind.
 */
export function expandConfigs(argv: readonly string[], callerFolder: string): ExpandedArguments {
  const typed = argv.flatMap(suiteSpelling)
  const rest: string[] = []
  const configs: RunConfig[] = []
  for (let at = 0; at < typed.length; at++) {
    const token = typed[at] ?? ''
    const [, name = '', inline] = /^--(\w+)(?:=(.*))?$/s.exec(token) ?? []
    const flag = fileFlags.find((one) => one.name === name || (one.short !== undefined && token === `-${one.short}`))
    if (flag === undefined) {
      rest.push(token)
      continue
    }
    const path = inline ?? typed[++at]
    if (path === undefined || path.startsWith('--')) throw new UsageError(`--${flag.name} wants a file`)
    configs.push(readConfigFile(path, flag.holds, callerFolder))
  }
  const given = new Set(rest.map(flagName))
  // Of several files the last one that names a flag wins.
  const flags = Object.assign({}, ...configs.map((config) => config.flags)) as RunConfig['flags'] // Only merges what has this type.
  const fromFiles = Object.entries(flags).flatMap(([name, value]) => (given.has(name) ? [] : toArguments(name, value)))
  const hasCommand = rest[0] !== undefined && !rest[0].startsWith('-')
  return {
    argv: hasCommand ? [rest[0] ?? '', ...fromFiles, ...rest.slice(1)] : [...fromFiles, ...rest],
    // A suite's note tells of its seeds, which a typed one makes untrue.
    notes: configs.flatMap(({ kind, notes }) => (given.has('seed') && kind === 'tasks' ? [] : notes)),
    commands: configs.flatMap(({ command }) => command ?? []),
  }
}

function readConfigFile(path: string, kind: RunConfig['kind'], callerFolder: string): RunConfig {
  const file = resolve(callerFolder, path)
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (cause) {
    throw new UsageError(`${path}: ${cause instanceof Error ? cause.message : String(cause)}`)
  }
  requireReadable([{ path, text }])
  const config = readRunConfig(text, path)
  // A file of Meta's recipe is a whole run too.
  const held = config.kind === 'evals' ? 'run' : config.kind
  const flag = fileFlags.find(({ holds }) => holds === held)
  if (held !== kind) throw new UsageError(`${path} is a file for --${flag?.name ?? ''}`)
  return config
}

/** Arguments of the suite's `evaluate.py` in the harness's spelling. */
function suiteSpelling(token: string): readonly string[] {
  const found = /^--(model-config-yaml|task-config-yaml|eval\.[\w-]+)(=.*)?$/s.exec(token)
  if (found === null) return [token]
  const name = (found[1] ?? '').replace(/^eval\./, '').replaceAll('-', '_')
  // The four generators' seeds are one flag of the harness; the one that decides prompts is the examples'.
  return [`--${name === 'fewshot_random_seed' ? 'seed' : name}${found[2] ?? ''}`]
}

function flagName(token: string): string {
  const long = /^--(\w+)/.exec(token)?.[1]
  if (long !== undefined) return long
  const short = /^-([A-Za-z])/.exec(token)?.[1]
  return allFlags.find((flag) => flag.short === short)?.name ?? ''
}

/** A value as a flag takes it; one that has no flag here is named, so that it is refused or ignored with the reason. */
function toArguments(name: string, value: Json): readonly string[] {
  const flag = allFlags.find((one) => one.name === name)
  if (Array.isArray(value)) return value.length === 0 ? [] : [`--${name}`, value.map(String).join(',')]
  if (typeof value === 'object' && value !== null) return [`--${name}=${JSON.stringify(value)}`]
  // A dict that is written as `a=b,c=d` is a value as it stands.
  if (value === true && flag?.kind !== 'text') return [`--${name}`, 'true']
  return [`--${name}=${String(value)}`]
}
