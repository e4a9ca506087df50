/**
 * Addresses of a judge's rows in `RunSettings.dataFiles`: of the answers of a run that this browser keeps, or of the quiz. They are made anew
 * from what is kept whenever they are read, so that a judged run can go on in any tab. Nothing is fetched for them.
 */
import { EvalError } from '../../base/errors.ts'
import type { JudgedTexts } from './docs.ts'
import { goldPostprocessors, postprocessors } from './postprocess.ts'

const prefix = 'judged:'
const quiz = `${prefix}quiz`

type JudgedSource = { readonly kind: 'quiz' } | ({ readonly kind: 'run'; readonly runId: string; readonly task: string } & JudgedTexts)

export function judgedAddress(source: JudgedSource): string {
  if (source.kind === 'quiz') return quiz
  const { runId, task, filter, prediction, gold } = source
  return prefix + JSON.stringify({ runId, task, filter, prediction, gold })
}

/** What an address stands for; null for one that is no address of a judge's rows. Throws `settings/invalid` for one that can't be read. */
export function judgedSource(address: string): JudgedSource | null {
  if (address === quiz) return { kind: 'quiz' }
  if (!address.startsWith(prefix)) return null
  const { runId, task, filter, prediction, gold } = parsed(address.slice(prefix.length))
  const predictionBy = postprocessors.find((name) => name === prediction)
  const goldBy = goldPostprocessors.find((name) => name === gold)
  if (typeof runId !== 'string' || typeof task !== 'string' || predictionBy === undefined || goldBy === undefined) throw unreadable(address)
  if (filter !== null && typeof filter !== 'string') throw unreadable(address)
  return { kind: 'run', runId, task, filter, prediction: predictionBy, gold: goldBy }
}

function parsed(text: string): { readonly [key: string]: unknown } {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}

function unreadable(address: string): EvalError {
  return new EvalError('settings/invalid', `The rows of a judge are named in a way that can't be read: ${address.slice(0, 200)}.`)
}
