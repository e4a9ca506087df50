/** Reads a repository's tokenizer files: JSON with its place of failure, special tokens in both of their spellings, added tokens. */
import { EvalError, type Json } from '../base/errors.ts'
import { isRecord } from '../base/guards.ts'
import type { TokenizerFiles } from '../contracts/models.ts'

export interface JsonObject {
  readonly [key: string]: Json
}

/** A token that is matched before the model runs, as `added_tokens` of tokenizer.json holds it. */
export interface AddedTokenEntry {
  readonly id: number
  readonly content: string
  readonly single_word: boolean
  readonly lstrip: boolean
  readonly rstrip: boolean
  readonly normalized: boolean
  readonly special: boolean
}

interface ReadTokenizerFiles {
  readonly tokenizer: JsonObject
  readonly tokenizerConfig: JsonObject
  readonly specialTokensMap: JsonObject | null
  readonly config: JsonObject
}

/** The files as JSON objects. Throws `tokenizer/broken` with file, line and column. */
export function readTokenizerFiles(files: TokenizerFiles): ReadTokenizerFiles {
  const tokenizer = readObject(files.tokenizerJson, 'tokenizer.json')
  const model = tokenizer['model']
  if (!isRecord(model)) throw broken('tokenizer.json', 'has no model')
  const type = model['type'] ?? ('merges' in model ? 'BPE' : null)
  if (!['BPE', 'Unigram', 'WordPiece'].includes(typeof type === 'string' ? type : ''))
    throw broken('tokenizer.json', `has a model of type ${JSON.stringify(type)}; BPE, Unigram and WordPiece can be used`)
  if (!('vocab' in model)) throw broken('tokenizer.json', 'has a model without a vocab')
  return {
    tokenizer,
    tokenizerConfig: readObject(files.tokenizerConfig, 'tokenizer_config.json'),
    specialTokensMap: files.specialTokensMap === null ? null : readObject(files.specialTokensMap, 'special_tokens_map.json'),
    config: readObject(files.config, 'config.json'),
  }
}

/** The `added_tokens` of tokenizer.json, ascending by id. */
export function readAddedTokens(tokenizer: JsonObject): readonly AddedTokenEntry[] {
  const entries = tokenizer['added_tokens'] ?? []
  if (!isArray(entries)) throw broken('tokenizer.json', 'has added_tokens that are no list')
  return entries.map((entry) => readAddedToken(entry, null)).sort((a, b) => a.id - b.id)
}

/** The `added_tokens_decoder` of tokenizer_config.json, ascending by id; null without one. */
export function readAddedTokensDecoder(tokenizerConfig: JsonObject): readonly AddedTokenEntry[] | null {
  const decoder = tokenizerConfig['added_tokens_decoder']
  if (!isRecord(decoder)) return null
  return Object.entries(decoder)
    .map(([id, entry]) => readAddedToken(entry, Number(id)))
    .sort((a, b) => a.id - b.id)
}

/** The text of a special token, which is written plainly or as an object; null when unset. */
export function contentOf(value: Json | undefined): string | null {
  if (typeof value === 'string') return value
  if (isRecord(value) && typeof value['content'] === 'string') return value['content']
  return null
}

export function isArray(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value)
}

/** A number that a token can have: models count theirs from 0 in 32 bits. */
export function isTokenId(value: Json | undefined): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 2 ** 31
}

export function broken(file: string, reason: string, cause?: unknown): EvalError {
  return new EvalError('tokenizer/broken', `The model's ${file} ${reason}.`, {
    details: { file },
    ...(cause === undefined ? {} : { cause }),
  })
}

function readAddedToken(entry: Json, id: number | null): AddedTokenEntry {
  if (!isRecord(entry) || typeof entry['content'] !== 'string') throw broken('tokenizer files', 'have an added token without content')
  const isSpecial = entry['special'] === true
  if (id === null && !isTokenId(entry['id']))
    throw broken(
      'tokenizer files',
      `have the id ${JSON.stringify(entry['id'] ?? null)} for the added token ${JSON.stringify(entry['content'].slice(0, 80))}`,
    )
  return {
    id: id ?? Number(entry['id']),
    content: entry['content'],
    single_word: entry['single_word'] === true,
    lstrip: entry['lstrip'] === true,
    rstrip: entry['rstrip'] === true,
    normalized: typeof entry['normalized'] === 'boolean' ? entry['normalized'] : !isSpecial,
    special: isSpecial,
  }
}

/** A JSON object out of a file's text. Throws `tokenizer/broken` with file, line and column. */
export function readObject(text: string, file: string): JsonObject {
  let value: Json
  try {
    // JSON.parse gives JSON.
    value = JSON.parse(text) as Json
  } catch (cause) {
    throw broken(file, `is not valid JSON${describePlace(text, cause)}`, cause)
  }
  if (!isRecord(value)) throw broken(file, 'holds no JSON object')
  return value
}

/** Where parsing failed. Engines word it differently: V8 gives a position, others a line; a cut file fails at its end. */
function describePlace(text: string, cause: unknown): string {
  const message = cause instanceof Error ? cause.message : ''
  const position = /position (\d+)/.exec(message)?.[1]
  if (position === undefined && !/end/i.test(message)) return message === '' ? '' : ` (${message})`
  const at = position === undefined ? text.length : Number(position)
  const lines = text.slice(0, at).split('\n')
  return `: line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1} of ${text.length} characters`
}
