/**
 * Where the tokenizer library (@huggingface/tokenizers 0.2.0) differs from Python's (tokenizers 0.22.2): its steps are changed in place after they
 * are made. What is left is listed in docs/tokenizers.md. Golden: tests/goldens/real-tokenizers, encode, unicode.
 */
import type { Tokenizer as TokenizerLibrary } from '@huggingface/tokenizers'
import { looksYounger, normalizeAsPython, RegExpOf16 } from './python-unicode.ts'

/** Makes normalizer, pre-tokenizer and decoder of the library's tokenizer do as Python's. */
export function mendLibrary({ normalizer, pre_tokenizer: preTokenizer, decoder }: TokenizerLibrary): void {
  eachStep(normalizer, 'normalizers', mendNormalizer)
  eachStep(preTokenizer, 'tokenizers', mendPreTokenizer)
  eachStep(decoder, 'decoders', mendDecoder)
}

type Step = Record<string, unknown>

/** Calls back for the step and for those inside it. The library's steps are functions with properties. */
function eachStep(step: unknown, inside: string, mend: (step: Step) => void): void {
  if ((typeof step !== 'object' && typeof step !== 'function') || step === null) return
  // Properties of an object or a function can be read and set; what they are is looked at where they are used.
  const found = step as Step
  mend(found)
  const steps = found[inside]
  if (Array.isArray(steps)) for (const each of steps) eachStep(each, inside, mend)
}

function mendNormalizer(step: Step): void {
  const { form } = step
  if (form === 'NFC' || form === 'NFD' || form === 'NFKC' || form === 'NFKD')
    step['normalize'] = (text: string) => normalizeAsPython(text, form)
}

const digits = /^\[\^\\d\]\+\|\\d(\+?)$/
const byteLevel = /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+/gu.source

/** A property that grows with Unicode. */
const propertyOfAnyVersion = /\\p\{(?!White_Space\})/iu

function mendPreTokenizer(step: Step): void {
  const { pattern, pre_tokenize_text: split } = step
  if (!(pattern instanceof RegExp) || typeof split !== 'function') return
  const source = patternAsPython(pattern.source)
  const plain = new RegExp(source, pattern.flags)
  // Where no property is asked for, none can be younger; and ranges written out have characters that are unassigned (DeepSeek's).
  const of16 = propertyOfAnyVersion.test(source) ? new RegExpOf16(source, pattern.flags) : plain
  step['pre_tokenize_text'] = (text: string, options: unknown): unknown => {
    step['pattern'] = looksYounger(text) ? of16 : plain
    const pieces: unknown = Reflect.apply(split, step, [text, options])
    return pieces
  }
}

/** Digits are those of every script, and `\s` is White_Space: JavaScript's has U+FEFF and lacks U+0085. */
function patternAsPython(source: string): string {
  const ofDigits = digits.exec(source)
  if (ofDigits !== null) return `\\P{N}+|\\p{N}${ofDigits[1] ?? ''}`
  return source === byteLevel ? source.replaceAll('\\s', '\\p{White_Space}').replaceAll('\\S', '\\P{White_Space}') : source
}

function mendDecoder(step: Step): void {
  const { byte_decoder: byteOf } = step
  // Only two decoders have a decoder of texts, and one of those a table of bytes.
  if (!('text_decoder' in step)) return
  if (typeof byteOf === 'object' && byteOf !== null) {
    const table = new Map(Object.entries(byteOf).map(([character, byte]) => [character, Number(byte)]))
    step['decode_chain'] = (tokens: readonly string[]) => [decodeByteLevel(tokens, table)]
  } else step['decode_chain'] = decodeByteTokens
}

/** All tokens' bytes as one text, with U+FFFD for what is no UTF-8. A token with a character that stands for no byte is its own text. */
function decodeByteLevel(tokens: readonly string[], byteOf: ReadonlyMap<string, number>): string {
  const bytes: number[] = []
  for (const token of tokens) {
    const own = Array.from(token, (character) => byteOf.get(character))
    for (const byte of own.includes(undefined) ? encoder.encode(token) : own) bytes.push(byte ?? 0)
  }
  return lenient.decode(Uint8Array.from(bytes))
}

const encoder = new TextEncoder()
const lenient = new TextDecoder('utf-8', { ignoreBOM: true })
const byteToken = /^<0x([0-9A-Fa-f]{2})>$/

/** Runs of byte tokens become their text, or one U+FFFD a byte where they are no UTF-8: the whole run, its sound characters too. */
function decodeByteTokens(tokens: readonly string[]): readonly string[] {
  const texts: string[] = []
  let bytes: number[] = []
  const close = (): void => {
    if (bytes.length > 0) texts.push(textOf(bytes))
    bytes = []
  }
  for (const token of tokens) {
    const digits = byteToken.exec(token)?.[1]
    if (digits !== undefined) bytes.push(Number.parseInt(digits, 16))
    else {
      close()
      texts.push(token)
    }
  }
  close()
  return texts
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function textOf(bytes: readonly number[]): string {
  try {
    return strict.decode(Uint8Array.from(bytes))
  } catch {
    return '\ufffd'.repeat(bytes.length)
  }
}
