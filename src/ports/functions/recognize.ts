/** Finds out what a `!function` computes from its Python source, where that was given with the task file. */
import { isEvalError } from '../../base/errors.ts'
import { sha256 } from '../../base/sha256.ts'
import { canonicalFunction, type CanonicalFunction } from '../../python/source/canonical.ts'
import { topLevelStatements, type Statement } from '../../python/source/statements.ts'
import type { FunctionRef } from '../../python/yaml/yaml-value.ts'

/** A function's source. */
export interface FunctionSource extends CanonicalFunction {
  readonly file: string
  /** Stands for the text in `signatures/ported.json`. */
  readonly signature: string
}

const statementsOf = new Map<string, readonly Statement[]>()

/** The source of the function; null when its file isn't given. Without text when the file holds no such function that can be read. */
export function sourceOf(ref: FunctionRef): FunctionSource | null {
  const dot = ref.name.lastIndexOf('.')
  if (ref.readSource === null || dot < 0) return null
  const { readSource } = ref
  const folder = ref.file.includes('/') ? ref.file.slice(0, ref.file.lastIndexOf('/') + 1) : ''
  const read = (module: string): readonly Statement[] | null => {
    const steps = /^\.*/.exec(module)?.[0].length ?? 0
    const file = `${folder}${'../'.repeat(Math.max(0, steps - 1))}${module.slice(steps).replaceAll('.', '/')}.py`
    const text = readSource(file)
    return text === null ? null : readStatements(text, file)
  }
  const module = ref.name.slice(0, dot)
  const file = `${folder}${module.replaceAll('.', '/')}.py`
  // What is made at run time (`globals().update(…)`) has no source of its own: there the whole file and the name decide.
  const unreadable = { text: '', line: 1, file, signature: sha256(`${ref.name}\n${readSource(file) ?? ''}`).slice(0, 12) }
  try {
    const statements = read(module)
    if (statements === null) return null
    const found = canonicalFunction(statements, ref.name.slice(dot + 1), read)
    return found === null ? unreadable : { ...found, file, signature: sha256(found.text).slice(0, 12) }
  } catch (error) {
    if (isEvalError(error)) return unreadable
    throw error
  }
}

function readStatements(text: string, file: string): readonly Statement[] {
  const known = statementsOf.get(text)
  if (known !== undefined) return known
  const statements = topLevelStatements(text, file)
  if (statementsOf.size > 500) statementsOf.clear()
  statementsOf.set(text, statements)
  return statements
}
