/** Signatures of a task's functions for its results file, so that a file that prints their source can be compared with it. */
import { ownSignature } from '../../python/source/own-signature.ts'
import { FunctionRef, isConfigDict, isConfigList, type ConfigValue } from '../../python/yaml/yaml-value.ts'
import { families } from './families.ts'
import { closest, inHarness, isIn } from './functions.ts'
import { ownSignaturesOf } from './signatures/signatures.ts'

/** All references in a value, at any depth. */
export function functionsIn(value: ConfigValue): readonly FunctionRef[] {
  if (value instanceof FunctionRef) return [value]
  if (isConfigDict(value)) return [...value.values()].flatMap(functionsIn)
  return isConfigList(value) ? value.flatMap(functionsIn) : []
}

/**
 * The signatures that a function's own text may have: the given file's, where it came along, else those of lm_eval 0.4.13's functions of that name in
 * that family, of which a port is one. Empty for what isn't known.
 */
export function signaturesOf(ref: FunctionRef): readonly string[] {
  const given = givenSignature(ref)
  if (given !== undefined) return given === null ? [] : [given]
  return [ref, inHarness(ref)].map(signaturesInFamily).find(({ length }) => length > 0) ?? []
}

function signaturesInFamily({ file, name }: FunctionRef): readonly string[] {
  const candidates = closest(families.filter((family) => isIn(file, family.folder)))
  return candidates.flatMap(({ folder }) => ownSignaturesOf(`${folder}|${name}`))
}

/** Undefined where no Python file came along; null for one that doesn't say it. */
function givenSignature({ name, file, readSource }: FunctionRef): string | null | undefined {
  const dot = name.lastIndexOf('.')
  if (readSource === null || dot < 0) return undefined
  const folder = file.slice(0, file.lastIndexOf('/') + 1)
  const text = readSource(`${folder}${name.slice(0, dot).replaceAll('.', '/')}.py`)
  return text === null ? undefined : ownSignature(text, name.slice(dot + 1))
}
