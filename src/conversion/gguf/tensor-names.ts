/** Where llama.cpp's converter put the rows of transformers' tensors. Source: llama.cpp, conversion/ and gguf 0.19, tensor_mapping.py. */
import type { Architecture, Piece } from '../../architectures/architecture.ts'
import { changeWeights } from '../../architectures/change-weights.ts'
import { EvalError } from '../../base/errors.ts'
import type { TensorTable } from '../../weights/tensor-table.ts'
import { commonNames, type GgufArchitecture } from './parts.ts'

const layerTensor = /^(?:model\.layers|gpt_neox\.layers|transformer\.h)\.(\d+)\.(.+)\.(weight|bias)$/
const otherTensor = /^(.+)\.(weight|bias)$/
const expert = /^mlp\.experts\.(\d+)\.(gate|up|down)_proj$/
const projections = ['self_attn.q_proj', 'self_attn.k_proj', 'self_attn.v_proj'] as const

/** The same architecture, read from a GGUF file's tensors. */
export function readFromGguf(
  architecture: Architecture,
  { names = {}, isInterleaved = false, normsAreWhole = false }: GgufArchitecture,
  tensors: TensorTable,
): Architecture {
  const nameOf = (name: string): string => {
    const found = names[name] ?? commonNames[name]
    if (found === undefined) throw new EvalError('internal', `no tensor of GGUF is known for ${name}`)
    return found
  }
  const pieceOf = (piece: Piece): Piece => {
    const [, layer = '', part = '', kind = ''] = layerTensor.exec(piece.tensor) ?? []
    // GPT-2's matrices were turned, and a kernel's axis of one was left out.
    const shape = piece.isTransposed
      ? piece.shape.toReversed()
      : piece.shape.filter((size, axis) => axis === 0 || size !== 1 || piece.shape.length < 3)
    const plain = { ...piece, shape, isTransposed: false }
    if (part === '') {
      const [, name = '', suffix = ''] = otherTensor.exec(piece.tensor) ?? []
      return { ...plain, tensor: `${nameOf(name)}.${suffix}` }
    }
    const mixer = architecture.layers[Number(layer)]?.mixer
    const which = projections.findIndex((one) => one === part)
    const [, place, matrix] = expert.exec(part) ?? []
    if (matrix !== undefined)
      return expertRows(plain, `blk.${layer}.ffn_${matrix}_exps.weight`, Number(place), expertsOf(architecture, Number(layer)))
    const tensor = `blk.${layer}.${nameOf(part)}.${kind}`
    if (part === 'attention.query_key_value') return { ...plain, ...togetherByKind(plain), tensor }
    if (which < 0 || mixer?.kind !== 'attention') return { ...plain, tensor }
    const interleaved = isInterleaved && which < 2 ? mixer.headSize : null
    const fused = `blk.${layer}.attn_qkv.${kind}`
    if (tensors.has(tensor) || !tensors.has(fused)) return { ...plain, tensor, interleaved }
    // llama.cpp's converter can join the three, one below the other.
    const queries = mixer.heads * mixer.headSize
    const keys = mixer.keyValueHeads * mixer.headSize
    const from = piece.from + (which === 0 ? 0 : queries + (which - 1) * keys)
    return { ...plain, tensor: fused, shape: [queries + 2 * keys, ...shape.slice(1)], from, interleaved }
  }
  return changeWeights(architecture, {
    weight: (weight) => ({ ...weight, pieces: weight.pieces.map(pieceOf) }),
    normsAreWhole,
  })
}

function expertsOf({ layers }: Architecture, layer: number): number {
  const mlp = layers[layer]?.mlp
  return mlp?.kind === 'mixture' ? mlp.experts.length : 0
}

/** One expert's rows of the tensor that has all of them. */
function expertRows(piece: Piece, tensor: string, place: number, experts: number): Piece {
  const [rows = 0] = piece.shape
  return { ...piece, tensor, shape: [experts, ...piece.shape], from: place * rows + piece.from }
}

/** GPT-NeoX keeps query, key and value of a head together; here all heads' queries stand together, then all keys. */
function togetherByKind({ from, rows, times }: Piece): Pick<Piece, 'from' | 'rows' | 'stride' | 'times'> {
  return { from: from * times, rows: rows * times, stride: 0, times: 1 }
}
