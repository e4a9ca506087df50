/** What a kind of untrusted input is to the fuzzer. */
import { isEvalError } from '../../src/base/errors.ts'
import type { Random } from './random.ts'

/** One input: what the code is given, and a file of it for whoever looks into a failure. */
export interface FuzzInput<Data> {
  readonly data: Data
  readonly name: string
  readonly bytes: Uint8Array
}

export interface FuzzTarget<Data> {
  /** The input of a case, always the same for the same numbers. */
  readonly make: (random: Random) => FuzzInput<Data> | Promise<FuzzInput<Data>>
  /** Runs it, and throws what the code under test throws. Gives what is wrong with what it gave, or null. */
  readonly run: (data: Data) => string | null | Promise<string | null>
}

export interface CaseResult {
  /** What is wrong, or null. */
  readonly failure: string | null
  readonly wasRead: boolean
}

/** Only an error of our own with a code that says what is wrong with the input may come out. */
export async function judge(run: () => string | null | Promise<string | null>): Promise<CaseResult> {
  try {
    const failure = (await run()) ?? pollution()
    return { failure, wasRead: failure === null }
  } catch (error) {
    if (isRefusal(error)) return { failure: pollution(), wasRead: false }
    return {
      failure: `threw ${error instanceof Error ? `${error.name}: ${error.message}\n${error.stack ?? ''}` : String(error)}`,
      wasRead: false,
    }
  }
}

/** True for an `EvalError` with a code for what was given, and for a shared link's own error. */
export function isRefusal(error: unknown): boolean {
  if (isEvalError(error)) return error.code !== 'internal'
  return error instanceof Error && error.name === 'ShareError'
}

function pollution(): string | null {
  return Object.keys(Object.prototype).length > 0 || 'polluted' in {} ? 'Object.prototype was changed' : null
}

/** An input that is a text. */
export function textInput<Data>(data: Data, name: string, text: string): FuzzInput<Data> {
  return { data, name, bytes: new TextEncoder().encode(text) }
}
