import { EvalError, isEvalError } from '../base/errors.ts'
import type { Device } from '../contracts/engine.ts'

/**
 * An ONNX Runtime failure as our own error: `engine/out-of-memory`, `engine/device-lost` or `engine/failed`, with the original as cause.
 *
 * ORT reports through message texts only; the patterns are those of onnxruntime-web 1.30 and Chromium's WebGPU.
 */
export function classifyRunError(error: unknown, doing: string, device: Device): EvalError {
  if (isEvalError(error)) return error
  const text = error instanceof Error ? error.message : String(error)
  const where = `${doing} on ${device === 'webgpu' ? 'WebGPU' : 'WASM'}`
  const options = { cause: error, details: { device, runtime: text.slice(0, 2000) } }
  if (
    /out of memory|bad_alloc|bad allocation|failed to allocate|allocation failed|memory access out of bounds|could not allocate|invalid array(?: buffer)? length|exceeds.*(?:maxBufferSize|limit)|Aborted\(OOM/i.test(
      text,
    )
  ) {
    return new EvalError(
      'engine/out-of-memory',
      `${where} ran out of memory: choose a smaller dtype or a shorter window (${firstLine(text)})`,
      options,
    )
  }
  if (/device (?:is |was )?lost|lost device|device has been destroyed/i.test(text)) {
    return new EvalError('engine/device-lost', `${where} lost the GPU device (${firstLine(text)})`, options)
  }
  return new EvalError('engine/failed', `${where} failed: ${firstLine(text)}`, options)
}

function firstLine(text: string): string {
  return (text.split('\n')[0] ?? text).slice(0, 300)
}
