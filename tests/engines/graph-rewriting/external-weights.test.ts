import { describe, expect, it } from 'vitest'
import { moveWeightsOut, weightsFile } from '../../../src/engines/graph-rewriting/external-weights.ts'
import { takeApart } from '../../../src/onnx/model-graph.ts'
import { fileBytes } from '../../../src/engines/graph/model-file.ts'
import type { FileBytes } from '../../../src/weights/file-bytes.ts'
import { readGraphFacts } from '../../../src/engines/graph/graph-facts.ts'
import { float32, floatTensor, int64, model, node, valueInfo } from '../onnx-builder.ts'

const values = (count: number): number[] => Array.from({ length: count }, (_, i) => Math.fround(Math.sin(i)))
const bytes = model({
  nodes: [node('Gather', ['large', 'input_ids'], ['embedded']), node('MatMul', ['embedded', 'small'], ['logits'])],
  initializers: [floatTensor('large', [1000, 4], values(4000)), floatTensor('small', [4, 3], values(12))],
  inputs: [valueInfo('input_ids', int64, [1, 'T'])],
  outputs: [valueInfo('logits', float32, [1, 'T', 3])],
})

/** Counts what is read of a file. */
function watched(file: FileBytes): FileBytes & { read: FileBytes['read']; readonly reads: (readonly [number, number])[] } {
  const reads: (readonly [number, number])[] = []
  return {
    length: file.length,
    reads,
    read: (start, end) => {
      reads.push([start, end])
      return file.read(start, end)
    },
    rest: () => undefined,
  }
}

describe('moving weights out of a graph', () => {
  it('names the place of each large weight in the file, and keeps all else as it was', () => {
    const { graph, readsFile } = moveWeightsOut(fileBytes(bytes))
    expect(readsFile).toBe(true)
    expect(graph.length).toBeLessThan(1000)
    expect(readGraphFacts(graph)).toEqual({ ...readGraphFacts(bytes), externalFiles: [weightsFile] })
    const [before, after] = [takeApart(bytes), takeApart(graph)]
    expect(after.nodes).toEqual(before.nodes)
    expect(after.weights.map(({ name }) => name)).toEqual(['large', 'small'])
    expect(after.weights[1]).toEqual(before.weights[1])
    const place = /offset\D+(\d+)\D+length\D+?(\d+)/s.exec(new TextDecoder('latin1').decode(after.weights[0]?.message))
    const [start, length] = [Number(place?.[1]), Number(place?.[2])]
    expect(new Float32Array(bytes.slice(start, start + length).buffer)).toEqual(Float32Array.from(values(4000)))
  })

  it('reads what it keeps, and steps over weights of gigabytes', () => {
    // The file is as long as its weight says, but only the bytes around the weight are there to be read.
    const weightBytes = 3 * 2 ** 30
    const tensorHead = [8, 1, 16, 1, 66, 1, 119]
    const varint = (value: number): number[] => {
      const out: number[] = []
      for (let rest = value; ; rest = Math.floor(rest / 128)) {
        if (rest < 128) return [...out, rest]
        out.push((rest % 128) + 128)
      }
    }
    const raw = [74, ...varint(weightBytes)]
    const tensorLength = tensorHead.length + raw.length + weightBytes
    const graphHead = [42, ...varint(tensorLength), ...tensorHead, ...raw]
    const tail = [...new TextEncoder().encode('\n\u0000')]
    const head = [58, ...varint(graphHead.length + weightBytes + tail.length), ...graphHead]
    const length = head.length + weightBytes + tail.length
    const sparse = watched({
      length,
      rest: () => undefined,
      read: (start, end) =>
        Uint8Array.from({ length: end - start }, (_, i) => head[start + i] ?? tail[start + i - (length - tail.length)] ?? 0),
    })
    const { graph } = moveWeightsOut(sparse)
    expect(new TextDecoder('latin1').decode(graph)).toContain(String(weightBytes))
    expect(sparse.reads.reduce((sum, [start, end]) => sum + end - start, 0)).toBeLessThan(300_000)
  })

  it.each([
    ['a cut file', bytes.slice(0, -20)],
    ['bytes that are no model', Uint8Array.of(7, 1, 2)],
    ['a number without an end', Uint8Array.of(8, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255)],
    ['a length beyond all files', Uint8Array.of(58, 255, 255, 255, 255, 255, 255, 255, 127, 1)],
  ])('refuses %s', (_, damaged) => {
    expect(() => moveWeightsOut(fileBytes(damaged))).toThrow(expect.objectContaining({ code: 'model/corrupt' }))
  })
})
