/** What IndexedDB throws, as our errors. */
import { EvalError, isEvalError } from '../base/errors.ts'

/**
 * The error that a failed database call means. Browsers differ in how a full disk or quota arrives: as QuotaExceededError, as an AbortError
 * that wraps it, or as an AbortError whose transaction holds it (`transactionError`).
 */
export function toStorageError(error: unknown, transactionError: unknown = null): EvalError {
  if (isEvalError(error)) return error
  const all = [error, transactionError, error instanceof Error ? error.cause : null]
  const named = (name: string): boolean => all.some((one) => nameOf(one) === name)
  const isFull = (one: unknown): boolean =>
    (nameOf(one) === 'AbortError' && /quota|disk|space/i.test(messageOf(one))) ||
    // Chromium's word for a disk that others have filled: FILE_ERROR_NO_SPACE.
    (nameOf(one) === 'UnknownError' && /NO_SPACE/.test(messageOf(one)))
  if (named('QuotaExceededError') || all.some(isFull)) {
    const message =
      'The browser has no room left to keep answers. What was kept so far is safe; free some space (downloaded models first) and resume.'
    return new EvalError('storage/quota', message, { cause: error })
  }
  if (named('VersionError')) {
    const message =
      'What is stored in this browser was written by a newer version of this app, and this version leaves it alone. Nothing is lost.'
    return new EvalError('storage/newer', message, { cause: error })
  }
  if (named('UnknownError') || named('DataError') || named('NotFoundError')) {
    // Chromium says the same of a damaged database, which no page can repair or delete, and of a whole one on a full disk.
    const message = `The browser's database can't be used: ${messageOf(error)} Free some space on the disk and reload. If that doesn't help, it is damaged: to begin with a new one, delete this site's data in the browser's settings (for the command line: move its profile folder aside). Results that were downloaded are not affected.`
    return new EvalError('storage/corrupt', message, { cause: error })
  }
  return new EvalError('storage/unavailable', `The browser's database failed: ${nameOf(error)}: ${messageOf(error)}`, { cause: error })
}

/** The connection went away under us (the browser closed it); opening again may help. */
export function isConnectionLost(error: unknown): boolean {
  return nameOf(error) === 'InvalidStateError'
}

function nameOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'name' in error ? String(error.name) : ''
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
