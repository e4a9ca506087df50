/** Words of a command line to flags' values, in the harness's spellings: `--flag value`, `--flag=value`, `-f value`, lists, switches, `k=v,…`. */
import { isEvalError, type JsonObject } from '../../base/errors.ts'
import { isRecord } from '../../base/guards.ts'
import { parseKeyValues } from '../../settings/key-values.ts'
import type { Flag } from './flag.ts'
import { allFlags } from './flags.ts'
import { suggestion } from './near-names.ts'

/** A command line that can't be read; its message is one sentence for the person who typed it. */
export class UsageError extends Error {}

type Value = boolean | string | readonly string[] | JsonObject

/** What was given for each flag, by its name. */
export type Values = ReadonlyMap<string, Value>

const byName: ReadonlyMap<string, Flag> = new Map(allFlags.map((flag) => [flag.name, flag]))
const byShort: ReadonlyMap<string, Flag> = new Map(
  allFlags.flatMap((flag) => (flag.short === undefined ? [] : [[flag.short, flag] as const])),
)

/** The flags' values, and the words that belong to none. Throws UsageError. */
export function readFlags(argv: readonly string[]): { values: Values; rest: string[] } {
  const values = new Map<string, Value>()
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

function readValue(flag: Flag, given: readonly string[], before: Value | undefined): Value {
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
  if (flag.kind === 'dict') return { ...(isRecord(before) ? before : {}), ...readDict(flag, given) }
  return value
}

function readSwitch(text: string): boolean | null {
  const lower = text.toLowerCase()
  if (lower === 'true') return true
  if (lower === 'false') return false
  return null
}

function readDict(flag: Flag, given: readonly string[]): JsonObject {
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

export function text(values: Values, name: string): string | null {
  const value = values.get(name)
  return typeof value === 'string' ? value : null
}

export function isOn(values: Values, name: string): boolean {
  return values.get(name) === true
}

export function switchOrNull(values: Values, name: string): boolean | null {
  const value = values.get(name)
  return typeof value === 'boolean' ? value : null
}

export function list(values: Values, name: string): readonly string[] {
  const value = values.get(name)
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}

export function dict(values: Values, name: string): JsonObject | null {
  const value = values.get(name)
  return isRecord(value) ? value : null
}

/** A whole number from 0; null where the flag wasn't given. Throws UsageError. */
export function integer(values: Values, name: string): number | null {
  const value = text(values, name)
  if (value === null) return null
  if (!/^\+?\d+$/.test(value.trim())) throw new UsageError(`--${name}: wanted a whole number from 0, found ${JSON.stringify(value)}`)
  return Number(value)
}

/** One of a few words. Throws UsageError. */
export function readChoice<T extends string>(values: Values, name: string, choices: readonly T[], fallback: T): T {
  const value = text(values, name)
  if (value === null) return fallback
  const choice = choices.find((each) => each === value)
  if (choice === undefined) throw new UsageError(`--${name}: wanted ${choices.join(' or ')}, found ${JSON.stringify(value)}`)
  return choice
}
