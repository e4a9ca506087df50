import { bytesField, integerField, joinBytes } from './wire.ts'

/** Where the bytes of a tensor are: a file by the name that the graph has for it, and the place in it. */
export interface ExternalPlace {
  readonly location: string
  readonly offset: number
  readonly bytes: number
}

/** A TensorProto whose bytes are external data. `elementType` is one of ports.ts. Source: onnx/onnx.proto of ONNX 1.19 (field numbers). */
export function externalTensor(
  name: string,
  elementType: number,
  dims: readonly number[],
  { location, offset, bytes }: ExternalPlace,
): Uint8Array {
  const entries = { location, offset: String(offset), length: String(bytes) }
  return joinBytes([
    ...dims.map((dim) => integerField(1, dim)),
    integerField(2, elementType),
    bytesField(8, name),
    ...Object.entries(entries).map(([key, value]) => bytesField(13, joinBytes([bytesField(1, key), bytesField(2, value)]))),
    integerField(14, 1),
  ])
}
