import { afterEach, describe, expect, it, vi } from 'vitest'
import { EvalError, type ErrorCode } from '../../../src/base/errors.ts'
import { reportError } from '../../../src/cli/output/report-error.ts'

afterEach(() => vi.unstubAllEnvs())

function said(code: ErrorCode, status: number, token: string): string {
  vi.stubEnv('HF_TOKEN', token)
  let text = ''
  reportError(new EvalError(code, 'The Hub says no.', { details: { status } }), (part) => {
    text += part
  })
  return text
}

describe('an error of access', () => {
  it.each([
    ['hub/gated', 403],
    ['hub/gated', 401],
    ['hub/unauthorized', 401],
    ['hub/not-found', 401],
  ] as const)('%s (%d) names HF_TOKEN and --hub_token, whether a token is there or not', (code, status) => {
    expect(said(code, status, '')).toBe(
      `Error: The Hub says no. [${code}]\nGive a token of an account with access as HF_TOKEN in the environment: it is sent to huggingface.co alone, to the Hub of --hub URL only with --hub_token true.\n`,
    )
    expect(said(code, status, 'hf_secret')).toBe(
      `Error: The Hub says no. [${code}]\nHF_TOKEN is set: its account needs access. It is sent to huggingface.co alone, to the Hub of --hub URL only with --hub_token true.\n`,
    )
  })

  it.each([
    ['hub/not-found', 404],
    ['hub/unreachable', 503],
    ['hub/rate-limited', 429],
  ] as const)('%s (%d) is none', (code, status) => {
    expect(said(code, status, '')).toBe(`Error: The Hub says no. [${code}]\n`)
  })
})
