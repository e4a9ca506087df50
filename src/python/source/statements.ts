/** A Python file's top-level statements, and the names that each of them defines. */
import { append } from '../../base/arrays.ts'
import { EvalError } from '../../base/errors.ts'
import { tokenizePython, type Token } from './tokenize.ts'

export interface Statement {
  readonly tokens: readonly Token[]
  /** Names that the module has through this statement. */
  readonly defines: ReadonlySet<string>
  /** A `from … import` of one module, if it is one. */
  readonly importsFrom: string | null
}

/** The statements in order; a block belongs to the statement that opens it, decorators to what they decorate. Throws `task/invalid`. */
export function topLevelStatements(text: string, file: string): readonly Statement[] {
  const statements: Token[][] = []
  let current: Token[] = []
  let depth = 0
  for (const token of tokenizePython(text, file)) {
    if (token.kind === 'indent') depth++
    if (token.kind === 'dedent') depth--
    if (depth < 0) throw new EvalError('task/invalid', `${file}, line ${token.line}: a block ends that none began`)
    current.push(token)
    if (depth > 0 || (token.kind !== 'newline' && token.kind !== 'dedent')) continue
    statements.push(current)
    current = []
  }
  return joinBlocks(statements).map((tokens) => ({ tokens, defines: definedNames(tokens), importsFrom: importedModule(tokens) }))
}

const goesOn = new Set(['else', 'elif', 'except', 'finally'])

/** A header line, its block, and what continues it (`else`, …) are one statement. */
function joinBlocks(lines: readonly Token[][]): readonly (readonly Token[])[] {
  const joined: Token[][] = []
  for (const line of lines) {
    const before = joined.at(-1)
    const first = line[0]
    const isContinued =
      first?.kind === 'indent' ||
      (first?.kind === 'name' && goesOn.has(first.text)) ||
      (before?.[0]?.text === '@' && !endsDecorated(before))
    if (before !== undefined && isContinued) append(before, line)
    else joined.push([...line])
  }
  return joined
}

function endsDecorated(tokens: readonly Token[]): boolean {
  return tokens.at(-1)?.kind === 'dedent'
}

function importedModule(tokens: readonly Token[]): string | null {
  if (tokens[0]?.text !== 'from') return null
  const end = tokens.findIndex(({ text }) => text === 'import')
  return tokens
    .slice(1, end)
    .map(({ text }) => text)
    .join('')
}

const openers = new Set(['def', 'class'])
const assigns = /^(?:[-+*/%&|^@]|\*\*|\/\/|<<|>>)?=$/

function definedNames(tokens: readonly Token[]): ReadonlySet<string> {
  const names = new Set<string>()
  lineStarts(tokens).forEach((start) => {
    for (const name of namesOfLine(tokens.slice(start))) names.add(name)
  })
  const isDefinition = tokens.some(({ text }, i) => openers.has(text) && (i === 0 || tokens[0]?.text === '@'))
  // What is assigned within a function or class is its own.
  return isDefinition ? new Set([...names].slice(0, 1)) : names
}

function lineStarts(tokens: readonly Token[]): readonly number[] {
  return tokens.flatMap(({ kind }, i) =>
    i === 0 || (tokens[i - 1]?.kind ?? 'newline').match(/newline|indent|dedent/) !== null
      ? kind === 'name' || kind === 'operator'
        ? [i]
        : []
      : [],
  )
}

/** Names bound by the line that begins the tokens. */
function namesOfLine(tokens: readonly Token[]): readonly string[] {
  const end = tokens.findIndex(({ kind }) => kind === 'newline')
  const line = end < 0 ? tokens : tokens.slice(0, end)
  const [first, second] = line
  if (first === undefined || first.text === '@') return []
  if (openers.has(first.text)) return [second?.text ?? '']
  if (first.text === 'import' || first.text === 'from') return importedNames(line)
  if (first.text === 'for')
    return line
      .slice(
        1,
        line.findIndex(({ text }) => text === 'in'),
      )
      .flatMap(({ kind, text }) => (kind === 'name' ? [text] : []))
  const assign = line.findIndex(({ kind, text }) => kind === 'operator' && assigns.test(text))
  // `x: T = …`, `x.append(…)` and `x[…] = …` also make x what it is.
  if (assign < 0) return first.kind === 'name' && second !== undefined && '.[:'.includes(second.text) ? [first.text] : []
  return line.slice(0, assign).flatMap(({ kind, text }, i) => (kind === 'name' && line[i - 1]?.text !== '.' ? [text] : []))
}

function importedNames(line: readonly Token[]): readonly string[] {
  const from = line[0]?.text === 'from' ? line.findIndex(({ text }) => text === 'import') : 0
  const parts: Token[][] = [[]]
  for (const token of line.slice(from + 1)) {
    if (token.text === ',') parts.push([])
    else if (token.text !== '(' && token.text !== ')') parts.at(-1)?.push(token)
  }
  return parts.flatMap((part) => {
    const alias = part.findIndex(({ text }) => text === 'as')
    const name = alias < 0 ? part[0] : part[alias + 1]
    return name === undefined ? [] : [name.text]
  })
}
