/** Safetensors files for tests. */

export interface MadeTensor {
  readonly name: string
  readonly dtype: string
  readonly shape: readonly number[]
  readonly bytes: Uint8Array
}

/** The file with these tensors one behind the other. */
export function safetensorsFile(tensors: readonly MadeTensor[]): Uint8Array<ArrayBuffer> {
  let end = 0
  const header = Object.fromEntries(
    tensors.map(({ name, dtype, shape, bytes }) => [name, { dtype, shape, data_offsets: [end, (end += bytes.length)] }]),
  )
  const json = new TextEncoder().encode(JSON.stringify(header))
  const file = new Uint8Array(8 + json.length + end)
  new DataView(file.buffer).setBigUint64(0, BigInt(json.length), true)
  file.set(json, 8)
  let at = 8 + json.length
  for (const { bytes } of tensors) {
    file.set(bytes, at)
    at += bytes.length
  }
  return file
}

/** float32 values as a tensor of that type. */
export function floatsTensor(name: string, shape: readonly number[], values: Float32Array): MadeTensor {
  return { name, dtype: 'F32', shape, bytes: new Uint8Array(values.buffer, values.byteOffset, values.byteLength) }
}
