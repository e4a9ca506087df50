/**
 * One text for all spellings of a Python function: without comments, docstrings, annotations, and the names of its own variables; with
 * all that it uses of its file. Equal texts compute the same; the reverse needn't hold.
 */
import { append } from '../../base/arrays.ts'
import type { Statement } from './statements.ts'
import type { Token } from './tokenize.ts'

/** What a function is made of. */
export interface CanonicalFunction {
  readonly text: string
  /** Where it is defined. */
  readonly line: number
}

const keywords = new Set(
  (
    'False None True and as assert async await break class continue def del elif else except finally for from global if import in is ' +
    'lambda nonlocal not or pass raise return try while with yield'
  ).split(' '),
)

/** Names that would change their meaning if they were renamed. */
const builtins = new Set(
  (
    'abs all any ascii bin bool bytes callable chr dict dir divmod enumerate eval exec filter float format frozenset getattr globals hasattr ' +
    'hash hex id int isinstance iter len list locals map max min next object oct open ord pow print property range repr reversed round set ' +
    'setattr slice sorted staticmethod str sum super tuple type vars zip ValueError KeyError TypeError Exception IndexError'
  ).split(' '),
)

/** The statements of a module that lies beside the file; null for one that doesn't, which is some installed library's. */
type ReadModule = (module: string) => readonly Statement[] | null

/** The module's function of that name with what it uses, also of files beside it; null when the module has none. */
export function canonicalFunction(statements: readonly Statement[], name: string, readModule: ReadModule): CanonicalFunction | null {
  const found = statements.filter(({ defines }) => defines.has(name))
  const line = found.at(-1)?.tokens[0]?.line
  if (line === undefined) return null
  const moduleNames = new Set(statements.flatMap(({ defines }) => [...defines]))
  const keywordNames = new Set(
    statements.flatMap(({ tokens }) => tokens.flatMap((token, i) => (token.kind === 'name' && isKeyword(tokens, i) ? [token.text] : []))),
  )
  const parts = new Map<string, string>()
  const pending = [name]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (parts.has(next)) continue
    const own = next
    const definitions = statements
      .filter(({ defines }) => defines.has(own))
      .map((statement) => canonicalStatement(statement, own, { self: name, moduleNames, keywordNames, readModule }))
    parts.set(own, definitions.map(({ text }) => text).join('\n'))
    for (const { uses } of definitions) append(pending, uses)
  }
  const main = parts.get(name) ?? ''
  parts.delete(name)
  const helpers = [...parts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text)
  return { text: [main, ...helpers].join('\n'), line }
}

interface ModuleFacts {
  /** The function that is asked for; its own name says nothing about it. */
  readonly self: string
  readonly moduleNames: ReadonlySet<string>
  /** Names of arguments that calls give: parameters of these names keep them. */
  readonly keywordNames: ReadonlySet<string>
  readonly readModule: ReadModule
}

function canonicalStatement(
  { tokens, importsFrom }: Statement,
  name: string,
  { self, moduleNames, keywordNames, readModule }: ModuleFacts,
): { readonly text: string; readonly uses: readonly string[] } {
  if (importsFrom !== null || tokens[0]?.text === 'import')
    return { text: canonicalImport({ tokens, importsFrom }, name, { self, readModule }), uses: [] }
  const bare = withoutTrailingCommas(withoutAnnotations(withoutDocstrings(tokens)))
  const fixed = new Set([...moduleNames, ...keywordNames, ...keywords, ...builtins, ...namesInFormatStrings(bare)])
  const own = ownNames(bare, fixed)
  const uses = bare.flatMap((token, i) =>
    token.kind === 'name' && bare[i - 1]?.text !== '.' && moduleNames.has(token.text) ? [token.text] : [],
  )
  const inStrings = [...namesInFormatStrings(bare)].filter((one) => moduleNames.has(one))
  const words = bare.map((token, i) => {
    if (token.kind === 'newline') return ';'
    if (token.kind === 'indent') return '{'
    if (token.kind === 'dedent') return '}'
    const isVariable = token.kind === 'name' && bare[i - 1]?.text !== '.' && !isKeyword(bare, i)
    if (!isVariable) return token.text
    return token.text === self ? 'SELF' : (own.get(token.text) ?? token.text)
  })
  return { text: ` ${words.join(' ')} `, uses: [...uses, ...inStrings] }
}

/** A library's function is known by its name; one of a file beside is what it is there. */
function canonicalImport(
  { tokens, importsFrom }: Pick<Statement, 'tokens' | 'importsFrom'>,
  name: string,
  { self, readModule }: Pick<ModuleFacts, 'self' | 'readModule'>,
): string {
  const words = tokens.filter(({ kind }) => kind === 'name').map(({ text }) => text)
  const alias = words.findIndex((word, i) => word === name && words[i - 1] === 'as')
  const original = alias > 1 ? (words[alias - 2] ?? name) : name
  const beside = importsFrom === null ? null : readModule(importsFrom)
  const found = beside === null ? null : canonicalFunction(beside, original, () => null)
  if (found !== null) return found.text
  const isLocal = importsFrom === null && readModule(original) !== null
  if (isLocal) return ` import beside ${(readModule(original) ?? []).flatMap((one) => one.tokens.map(({ text }) => text)).join(' ')} `
  return ` import ${importsFrom ?? ''} ${original} as ${name === self ? 'SELF' : name} `
}

function withoutDocstrings(tokens: readonly Token[]): readonly Token[] {
  return tokens.filter(({ kind }, i) => {
    const startsLine = i === 0 || /newline|indent|dedent/.test(tokens[i - 1]?.kind ?? '')
    const isAlone = (at: number) => tokens[at]?.kind === 'string' && tokens[at + 1]?.kind === 'newline'
    const begins = startsLine && isAlone(i)
    const ends = kind === 'newline' && isAlone(i - 1) && (i === 1 || /newline|indent|dedent/.test(tokens[i - 2]?.kind ?? ''))
    return !begins && !ends
  })
}

/** `def f(a: T = 1) -> R:` to `def f(a = 1):`, and `x: T = 1` to `x = 1`. */
function withoutAnnotations(tokens: readonly Token[]): readonly Token[] {
  const kept: Token[] = []
  let i = 0
  const skipUntil = (stops: string): void => {
    let depth = 0
    for (; i < tokens.length; i++) {
      const { text, kind } = tokens[i] ?? { text: '', kind: 'newline' }
      if (depth === 0 && (kind === 'newline' || (text !== '' && stops.includes(text)))) return
      if (text !== '' && '([{'.includes(text)) depth++
      if (text !== '' && ')]}'.includes(text)) depth--
    }
  }
  let header = -1
  let depth = 0
  for (; i < tokens.length; i++) {
    const token = tokens[i]
    if (token === undefined) break
    const { text } = token
    if (text === 'def' && token.kind === 'name') header = depth
    if (token.kind === 'operator' && '([{'.includes(text)) depth++
    if (token.kind === 'operator' && ')]}'.includes(text)) depth--
    const isParameter = header >= 0 && depth === header + 1 && text === ':'
    const startsLine = /newline|indent|dedent/.test(tokens[i - 2]?.kind ?? 'newline')
    const isVariable =
      header < 0 && depth === 0 && text === ':' && startsLine && tokens[i - 1]?.kind === 'name' && !keywords.has(tokens[i - 1]?.text ?? '')
    if (isParameter || isVariable) {
      skipUntil(isParameter ? ',)=' : '=')
      i--
    } else if (header >= 0 && depth === header && text === '->') {
      skipUntil(':')
      i--
    } else {
      if (header >= 0 && depth === header && text === ':') header = -1
      kept.push(token)
    }
  }
  return kept
}

/** `(a, b,)` to `(a, b)`, but `(a,)` stays. */
function withoutTrailingCommas(tokens: readonly Token[]): readonly Token[] {
  const opens: { readonly text: string; commas: number }[] = []
  const dropped = new Set<number>()
  tokens.forEach(({ kind, text }, i) => {
    if (kind !== 'operator') return
    if ('([{'.includes(text)) opens.push({ text: isCall(tokens[i - 1]) ? 'call' : text, commas: 0 })
    const open = opens.at(-1)
    if (text === ',' && open !== undefined) open.commas++
    if (!')]}'.includes(text)) return
    const closed = opens.pop()
    const isTuple = closed?.text === '(' && closed.commas === 1
    if (tokens[i - 1]?.text === ',' && !isTuple) dropped.add(i - 1)
  })
  return tokens.filter((_, i) => !dropped.has(i))
}

function isCall(before: Token | undefined): boolean {
  return before !== undefined && ((before.kind === 'name' && !keywords.has(before.text)) || before.text === ')' || before.text === ']')
}

function namesInFormatStrings(tokens: readonly Token[]): ReadonlySet<string> {
  const strings = tokens.filter(({ kind, text }) => kind === 'string' && /^[br]*f/.test(text))
  return new Set(strings.flatMap(({ text }) => text.match(/[\p{L}_][\p{L}\p{M}\p{N}_]*/gu) ?? []))
}

/** The function's variables in order of appearance, under names that don't depend on how they were called. */
function ownNames(tokens: readonly Token[], fixed: ReadonlySet<string>): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  tokens.forEach((token, i) => {
    if (token.kind !== 'name' || tokens[i - 1]?.text === '.' || fixed.has(token.text) || isKeyword(tokens, i)) return
    if (!names.has(token.text) && isBound(tokens, token.text)) names.set(token.text, `v${names.size}`)
  })
  return names
}

/** `name=` within a call. */
function isKeyword(tokens: readonly Token[], i: number): boolean {
  if (tokens[i + 1]?.text !== '=' || !'(,'.includes(tokens[i - 1]?.text ?? '?')) return false
  let depth = 0
  for (let at = i - 1; at >= 0; at--) {
    const text = tokens[at]?.kind === 'operator' ? (tokens[at]?.text ?? '') : ''
    if (text === ')' || text === ']' || text === '}') depth++
    if (text !== '(' && text !== '[' && text !== '{') continue
    if (depth === 0) return text === '(' && isCall(tokens[at - 1]) && tokens[at - 2]?.text !== 'def'
    depth--
  }
  return false
}

/** Whether the function gives the name a value of its own: as a parameter, a target, or a function within. */
function isBound(tokens: readonly Token[], name: string): boolean {
  return tokens.some(({ kind, text }, i) => {
    if (kind !== 'name' || text !== name || tokens[i - 1]?.text === '.') return false
    const before = tokens[i - 1]?.text ?? ''
    const after = tokens[i + 1]?.text ?? ''
    if (before === 'def' || before === 'class' || before === 'as') return true
    if (/^(?:[-+*/%&|^@]|\*\*|\/\/|<<|>>)?=$|^:=$/.test(after) && !isKeyword(tokens, i)) return true
    return isTarget(tokens, i)
  })
}

/** Whether the name stands among the parameters of a `def` or `lambda`, the targets of a `for`, or in a tuple that is assigned to. */
function isTarget(tokens: readonly Token[], i: number): boolean {
  for (let at = i - 1; at >= 0; at--) {
    const { kind, text } = tokens[at] ?? { kind: 'newline', text: '' }
    if (text === 'lambda') return !tokens.slice(at, i).some(({ text: between }) => between === ':')
    if (text === 'for') return !tokens.slice(at, i).some(({ text: between }) => between === 'in')
    if (text === 'def') return !tokens.slice(at, i).some(({ text: between }) => between === ':')
    if (kind === 'newline' || kind === 'indent' || kind === 'dedent') {
      const end = tokens.findIndex(({ kind: later }, place) => place > i && later === 'newline')
      const assign = tokens.findIndex(({ text: later }, place) => place > i && later === '=')
      return (
        assign > 0 &&
        (end < 0 || assign < end) &&
        tokens.slice(at + 1, assign).every(({ kind: part, text: one }) => part === 'name' || ',()[]*'.includes(one))
      )
    }
  }
  return false
}
