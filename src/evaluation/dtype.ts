/** Which of a repository's dtypes a run uses. */
import { EvalError } from '../core/errors.ts'
import type { ModelDescription } from '../core/types.ts'

export interface DtypeChoice {
  readonly dtype: string
  /** One sentence when the wish was mapped to something else; null when taken as it is. */
  readonly note: string | null
}

/** Names of torch dtypes, as harness commands give them, and what ONNX repositories call the nearest. */
const torchNames: { readonly [name: string]: readonly string[] } = {
  auto: [],
  float32: ['fp32'],
  float: ['fp32'],
  float16: ['fp16', 'fp32'],
  half: ['fp16', 'fp32'],
  bfloat16: ['fp32', 'fp16'],
}

/**
 * The dtype to run: the wish where the repository has it and this device can hold it, a torch name mapped with a note, the
 * repository's default when nothing is wished. Throws `model/unknown-dtype`, `model/too-large` or `model/unsupported`, with what there is.
 */
export function chooseDtype({ id, dtypes, defaultDtype }: ModelDescription, wish: string | null): DtypeChoice {
  const existing = dtypes.map((option) => option.dtype).join(', ')
  const name = wish?.replace(/^torch\./, '') ?? null
  const mapped = name === null ? undefined : torchNames[name]
  const usable = (dtype: string) => dtypes.some((option) => option.dtype === dtype && option.refusal === null)
  if (name !== null && mapped === undefined) {
    const option = dtypes.find((one) => one.dtype === name)
    if (option === undefined)
      throw new EvalError('model/unknown-dtype', `${id} has no dtype '${name}'. It has: ${existing}.`, { details: { wish: name } })
    if (option.refusal !== null)
      throw new EvalError('model/unsupported', `${id} can't run as ${name} here: ${option.refusal}`, { details: { dtype: name } })
    return { dtype: name, note: null }
  }
  const candidate = mapped?.find(usable) ?? defaultDtype
  if (candidate === null) {
    const reasons = dtypes.map((option) => `${option.dtype}: ${option.refusal ?? 'usable'}`).join(' ')
    throw new EvalError('model/unsupported', `${id} has no dtype that can run here. ${reasons}`)
  }
  const note = name === null || name === 'auto' ? null : `dtype ${name} is run as ${candidate}, the nearest that ${id} has (${existing}).`
  return { dtype: candidate, note }
}
