/** How long opening a model may take, and what is said when it takes longer. Decision 0068 says where the figures come from. */
import { EvalError } from '../../base/errors.ts'
import type { DeviceChoice } from '../../contracts/engine.ts'
import type { ModelPayload } from '../../rpc/model-worker-api.ts'

const leastMs = 10 * 60_000
const msPerMegabyte = 6_000

/** What is asked of the system's GPU driver alone. */
export const adapterDeadlineMs = 2 * 60_000

/** All files of a model. */
export function bytesOf(model: ModelPayload): number {
  return filesOf(model).reduce((sum, { bytes }) => sum + sizeOf(bytes), 0)
}

function filesOf(model: ModelPayload): readonly { readonly bytes: Blob | Uint8Array }[] {
  if ('gguf' in model) return model.gguf
  return 'checkpoint' in model ? model.checkpoint : [{ bytes: model.graph }, ...model.externalData]
}

function sizeOf(file: Blob | Uint8Array): number {
  return file instanceof Blob ? file.size : file.length
}

/** Milliseconds of waking time for a model of so many bytes: sessions, self-check and the trial of the fast path together. */
export function openDeadlineMs(bytes: number): number {
  return leastMs + Math.ceil(bytes / 1e6) * msPerMegabyte
}

/** `engine/timeout` with what was tried; `doing` is the last step that the worker told of. */
export function neverOpened(
  model: { readonly id: string; readonly dtype: string; readonly bytes: number; readonly device: DeviceChoice },
  doing: string | null,
): EvalError {
  const { id, dtype, bytes, device } = model
  const minutes = Math.round(openDeadlineMs(bytes) / 60_000)
  const message = `Opening ${id} as ${dtype} (${(bytes / 1e6).toFixed(1)} MB) on ${device === 'auto' ? 'any device' : device} was not done after ${minutes} minutes and was stopped, while ${doing ?? 'its worker started'}.`
  return new EvalError('engine/timeout', message, { details: { name: 'model', model: id, dtype, bytes, device, minutes, doing } })
}

/** `engine/timeout` of a batch: so many tokens in `milliseconds`. */
export function neverAnswered(id: string, dtype: string, tokens: number, milliseconds: number): EvalError {
  const message = `${id} as ${dtype} gave no answer to a batch of ${tokens} tokens within ${Math.round(milliseconds / 1000)} s and was stopped.`
  return new EvalError('engine/timeout', message, { details: { name: 'model', model: id, dtype, tokens, milliseconds } })
}
