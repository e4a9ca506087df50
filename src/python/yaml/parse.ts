/**
 * Reads task files as PyYAML's CSafeLoader does (YAML 1.1), with the harness's `!function` tag.
 *
 * The `yaml` package finds the structure; what scalars mean, merge keys, duplicate keys (the last wins) and tags follow PyYAML 6.0.
 */
import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseAllDocuments,
  type Node,
  type Document,
  type Pair,
  type Scalar,
  type YAMLMap,
  type YAMLParseError,
  type YAMLWarning,
} from 'yaml'
import { EvalError } from '../../base/errors.ts'
import { OperationError } from '../operation-error.ts'
import { keyWithin, PyTuple, pyTuple } from '../value.ts'
import { indentContinuations } from './indentation.ts'
import { constructScalar, resolvePlain, type ScalarType } from './plain-scalar.ts'
import { FunctionRef, toPlain, YamlSpecial, type ConfigDict, type ConfigValue, type ReadSource } from './yaml-value.ts'

const limits = { bytes: 1_048_576, aliases: 100, depth: 100, nodes: 100_000 } as const
const tooDeep = `nests deeper than ${limits.depth} levels`
const coreTag = 'tag:yaml.org,2002:'

/**
 * The value of a YAML text. Dicts are ordered maps; `!function a.b` becomes a `FunctionRef`, every other unknown tag is an error.
 * `readSource` reads the Python files that such functions stand in. Throws `yaml/invalid` with file, line and column (1-based), also beyond 1 MiB, 100 aliases, 100 levels or 100,000 nodes.
 */
export function readYaml(text: string, file: string, readSource: ReadSource | null = null): ConfigValue {
  return new Reader(text, file, readSource).read()
}

/** `readYaml` for a file that must hold a mapping. */
export function readYamlMapping(text: string, file: string, readSource: ReadSource | null = null): ConfigDict {
  const value = readYaml(text, file, readSource)
  if (value instanceof Map) return value
  throw new EvalError(
    'yaml/invalid',
    `${file}: wanted a mapping at the top level, found ${Array.isArray(value) ? 'a list' : JSON.stringify(value)}`,
    {
      details: { file, line: 1, column: 1 },
    },
  )
}

class Reader {
  private text: string
  private readonly file: string
  private readonly readSource: ReadSource | null
  private lines = new LineCounter()
  private readonly anchors = new Map<string, Node>()
  private readonly open = new Set<Node>()
  private aliases = 0
  private nodes = 0

  constructor(text: string, file: string, readSource: ReadSource | null) {
    // A lone carriage return, and a next-line character, end a line in YAML 1.1.
    this.text = text.replace(/^\ufeff/, '').replace(/\r(?!\n)|\x85/g, '\n')
    this.file = file
    this.readSource = readSource
  }

  read(): ConfigValue {
    if (this.text.length > limits.bytes) this.fail(`the file is longer than ${limits.bytes} characters`, 0)
    // YAML's printable characters, as libyaml checks them.
    const control = /[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u.exec(this.text)
    if (control !== null)
      this.fail(`control character U+${(control[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`, control.index)
    const documents = this.parsed()
    const [document, second] = documents
    if (/^%YAML[ \t]+(?!1\.)/m.test(this.text)) this.fail('an incompatible version of YAML', 0)
    if (document === undefined) {
      const stray = /^(?![ ]*(?:#|$))/m.exec(this.text)
      return stray === null ? null : this.fail('a line that belongs to no document', stray.index)
    }
    if (second !== undefined) this.fail('a second document', second.range[0])
    if (document.contents === null) return null
    this.collectAnchors(document.contents, 0)
    return this.build(document.contents, 0)
  }

  /** The package follows nesting call by call, and so may run out of stack. */
  private parsed(): readonly Document.Parsed[] {
    try {
      return this.parse()
    } catch (error) {
      if (error instanceof RangeError) this.fail(tooDeep, 0)
      throw error
    }
  }

  /** The documents of the text, as it is or, where only its indentation is at fault, indented anew. */
  private parse(): readonly Document.Parsed[] {
    const documents = parseStructure(this.text, this.lines)
    const error = firstError(documents)
    if (error === undefined) return documents
    const lines = new LineCounter()
    const indented = indentContinuations(this.text)
    const again = indented === this.text ? documents : parseStructure(indented, lines)
    if (firstError(again) !== undefined) this.fail(/call stack/.test(error.message) ? tooDeep : error.message, error.pos[0])
    this.text = indented
    this.lines = lines
    return again
  }

  /** Finds anchors in reading order, so that an alias can only mean an earlier one. */
  private collectAnchors(node: Node, depth: number): void {
    if (depth > limits.depth) this.fail(`nests deeper than ${limits.depth} levels`, this.offset(node))
    if (isAlias(node)) {
      this.aliases++
      if (this.aliases > limits.aliases) this.fail(`more than ${limits.aliases} aliases`, this.offset(node))
      if (!this.anchors.has(node.source)) this.fail(`an alias for '${node.source}', which no anchor before it defines`, this.offset(node))
      return
    }
    const { anchor } = node as { anchor?: string }
    if (anchor !== undefined) {
      if (this.anchors.has(anchor)) this.fail(`a second anchor '${anchor}'`, this.offset(node))
      this.anchors.set(anchor, node)
    }
    if (isMap<Node, Node | null>(node)) {
      for (const { key, value } of node.items) {
        this.collectAnchors(key, depth + 1)
        if (value !== null) this.collectAnchors(value, depth + 1)
      }
    } else if (isSeq<Node>(node)) for (const item of node.items) this.collectAnchors(item, depth + 1)
  }

  private build(given: Node | null, depth: number): ConfigValue {
    if (given === null) return null
    const node = this.resolve(given)
    if (++this.nodes > limits.nodes) this.fail(`more than ${limits.nodes} nodes`, this.offset(given))
    if (depth > limits.depth) this.fail(`nests deeper than ${limits.depth} levels`, this.offset(given))
    if (isScalar(node)) return this.scalar(node)
    if (this.open.has(node)) this.fail('an alias for what it stands in', this.offset(given))
    this.open.add(node)
    const value = this.collection(node, depth)
    this.open.delete(node)
    return value
  }

  private resolve(node: Node): Node {
    return isAlias(node) ? (this.anchors.get(node.source) ?? node) : node
  }

  private scalar(node: Scalar): ConfigValue {
    const text = this.scalarText(node)
    const { tag } = node
    if (tag === '!function') return new FunctionRef(text, this.file, this.readSource)
    try {
      return constructScalar(this.typeOf(node), text)
    } catch (error) {
      if (error instanceof OperationError) this.fail(error.message, this.offset(node))
      throw error
    }
  }

  /** A block scalar that ends with the file, without a newline, has none at its end either. */
  private scalarText(node: Scalar): string {
    const text = node.source ?? ''
    const isBlock = node.type === 'BLOCK_LITERAL' || node.type === 'BLOCK_FOLDED'
    const endsFile = isBlock && (node.range?.[2] ?? 0) >= this.text.length && !this.text.endsWith('\n')
    return endsFile && text.endsWith('\n') ? text.slice(0, -1) : text
  }

  private typeOf(node: Scalar): ScalarType | 'binary' {
    const { tag, type } = node
    const isPlain = type === 'PLAIN' || type === undefined || type === null
    if (tag === undefined || tag === '!') return isPlain ? resolvePlain(node.source ?? '') : 'str'
    const name = tag.startsWith(coreTag) ? tag.slice(coreTag.length) : tag
    switch (name) {
      case 'str':
      case 'bool':
      case 'int':
      case 'float':
      case 'null':
      case 'timestamp':
      case 'binary':
      case 'merge':
      case 'value':
        return name
      default:
        return this.fail(
          `the tag '${tag.startsWith(coreTag) ? `!!${name}` : tag}' on a scalar, which the harness doesn't know`,
          this.offset(node),
        )
    }
  }

  private collection(node: Node, depth: number): ConfigValue {
    const { tag } = node as { tag?: string }
    const name = tag?.startsWith(coreTag) === true ? tag.slice(coreTag.length) : tag
    const isPlain = name === undefined || name === '!'
    if (isMap(node) && node.flow !== true) this.refuseBareColon(node)
    if (isMap<Node, Node | null>(node) && (isPlain || name === 'map')) return this.mapping(node.items, depth)
    if (isMap<Node, Node | null>(node) && name === 'set') return new YamlSpecial('set', '', [...this.mapping(node.items, depth).keys()])
    if (isSeq<Node>(node) && (isPlain || name === 'seq')) return node.items.map((item) => this.build(item, depth + 1))
    if (isSeq<Node>(node) && (name === 'omap' || name === 'pairs')) return node.items.map((item) => this.pair(item, depth))
    return this.fail(`the tag '${tag ?? ''}' on a ${isMap(node) ? 'mapping' : 'list'}, which the harness doesn't know`, this.offset(node))
  }

  /** libyaml wants a key before a colon, or a question mark. */
  private refuseBareColon(node: YAMLMap): void {
    for (const { key } of node.items) {
      if (!isScalar(key) || key.source !== '' || key.type !== 'PLAIN') continue
      const offset = key.range?.[0] ?? 0
      if (this.text.charAt(offset) === ':' && !/\?\s*$/.test(this.text.slice(0, offset))) this.fail("a ':' without a key before it", offset)
    }
  }

  /** One `[key, value]` of an ordered map, as a tuple. */
  private pair(item: Node, depth: number): ConfigValue {
    const node = this.resolve(item)
    if (!isMap<Node, Node | null>(node) || node.items.length !== 1) return this.fail('wanted a mapping with one key', this.offset(item))
    const [entry] = node.items
    return pyTuple([toPlain(this.build(entry?.key ?? null, depth + 2)), toPlain(this.build(entry?.value ?? null, depth + 2))])
  }

  private mapping(pairs: readonly Pair<Node, Node | null>[], depth: number): Map<string, ConfigValue> {
    const dict = new Map<string, ConfigValue>()
    for (const { key, value } of this.flatten(pairs, depth)) dict.set(this.key(dict, key, depth), this.build(value, depth + 1))
    return dict
  }

  /** The pairs with merged ones put first, as PyYAML's `flatten_mapping` does. */
  private flatten(pairs: readonly Pair<Node, Node | null>[], depth: number): readonly Pair<Node, Node | null>[] {
    if (depth > limits.depth) this.fail(`nests deeper than ${limits.depth} levels`, this.offset(pairs[0]?.key ?? null))
    const merged: Pair<Node, Node | null>[] = []
    const own: Pair<Node, Node | null>[] = []
    for (const pair of pairs) {
      if (!this.isKeyOfType(pair.key, 'merge')) own.push(pair)
      else for (const one of this.mergeValue(pair, depth)) merged.push(one)
    }
    return [...merged, ...own]
  }

  private mergeValue({ key, value }: Pair<Node, Node | null>, depth: number): readonly Pair<Node, Node | null>[] {
    const target = value === null ? null : this.resolve(value)
    if (isMap<Node, Node | null>(target)) return this.flattenOnce(target, depth)
    if (!isSeq<Node>(target)) return this.fail("wanted a mapping or a list of mappings after '<<'", this.offset(value ?? key))
    const parts = target.items.map((item) => {
      const one = this.resolve(item)
      return isMap<Node, Node | null>(one) ? this.flattenOnce(one, depth) : this.fail("wanted a mapping after '<<'", this.offset(item))
    })
    return parts.reverse().flat()
  }

  private flattenOnce(node: Node & { items: Pair<Node, Node | null>[] }, depth: number): readonly Pair<Node, Node | null>[] {
    if (this.open.has(node)) this.fail('a merge of what it stands in', this.offset(node))
    this.open.add(node)
    const pairs = this.flatten(node.items, depth + 1)
    this.open.delete(node)
    this.nodes += pairs.length
    if (this.nodes > limits.nodes) this.fail(`more than ${limits.nodes} nodes`, this.offset(node))
    return pairs
  }

  private isKeyOfType(key: Node, type: ScalarType): boolean {
    const node = this.resolve(key)
    return isScalar(node) && node.tag !== '!function' && this.typeOf(node) === type
  }

  private key(dict: ReadonlyMap<string, ConfigValue>, node: Node, depth: number): string {
    if (this.isKeyOfType(node, 'value')) return '='
    const key = this.build(node, depth + 1)
    if (key instanceof YamlSpecial && key.kind !== 'set') return `\0D${key.text}`
    if (
      key instanceof FunctionRef ||
      key instanceof YamlSpecial ||
      key instanceof Map ||
      (Array.isArray(key) && !(key instanceof PyTuple))
    ) {
      return this.fail('a key that is no plain value', this.offset(node))
    }
    // What is left are strings, numbers, booleans and null.
    return keyWithin(dict, key as string)
  }

  private offset(node: Node | null): number {
    return node?.range?.[0] ?? 0
  }

  private fail(problem: string, offset: number): never {
    const { line, col } = this.lines.linePos(offset)
    const at = { line: Math.max(1, line), column: Math.max(1, col) }
    throw new EvalError('yaml/invalid', `${this.file}, line ${at.line}, column ${at.column}: ${problem}`, {
      details: { file: this.file, ...at },
    })
  }
}

function parseStructure(text: string, lineCounter: LineCounter): readonly Document.Parsed[] {
  return parseAllDocuments(text, {
    version: '1.1',
    schema: 'failsafe',
    resolveKnownTags: false,
    merge: false,
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'silent',
    lineCounter,
  })
}

function firstError(documents: readonly Document.Parsed[]): YAMLParseError | YAMLWarning | undefined {
  return documents
    .map(({ errors, warnings }) => errors[0] ?? warnings.find(({ code }) => code === 'BAD_DIRECTIVE'))
    .find((error) => error !== undefined)
}
