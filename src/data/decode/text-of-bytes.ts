/** Bytes as text, strictly. */
import { EvalError } from '../../base/errors.ts'

/** The UTF-8 text of a file without its byte order mark (kept with `keepsMark`); `dataset/malformed` names the line of a byte that isn't UTF-8. */
export function decodeUtf8(bytes: Uint8Array, file: string, keepsMark = false): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: keepsMark }).decode(bytes)
  } catch (cause) {
    const line = findBadLine(bytes)
    throw new EvalError('dataset/malformed', `${file}, line ${line}: bytes that are not UTF-8.`, { cause, details: { file, line } })
  }
}

function findBadLine(bytes: Uint8Array): number {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let line = 1
  for (let start = 0; start < bytes.length; line++) {
    const next = bytes.indexOf(0x0a, start)
    const end = next === -1 ? bytes.length : next + 1
    try {
      decoder.decode(bytes.subarray(start, end))
    } catch {
      return line
    }
    start = end
  }
  return line
}
