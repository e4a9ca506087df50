/** What each token of a text prints as, inside that text. */
import type { TokenPiece } from '../rpc/task-preview-api.ts'
import type { Tokenizer } from './tokenizer.ts'

/** Four bytes make a character at most; more parts than that are no beginning of one. */
const mostParts = 4

type Decoding = Pick<Tokenizer, 'decode'>

/**
 * Tokens one by one; those that are parts of one character stay together. Each is decoded behind the piece before it, since a first token loses
 * its blank with SentencePiece decoders; `before` is what stands before the first one.
 */
export function piecesOf(ids: readonly number[], tokenizer: Decoding, before: readonly number[] = []): TokenPiece[] {
  const pieces: TokenPiece[] = []
  let base = before
  let open: readonly number[] = []
  const close = (parts: readonly number[]): void => {
    pieces.push({ text: textBehind(base, parts, tokenizer), ids: [...parts] })
    base = parts
  }
  for (const id of ids) {
    open = [...open, id]
    // U+FFFD at the end is a character that isn't whole yet, or one of the text itself: then the next ones join it.
    if (!textBehind(base, open, tokenizer).endsWith('\ufffd')) {
      close(open)
      open = []
    } else if (open.length > mostParts) {
      close(open.slice(0, 1))
      open = open.slice(1)
    }
  }
  if (open.length > 0) close(open)
  return pieces
}

/** Of each token its text; where a character has several tokens, the last of them has it and those before are empty. */
export function tokenTexts(ids: readonly number[], tokenizer: Decoding, before: readonly number[] = []): string[] {
  return piecesOf(ids, tokenizer, before).flatMap(({ text, ids: parts }) => [...parts.slice(1).map(() => ''), text])
}

function textBehind(base: readonly number[], ids: readonly number[], tokenizer: Decoding): string {
  const behind = tokenizer.decode([...base, ...ids], { cleansUp: false })
  const alone = tokenizer.decode(base, { cleansUp: false })
  return behind.startsWith(alone) ? behind.slice(alone.length) : tokenizer.decode(ids, { cleansUp: false })
}
