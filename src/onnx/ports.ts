import { bytesField, integerField, joinBytes } from './wire.ts'

/** Codes of element types. Source: onnx.TensorProto.DataType of ONNX 1.19. */
export const elementTypes = { float32: 1, uint8: 2, int32: 6, int64: 7, bool: 9, float16: 10, bfloat16: 16 } as const

/** A ValueInfoProto: an input or output of a graph. Symbolic dimensions are names; dims null = unknown rank. */
export function port(name: string, elementType: number, dims: readonly (number | string)[] | null): Uint8Array {
  const shape = (dims ?? []).map((dim) => bytesField(1, typeof dim === 'number' ? integerField(1, dim) : bytesField(2, dim)))
  const tensor = [integerField(1, elementType), ...(dims === null ? [] : [bytesField(2, joinBytes(shape))])]
  return joinBytes([bytesField(1, name), bytesField(2, bytesField(1, joinBytes(tensor)))])
}
