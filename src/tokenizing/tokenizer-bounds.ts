/**
 * Bounds on what an untrusted tokenizer.json makes of a text. Its steps may replace a character by many, again and again: forty steps that
 * double a text take all memory there is. So every step of the library is counted while it works, and what no count can catch is refused
 * when the file is read.
 */
import type { Tokenizer as TokenizerLibrary } from '@huggingface/tokenizers'
import { EvalError, type Json, type JsonObject } from '../base/errors.ts'
import { isRecord } from '../base/guards.ts'
import { broken, isArray } from './tokenizer-files.ts'

/** Characters that all steps together may make of one text, beside so many for each of its own. */
const freeCharacters = 2 * 2 ** 20
const charactersPerCharacter = 128
/** What a piece of text costs beyond its characters: an object, and its place in a list. */
const charactersPerPiece = 16

/** Today's tokenizers have up to ten steps of a kind, some lists of replacements are longer. */
const maxSteps = 256
const maxNesting = 16
const maxAffix = 1_000
const maxPattern = 20_000
/** A post-processor's template may hold the text itself so often, and so many pieces in all. */
const maxSequences = 4
const maxPieces = 1_000

/** What the steps may still make of the text at hand. */
export class TextBudget {
  #left = freeCharacters

  /** Begins a text of so many characters (or tokens). */
  start(size: number): void {
    this.#left = freeCharacters + charactersPerCharacter * size
  }

  take(characters: number): void {
    this.#left -= characters
    if (!(this.#left >= 0))
      throw new EvalError(
        'tokenizer/broken',
        "The model's tokenizer.json makes far more of a text than it holds; its steps grow it without bounds.",
      )
  }

  takePieces(pieces: readonly string[]): void {
    for (const piece of pieces) this.take(piece.length + charactersPerPiece)
  }
}

/** Refuses what would never end or can't be counted. Throws `tokenizer/broken`. */
export function checkSteps(tokenizer: JsonObject): void {
  const steps = (['normalizer', 'pre_tokenizer', 'post_processor', 'decoder'] as const).flatMap((name) => stepsOf(tokenizer[name], name))
  for (const { step, where } of steps) {
    if (step['type'] === 'FixedLength' && !(Number.isInteger(step['length']) && Number(step['length']) >= 1))
      throw broken('tokenizer.json', `wants pieces of a fixed length of ${JSON.stringify(step['length'] ?? null)} in its ${where}`)
    if (step['type'] === 'TemplateProcessing') for (const form of ['single', 'pair']) checkTemplate(step[form], where)
    const pattern = isRecord(step['pattern']) ? step['pattern']['Regex'] : null
    if (typeof pattern === 'string' && pattern.length > maxPattern)
      throw broken('tokenizer.json', `has a regular expression of ${pattern.length} characters in its ${where}; ${maxPattern} are taken`)
  }
  const { model } = tokenizer
  if (!isRecord(model)) return
  for (const name of ['continuing_subword_prefix', 'continuing_subword_suffix', 'end_of_word_suffix']) {
    const affix = model[name]
    if (typeof affix === 'string' && affix.length > maxAffix)
      throw broken('tokenizer.json', `has a ${name} of ${affix.length} characters; ${maxAffix} are taken`)
  }
}

interface FoundStep {
  readonly step: JsonObject
  readonly where: string
}

const listNames = ['normalizers', 'pretokenizers', 'processors', 'decoders'] as const

/** All steps below one of the four parts, sequences among them. */
function stepsOf(part: Json | undefined, where: string): FoundStep[] {
  const found: FoundStep[] = []
  const open: { readonly value: Json | undefined; readonly depth: number }[] = [{ value: part, depth: 0 }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth } = next
    if (!isRecord(value)) continue
    found.push({ step: value, where })
    if (found.length > maxSteps) throw broken('tokenizer.json', `has more than ${maxSteps} steps in its ${where}`)
    if (depth > maxNesting) throw broken('tokenizer.json', `nests the steps of its ${where} more than ${maxNesting} deep`)
    for (const name of listNames) {
      const list = value[name]
      if (isArray(list)) for (const one of list) open.push({ value: one, depth: depth + 1 })
    }
  }
  return found
}

function checkTemplate(template: Json | undefined, where: string): void {
  if (!isArray(template)) return
  const sequences = template.filter((piece) => isRecord(piece) && 'Sequence' in piece).length
  if (template.length > maxPieces || sequences > maxSequences)
    throw broken(
      'tokenizer.json',
      `has a template of ${template.length} pieces in its ${where}, ${sequences} of them the text; ${maxPieces} and ${maxSequences} are taken`,
    )
}

/** Puts every step of an opened tokenizer on the budget. */
export function boundSteps(library: TokenizerLibrary, budget: TextBudget): void {
  boundNormalizer(library.normalizer, budget)
  for (const step of leavesOf<PreTokenizerStep>(library.pre_tokenizer, 'tokenizers')) {
    const run = step.pre_tokenize_text.bind(step)
    step.pre_tokenize_text = (text, options) => {
      const groups = step.pattern instanceof RegExp ? groupsOf(step.pattern) : 0
      // Splitting gives the groups of every match, those that took no part as well.
      if (groups > 0) budget.take(4 * groups * text.length)
      checkReplacement(text, { pattern: step.str_rep === undefined ? step.pattern : ' ', content: step.str_rep ?? step.content }, budget)
      const pieces = run(text, options)
      budget.takePieces(pieces)
      return pieces
    }
  }
  for (const step of leavesOf<PostProcessorStep>(library.post_processor, 'processors')) {
    const run = step.post_process.bind(step)
    step.post_process = (tokens, pair, addsSpecial) => {
      budget.take(charactersPerPiece * (maxSequences * tokens.length + 2))
      return run(tokens, pair, addsSpecial)
    }
  }
  for (const step of leavesOf<DecoderStep>(library.decoder, 'decoders')) {
    const run = step.decode_chain.bind(step)
    step.decode_chain = (tokens) => {
      for (const token of tokens) checkReplacement(token, { pattern: step.pattern, content: step.config?.content }, budget)
      const pieces = run(tokens)
      budget.takePieces(pieces)
      return pieces
    }
  }
  boundLattice(library, budget)
  boundWords(library, budget)
}

/** As `boundSteps`, of the normalizer alone. */
export function boundNormalizer(normalizer: TokenizerLibrary['normalizer'], budget: TextBudget): void {
  for (const step of leavesOf<NormalizerStep>(normalizer, 'normalizers')) {
    const run = step.normalize.bind(step)
    step.normalize = (text) => {
      checkReplacement(text, { pattern: step.pattern, content: step.config?.content }, budget)
      const normalized = run(text)
      budget.take(normalized.length + charactersPerPiece)
      return normalized
    }
  }
}

interface Replacing {
  readonly pattern?: unknown
  readonly config?: { readonly content?: unknown }
}

interface NormalizerStep extends Replacing {
  normalize: (text: string) => string
}

interface PreTokenizerStep extends Replacing {
  readonly content?: unknown
  /** What a blank becomes. */
  readonly str_rep?: unknown
  pre_tokenize_text: (text: string, options?: unknown) => string[]
}

interface PostProcessorStep {
  post_process: (tokens: string[], pair?: unknown, addsSpecial?: unknown) => unknown
}

interface DecoderStep extends Replacing {
  decode_chain: (tokens: string[]) => string[]
}

/** The steps that are no sequences. Those of the library are functions with properties; a part that the file lacks is null. */
function leavesOf<Step>(part: unknown, listName: string): Step[] {
  if ((typeof part !== 'object' && typeof part !== 'function') || part === null) return []
  const list: unknown = Reflect.get(part, listName)
  if (Array.isArray(list)) return list.flatMap((step) => leavesOf<Step>(step, listName))
  // What the library makes of the files has the methods of its kind.
  return [part as Step]
}

/** Refuses a replacement that makes too much of a text, before it is made: one step alone can. */
function checkReplacement(text: string, { pattern, content }: { pattern?: unknown; content?: unknown }, budget: TextBudget): void {
  if (content === undefined || content === null || (typeof pattern !== 'string' && !(pattern instanceof RegExp))) return
  const replacement = typeof content === 'string' ? content : JSON.stringify(content)
  // A dollar may stand for all of the text before or behind a match.
  const each = replacement.length * (replacement.includes('$') ? text.length + 1 : 1)
  if (each <= charactersPerCharacter / 4) return
  let matches = 0
  const found = typeof pattern === 'string' ? pattern : new RegExp(pattern.source, pattern.flags)
  for (const _ of typeof found === 'string' ? text.split(found) : text.matchAll(found)) {
    matches++
    if (matches * each > freeCharacters) budget.take(Infinity)
  }
}

const groupCounts = new WeakMap<RegExp, number>()

function groupsOf(pattern: RegExp): number {
  const known = groupCounts.get(pattern)
  if (known !== undefined) return known
  const groups = (new RegExp(`${pattern.source}|`, pattern.flags).exec('')?.length ?? 1) - 1
  groupCounts.set(pattern, groups)
  return groups
}

/** A WordPiece model tries all parts of a word, longest first; how long a word may be is what the file says. */
function boundWords({ model }: TokenizerLibrary, budget: TextBudget): void {
  const longest: unknown = model === null ? null : Reflect.get(model, 'max_input_chars_per_word')
  if (model === null || typeof longest !== 'number') return
  const encode = model.encode.bind(model)
  model.encode = (words) => {
    for (const { length } of words) if (length <= 2 * longest) budget.take((length * length) / 16)
    return encode(words)
  }
}

/** A Unigram model notes every token that fits at every place: with many tokens that begin with each other those are very many. */
function boundLattice({ model }: TokenizerLibrary, budget: TextBudget): void {
  const trie: unknown = model === null ? null : Reflect.get(model, 'trie')
  if (typeof trie !== 'object' || trie === null || !('common_prefix_search' in trie)) return
  // The library's own method.
  const search = trie.common_prefix_search as (chars: readonly string[], start?: number) => Iterable<string>
  trie.common_prefix_search = function* (chars: readonly string[], start?: number) {
    for (const token of search.call(trie, chars, start)) {
      budget.take(charactersPerPiece + token.length)
      yield token
    }
  }
}
