/** The sentence on which weights a run measured, by their form. */
export const measuredText = {
  onnx: 'results.measured',
  safetensors: 'results.measuredCheckpoint',
  gguf: 'results.measuredGguf',
} as const
