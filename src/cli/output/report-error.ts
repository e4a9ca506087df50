/** Errors as a person reads them: the sentence, its code, and what it came from; a stack only for our own mistakes. */
import { isEvalError, type EvalError } from '../../base/errors.ts'
import { UsageError } from '../flags/flag-values.ts'

export function reportError(error: unknown, write: (text: string) => void): void {
  if (error instanceof UsageError) write(`${error.message}\n`)
  else write(`Error: ${describeError(error)}\n`)
  const hint = isEvalError(error) ? tokenHint(error, process.env['HF_TOKEN']) : null
  if (hint !== null) write(`${hint}\n`)
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

/** What a token has to do with the error: how one is given, or who sees the one that is. Null where it wouldn't help. */
function tokenHint({ code, details }: EvalError, token: string | undefined): string | null {
  const isRefused = code === 'hub/gated' || code === 'hub/unauthorized' || (code === 'hub/not-found' && details['status'] === 401)
  if (!isRefused) return null
  const elsewhere = 'to the Hub of --hub URL only with --hub_token true'
  return token === undefined || token === ''
    ? `Give a token of an account with access as HF_TOKEN in the environment: it is sent to huggingface.co alone, ${elsewhere}.`
    : `HF_TOKEN is set: its account needs access. It is sent to huggingface.co alone, ${elsewhere}.`
}
