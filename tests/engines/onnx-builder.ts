/** Writes ONNX protobuf bytes by hand, enough for tiny decoders that real ONNX Runtime loads. Field numbers: onnx/onnx.proto. */

const encoder = new TextEncoder()

export function varint(value: number | bigint): number[] {
  let rest = BigInt.asUintN(64, BigInt(value))
  const bytes: number[] = []
  while (rest > 127n) {
    bytes.push(Number(rest & 127n) | 128)
    rest >>= 7n
  }
  return [...bytes, Number(rest)]
}
export function integerField(number: number, value: number | bigint): number[] {
  return [...varint(number * 8), ...varint(value)]
}
export function bytesField(number: number, content: readonly number[] | string): number[] {
  const bytes = typeof content === 'string' ? [...encoder.encode(content)] : content
  return [...varint(number * 8 + 2), ...varint(bytes.length), ...bytes]
}
export function floatField(number: number, value: number): number[] {
  return [...varint(number * 8 + 5), ...new Uint8Array(new Float32Array([value]).buffer)]
}

type Dim = number | string | null

export function valueInfo(name: string, elementType: number, dims: readonly Dim[]): number[] {
  const shape = dims.flatMap((dim) =>
    bytesField(1, typeof dim === 'number' ? integerField(1, dim) : dim === null ? [] : bytesField(2, dim)),
  )
  return [...bytesField(1, name), ...bytesField(2, bytesField(1, [...integerField(1, elementType), ...bytesField(2, shape)]))]
}

export interface Attribute {
  readonly name: string
  readonly integer?: number
  readonly graph?: readonly number[]
  readonly tensor?: readonly number[]
}

export function node(
  type: string,
  inputs: readonly string[],
  outputs: readonly string[],
  more: { name?: string; domain?: string; attributes?: readonly Attribute[] } = {},
): number[] {
  return [
    ...inputs.flatMap((input) => bytesField(1, input)),
    ...outputs.flatMap((output) => bytesField(2, output)),
    ...bytesField(3, more.name ?? ''),
    ...bytesField(4, type),
    ...(more.attributes ?? []).flatMap((attribute) => bytesField(5, attributeBytes(attribute))),
    ...(more.domain === undefined ? [] : bytesField(7, more.domain)),
  ]
}

function attributeBytes({ name, integer, graph, tensor }: Attribute): number[] {
  if (graph !== undefined) return [...bytesField(1, name), ...bytesField(6, graph), ...integerField(20, 5)]
  if (tensor !== undefined) return [...bytesField(1, name), ...bytesField(5, tensor), ...integerField(20, 4)]
  return [...bytesField(1, name), ...integerField(3, integer ?? 0), ...integerField(20, 2)]
}

export function floatTensor(name: string, dims: readonly number[], values: readonly number[]): number[] {
  return [
    ...dims.flatMap((dim) => integerField(1, dim)),
    ...integerField(2, 1),
    ...bytesField(8, name),
    ...bytesField(9, [...new Uint8Array(new Float32Array(values).buffer)]),
  ]
}

export function externalTensor(name: string, dims: readonly number[], location: string, length: number): number[] {
  const entry = (key: string, value: string) => bytesField(13, [...bytesField(1, key), ...bytesField(2, value)])
  return [
    ...dims.flatMap((dim) => integerField(1, dim)),
    ...integerField(2, 1),
    ...bytesField(8, name),
    ...entry('location', location),
    ...entry('offset', '0'),
    ...entry('length', String(length)),
    ...integerField(14, 1),
  ]
}

export interface GraphParts {
  readonly nodes: readonly (readonly number[])[]
  readonly initializers?: readonly (readonly number[])[]
  readonly inputs: readonly (readonly number[])[]
  readonly outputs: readonly (readonly number[])[]
}

export function graph({ nodes, initializers = [], inputs, outputs }: GraphParts): number[] {
  return [
    ...nodes.flatMap((one) => bytesField(1, one)),
    ...bytesField(2, 'g'),
    ...initializers.flatMap((one) => bytesField(5, one)),
    ...inputs.flatMap((one) => bytesField(11, one)),
    ...outputs.flatMap((one) => bytesField(12, one)),
  ]
}

export function model(parts: GraphParts, opset = 17): Uint8Array {
  return Uint8Array.from([
    ...integerField(1, 8),
    ...bytesField(7, graph(parts)),
    ...bytesField(8, [...bytesField(1, ''), ...integerField(2, opset)]),
  ])
}

export const float32 = 1
export const int64 = 7

/**
 * A decoder whose next-token logits are a sum over the past: row t = sum of `table[token]` over tokens 0..t, kept in a cache of the embedded
 * tokens, [1, 1, T, V]. So scores depend on the whole history, and a wrong cache shows.
 */
export function historyModel(table: readonly (readonly number[])[], options: { external?: string } = {}): Uint8Array {
  const size = table.length
  const weights = table.flat()
  return model({
    nodes: [
      node('Gather', ['table', 'input_ids'], ['rows']),
      node('Unsqueeze', ['rows', 'one'], ['rows4']),
      node('Concat', ['past_key_values.0.key', 'rows4'], ['present.0.key'], { attributes: [{ name: 'axis', integer: 2 }] }),
      node('CumSum', ['present.0.key', 'two'], ['sums']),
      node('Shape', ['input_ids'], ['shape'], { attributes: [{ name: 'start', integer: 1 }] }),
      node('Neg', ['shape'], ['start']),
      node('Slice', ['sums', 'start', 'end', 'axis'], ['last']),
      node('Squeeze', ['last', 'one'], ['logits']),
    ],
    initializers: [
      options.external === undefined
        ? floatTensor('table', [size, size], weights)
        : externalTensor('table', [size, size], options.external, weights.length * 4),
      integerTensor('one', [1], [1]),
      integerTensor('two', [], [2]),
      integerTensor('axis', [1], [2]),
      integerTensor('end', [1], [2 ** 40]),
    ],
    inputs: [valueInfo('input_ids', int64, ['batch', 'tokens']), valueInfo('past_key_values.0.key', float32, ['batch', 1, 'past', size])],
    outputs: [valueInfo('logits', float32, ['batch', 'tokens', size]), valueInfo('present.0.key', float32, ['batch', 1, 'total', size])],
  })
}

export function integerTensor(name: string, dims: readonly number[], values: readonly number[]): number[] {
  return [
    ...dims.flatMap((dim) => integerField(1, dim)),
    ...integerField(2, 7),
    ...bytesField(8, name),
    ...bytesField(9, [...new Uint8Array(BigInt64Array.from(values.map(BigInt)).buffer)]),
  ]
}

/**
 * A decoder like `historyModel` that never comes to its logits: between its cache and its head, whose rows have `size` logits, lies a `Loop` with as many
 * rounds as there can be and a condition that stays true.
 */
export function endlessModel(size: number): Uint8Array {
  const boolean = 9
  const body = graph({
    nodes: [node('Identity', ['goes_on'], ['still_goes_on']), node('Add', ['sum', 'step'], ['next_sum'])],
    inputs: [valueInfo('round', int64, []), valueInfo('goes_on', boolean, []), valueInfo('sum', float32, ['batch', 'tokens', 1])],
    outputs: [valueInfo('still_goes_on', boolean, []), valueInfo('next_sum', float32, ['batch', 'tokens', 1])],
  })
  return model({
    nodes: [
      node('Gather', ['table', 'input_ids'], ['rows']),
      node('Unsqueeze', ['rows', 'one'], ['rows4']),
      node('Concat', ['past_key_values.0.key', 'rows4'], ['present.0.key'], { attributes: [{ name: 'axis', integer: 2 }] }),
      node('Loop', ['rounds', 'true', 'rows'], ['sums'], { attributes: [{ name: 'body', graph: body }] }),
      node('MatMul', ['sums', 'head'], ['logits']),
    ],
    initializers: [
      floatTensor(
        'table',
        [size, 1],
        Array.from({ length: size }, (_, token) => token / size),
      ),
      floatTensor('head', [1, size], new Array<number>(size).fill(1)),
      floatTensor('step', [1], [1]),
      integerTensor('one', [1], [1]),
      integerTensor('rounds', [], [Number.MAX_SAFE_INTEGER]),
      [...integerField(2, boolean), ...bytesField(8, 'true'), ...bytesField(9, [1])],
    ],
    inputs: [valueInfo('input_ids', int64, ['batch', 'tokens']), valueInfo('past_key_values.0.key', float32, ['batch', 1, 'past', 1])],
    outputs: [valueInfo('logits', float32, ['batch', 'tokens', size]), valueInfo('present.0.key', float32, ['batch', 1, 'total', 1])],
  })
}
