/** What a card could compute at most. */

/**
 * Peak float32 rates in TFLOPS, outside of tensor cores, which WebGPU's ordinary kernels don't reach. The first name that a card's contains counts. Source: NVIDIA's data sheets.
 */
const peaks: readonly (readonly [name: string, tflops: number])[] = [
  ['H200', 67],
  ['H100 PCIe', 51],
  ['H100 NVL', 60],
  ['H100', 67],
  ['A100', 19.5],
  ['L40S', 91.6],
  ['L4', 30.3],
  ['A10G', 31.2],
  ['A10', 31.2],
  ['T4', 8.1],
  ['V100', 15.7],
  ['RTX 4090', 82.6],
  ['RTX 4080', 48.7],
  ['RTX 4070', 29.1],
  ['RTX 3090', 35.6],
  ['RTX 3080', 29.8],
]

/** Null for a card that isn't known. */
export function peakOf(card: string | null): number | null {
  if (card === null) return null
  const plain = ` ${card.replaceAll('-', ' ')} `
  return peaks.find(([name]) => plain.includes(` ${name} `))?.[1] ?? null
}

/** Milliseconds that so many tokens of a model take at least: two operations a parameter and token. Attention is left out. */
export function arithmeticFloorMs(parameters: number, tokens: number, tflops: number | null): number | null {
  return tflops === null ? null : (2 * parameters * tokens) / (tflops * 1e9)
}
