/** Errors as a person reads them: the sentence, its code, and what it came from; a stack only for our own mistakes. */
import { isEvalError } from '../../src/core/errors.ts'
import { UsageError } from './args.ts'

export function reportError(error: unknown, write: (text: string) => void): void {
  if (error instanceof UsageError) write(`${error.message}\n`)
  else write(`Error: ${describeError(error)}\n`)
  if (process.env['YARDSTICK_DEBUG'] !== undefined && error instanceof Error && error.stack !== undefined) write(`${error.stack}\n`)
}

/** The message with its code, followed by the causes that add something. */
export function describeError(error: unknown): string {
  const messages: string[] = []
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    const text = isEvalError(at) && at === error ? `${at.message} [${at.code}]` : at.message
    if (!messages.some((message) => message.includes(at instanceof Error ? at.message : text))) messages.push(text)
  }
  return messages.length === 0 ? String(error) : messages.join('\n  because: ')
}
