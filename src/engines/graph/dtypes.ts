import { EvalError } from '../../base/errors.ts'
import type { DtypeOption, RepoFile } from '../../contracts/models.ts'
import { torchDtypes } from '../../contracts/torch-dtypes.ts'

// File suffixes as transformers.js 4.3.1 names them (src/utils/dtypes.js), in the order the page lists them.
const suffixes: readonly (readonly [dtype: string, suffix: string])[] = [
  ['fp32', ''],
  ['fp16', '_fp16'],
  ['q8', '_quantized'],
  ['int8', '_int8'],
  ['uint8', '_uint8'],
  ['q4', '_q4'],
  ['q4f16', '_q4f16'],
  ['bnb4', '_bnb4'],
  ['q2', '_q2'],
  ['q2f16', '_q2f16'],
  ['q1', '_q1'],
  ['q1f16', '_q1f16'],
]

/** Dtypes whose kernels compute in 16 bits, which WebGPU can only do with the `shader-f16` feature. */
export function needsShaderF16(dtype: string): boolean {
  return dtype.endsWith('f16') || dtype === 'fp16'
}

/**
 * The dtypes that a repository really has, from its file list: `onnx/model{suffix}.onnx` with `…_data`, `…_data_1`, … beside it.
 *
 * `refusal` is null throughout; see `refuse` for what can't run here. Throws `model/no-onnx` when there is none.
 */
export function listDtypes(files: readonly RepoFile[], repo: string): DtypeOption[] {
  const options = suffixes.flatMap(([dtype, suffix]) => {
    const file = `onnx/model${suffix}.onnx`
    const graph = files.find((candidate) => candidate.path === file)
    if (graph === undefined) return []
    const external = files.filter((candidate) => isExternalDataOf(candidate.path, file)).sort((a, b) => partOf(a.path) - partOf(b.path))
    const bytes = [graph, ...external].reduce((sum, part) => sum + part.bytes, 0)
    return [{ dtype, file, externalFiles: external.map((part) => part.path), bytes, refusal: null }]
  })
  if (options.length === 0) throw noWeights(files, repo)
  return options
}

/** Names of the dtypes whose graphs are among `paths`, in the page's order; empty when there is none. */
export function dtypesAmong(paths: readonly string[]): string[] {
  return suffixes.flatMap(([dtype, suffix]) => (paths.includes(`onnx/model${suffix}.onnx`) ? [dtype] : []))
}

function isExternalDataOf(path: string, graph: string): boolean {
  return path.startsWith(graph) && /^(?:_data(?:_\d+)?|\.data)$/.test(path.slice(graph.length))
}

function partOf(path: string): number {
  return Number(/_data_(\d+)$/.exec(path)?.[1] ?? 0)
}

/** `model/no-onnx` for a repository without weights that are read here: says what it has instead. */
export function noWeights(files: readonly RepoFile[], repo: string): EvalError {
  const others = files.filter((file) => file.path.endsWith('.onnx')).map((file) => file.path)
  const weights = files.filter((file) => /\.(?:safetensors|bin|gguf|pt)$/.test(file.path))
  const weightBytes = weights.reduce((sum, { bytes }) => sum + bytes, 0)
  let found = 'no model files at all'
  if (others.length > 0) found = `only ${others.slice(0, 4).join(', ')}`
  else if (weights.length > 0) found = `weights in another format, which need about ${(weightBytes / 1e9).toFixed(1)} GB`
  return new EvalError(
    'model/no-onnx',
    `wanted model.safetensors (or its index and parts), onnx/model.onnx or a quantised variant such as onnx/model_q4.onnx in ${repo}, found ${found}. ` +
      'Look for a conversion of this model (the onnx-community organisation has many), or export it with "optimum-cli export onnx" and put the result in a folder named onnx',
    { details: { repo, found: others.slice(0, 20) } },
  )
}

/**
 * The dtype to preselect: weight-only quantisation first (q4), then full precision, never one that quantises activations dynamically
 * while another can run (a token's score would depend on what shares its pass). Options with a refusal are passed over.
 */
export function defaultDtype(options: readonly DtypeOption[], hasShaderF16: boolean): string | null {
  const runnable = options.filter((option) => option.refusal === null).map((option) => option.dtype)
  const wide = hasShaderF16 ? ['fp16', 'fp32', 'q4f16'] : ['fp32', 'fp16', 'q4f16']
  return ['q4', ...wide, 'bnb4', 'q2', 'q2f16', 'q1', 'q1f16', 'q8', 'int8', 'uint8'].find((dtype) => runnable.includes(dtype)) ?? null
}

interface ResolvedDtype {
  readonly option: DtypeOption
  /** One sentence for the log when the name was translated; null when it was one of the repository's own. */
  readonly note: string | null
}

/**
 * The repository's option for a requested dtype: one of its own names, a torch dtype, or null/`auto` for `fallback`, its default (null: none can run).
 *
 * Throws `model/unknown-dtype`, naming what there is; `model/too-large` or `model/unsupported` when every candidate is refused.
 */
export function resolveDtype(requested: string | null, options: readonly DtypeOption[], fallback: string | null): ResolvedDtype {
  const name = requested === null ? 'auto' : requested.replace(/^torch\./, '')
  if (name === 'auto') return automatic(requested, options, fallback)
  const own = options.find((option) => option.dtype === name) ?? options.find((option) => option.file === name)
  if (own !== undefined) return { option: own, note: null }
  const counterparts = torchDtypes[name] ?? []
  const option = counterparts.flatMap((dtype) => options.find((candidate) => candidate.dtype === dtype) ?? [])[0]
  if (option !== undefined)
    return { option, note: `The torch dtype ${name} was taken as ${option.dtype}${whyTaken(name, option.dtype, counterparts)}.` }
  throw new EvalError('model/unknown-dtype', `wanted dtype "${name}", found ${listNames(options)} in this repository`, {
    details: { requested: name, available: options.map((option) => option.dtype) },
  })
}

function whyTaken(name: string, dtype: string, counterparts: readonly string[]): string {
  if (dtype !== counterparts[0]) return ', the nearest that this repository has'
  return name === 'bfloat16' ? ', which holds every bfloat16 value exactly; browsers have no bfloat16' : ''
}

function automatic(requested: string | null, options: readonly DtypeOption[], dtype: string | null): ResolvedDtype {
  const option = options.find((candidate) => candidate.dtype === dtype)
  if (option === undefined) {
    const reasons = options.map((candidate) => `${candidate.dtype}: ${candidate.refusal ?? ''}`)
    throw new EvalError('model/too-large', `none of this model's dtypes can run here. ${reasons.join(' ')}`, {
      details: { refusals: reasons },
    })
  }
  return { option, note: requested === null ? null : `The dtype auto was taken as ${option.dtype}.` }
}

function listNames(options: readonly DtypeOption[]): string {
  return options.map((option) => option.dtype).join(', ')
}
