/** What a Python function's own text is known by, without what it calls: `inspect.getsource`, by which the harness writes functions down, gives no more. */
import { isEvalError } from '../../base/errors.ts'
import { sha256 } from '../../base/sha256.ts'
import { canonicalFunction } from './canonical.ts'
import { topLevelStatements, type Statement } from './statements.ts'

/** Twelve hex digits that all spellings of the function share; null where the text can't be read, or defines nothing of that name. */
export function ownSignature(text: string, name: string): string | null {
  try {
    return signatureAmong(topLevelStatements(text, name), name)
  } catch (error) {
    if (isEvalError(error)) return null
    throw error
  }
}

/** As `ownSignature`, of a module's statements. */
function signatureAmong(statements: readonly Statement[], name: string): string | null {
  const definition = statements.filter(({ defines, importsFrom }) => defines.has(name) && importsFrom === null).at(-1)
  const found = definition === undefined ? null : canonicalFunction([definition], name, () => null)
  return found === null ? null : sha256(found.text).slice(0, 12)
}
