/**
 * Whether two results files name the same Python function, though they print it otherwise: lm_eval by its source (`inspect.getsource`), or, inside other
 * values, by its address; this program by its name, with signatures of the source beside it.
 */
import type { Json } from '../../../base/errors.ts'
import { isRecord } from '../../../base/guards.ts'
import { ownSignature } from '../../../python/source/own-signature.ts'

/** `unknown`: the same name, but not both files say what stands in it. */
type FunctionVerdict = 'same' | 'unknown' | 'other'

/** The signatures that a file gives for a function, by its name without the module. */
type Signatures = (name: string) => readonly string[]

interface NamedFunction {
  readonly name: string
  /** Null where the name is all that is printed. */
  readonly source: string | null
}

/** Holds two values of a task's key against each other, functions within them by what they are and all else as JSON. */
export function compareFunctions(left: Json, right: Json, signatures: Signatures): FunctionVerdict {
  if (typeof left === 'string' && typeof right === 'string') return left === right ? 'same' : compareTexts(left, right, signatures)
  if (Array.isArray(left) && Array.isArray(right)) return compareLists(left as readonly Json[], right as readonly Json[], signatures)
  if (!isRecord(left) || !isRecord(right)) return left === right ? 'same' : 'other'
  const keys = [...new Set([...Object.keys(left), ...Object.keys(right)])]
  return worst(keys.map((key) => compareFunctions(left[key] ?? null, right[key] ?? null, signatures)))
}

function compareLists(left: readonly Json[], right: readonly Json[], signatures: Signatures): FunctionVerdict {
  return left.length === right.length ? worst(left.map((item, at) => compareFunctions(item, right[at] ?? null, signatures))) : 'other'
}

function worst(verdicts: readonly FunctionVerdict[]): FunctionVerdict {
  return verdicts.find((one) => one === 'other') ?? verdicts.find((one) => one === 'unknown') ?? 'same'
}

function compareTexts(left: string, right: string, signatures: Signatures): FunctionVerdict {
  const [a, b] = [readFunction(left), readFunction(right)]
  if (a === null || b === null || a.name !== b.name) return 'other'
  // Both name it alone: what else could be held against what?
  if (a.source === null && b.source === null) return 'same'
  const known = [a, b].map(({ name, source }) => {
    const own = source === null ? null : ownSignature(source, name)
    return source === null ? signatures(name) : own === null ? [] : [own]
  })
  const [ours = [], others = []] = known
  if (ours.length === 0 || others.length === 0) return 'unknown'
  return ours.some((signature) => others.includes(signature)) ? 'same' : 'other'
}

/** A function as either program prints it; null for any other text. */
function readFunction(text: string): NamedFunction | null {
  const source = /^(?:\s*@[^\n]*\n)*\s*(?:async\s+)?def\s+(\w+)\s*\(/.exec(text)
  if (source !== null) return { name: source[1] ?? '', source: dedent(text) }
  const named = /^(?:functools\.partial\()?<function ([\w.]+)(?: at 0x[0-9a-fA-F]+)?>/.exec(text)?.[1]
  return named === undefined ? null : { name: named.slice(named.lastIndexOf('.') + 1), source: null }
}

/** A function within a class or another function is printed with its indentation. */
function dedent(text: string): string {
  const indent = /^[ \t]*/.exec(text)?.[0] ?? ''
  return indent === '' ? text : text.replaceAll(`\n${indent}`, '\n').slice(indent.length)
}
