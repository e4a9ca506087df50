import { describe, expect, it } from 'vitest'
import { EvalError } from '../../src/base/errors.ts'
import { toStorageError } from '../../src/storage/storage-errors.ts'

describe('what the database throws', () => {
  it.each([
    ['a quota error', new DOMException('', 'QuotaExceededError'), null, 'storage/quota'],
    [
      'an abort whose transaction ran out of room',
      new DOMException('aborted', 'AbortError'),
      new DOMException('', 'QuotaExceededError'),
      'storage/quota',
    ],
    [
      'an abort caused by the quota',
      Object.assign(new DOMException('', 'AbortError'), { cause: new DOMException('', 'QuotaExceededError') }),
      null,
      'storage/quota',
    ],
    ['an abort that names the quota', new DOMException('Quota exceeded', 'AbortError'), null, 'storage/quota'],
    [
      'a disk that others have filled',
      new DOMException('', 'AbortError'),
      new DOMException(
        'Connection is closing because of: IO error: 000003.log: FILE_ERROR_NO_SPACE (ChromeMethodBFE: 3::WritableFileAppend::8)',
        'UnknownError',
      ),
      'storage/quota',
    ],
    ['a plain abort', new DOMException('', 'AbortError'), null, 'storage/unavailable'],
    ['a broken backing store', new DOMException('Internal error opening backing store', 'UnknownError'), null, 'storage/corrupt'],
    ['a newer database', new DOMException('', 'VersionError'), null, 'storage/newer'],
    ['something else', new TypeError('odd'), null, 'storage/unavailable'],
    ['our own error', new EvalError('storage/fenced', 'x'), null, 'storage/fenced'],
  ])('%s', (_, error, transactionError, code) => {
    expect(toStorageError(error, transactionError).code).toBe(code)
  })
})
