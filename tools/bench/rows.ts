/** What `npm run bench` prints: one row an arm, work, model and device. */
import type { WorkName } from './works.ts'

export const armNames = ['naive', 'one_forward', 'reference', 'fast', 'own', 'harness'] as const
export type ArmName = (typeof armNames)[number]

/** Keys as the command's JSON has them; times in milliseconds. */
export interface BenchRow {
  readonly work: WorkName
  readonly arm: ArmName
  readonly model: string
  readonly device: 'wasm' | 'webgpu' | 'cpu' | 'cuda'
  readonly dtype: string
  readonly threads: number
  readonly docs: number
  readonly ms: number
  /** The part of `ms` inside the model's runs. */
  readonly engine_ms: number
  /** Processor time of all threads of the arm's process or processes, which a busy machine changes less; null where the system doesn't tell. */
  readonly cpu_ms: number | null
  readonly runs: number
  /** Positions that went through the model. */
  readonly tokens: number
  /** The least that had to: every shared beginning once. */
  readonly trie_tokens: number
  /** Rows of logits computed. */
  readonly rows: number
  readonly bytes_read_back: number
  /** Largest resident memory of the arm's process or processes while it worked; null where the system doesn't tell. */
  readonly peak_bytes: number | null
  /** The same while the arm's model was opened. */
  readonly opening_peak_bytes: number | null
  /** Largest difference of a request's log-probability (nats) to the reference arm; null without one, and for texts that are written. */
  readonly max_abs_diff: number | null
  /** Docs whose most probable choice, or whose text, isn't the reference arm's; null without one. */
  readonly docs_that_differ: number | null
}

/** The rows as a Markdown table; `×` is how many times faster than the naive arm of the same work. */
export function benchTable(rows: readonly BenchRow[]): string {
  const lines = rows.map((row) => {
    const naive = rows.find(
      (other) => other.arm === 'naive' && other.work === row.work && other.model === row.model && isSameMachineSide(other, row),
    )
    const cells = [
      row.work,
      row.arm,
      `${row.model} ${row.dtype}`,
      isTorch(row) ? `torch ${row.device}` : row.device,
      String(row.docs),
      (row.ms / row.docs).toFixed(row.ms / row.docs < 10 ? 2 : 0),
      naive === undefined ? '' : (naive.ms / naive.docs / (row.ms / row.docs)).toFixed(2),
      `${((100 * row.engine_ms) / row.ms).toFixed(1)} %`,
      row.cpu_ms === null ? 'unknown' : (row.cpu_ms / row.docs).toFixed(0),
      String(row.runs),
      String(row.tokens),
      (row.tokens / row.trie_tokens).toFixed(3),
      String(row.rows),
      bytes(row.bytes_read_back / row.docs),
      row.peak_bytes === null ? 'unknown' : bytes(row.peak_bytes),
      row.opening_peak_bytes === null ? 'unknown' : bytes(row.opening_peak_bytes),
      row.max_abs_diff === null ? '' : row.max_abs_diff.toExponential(1),
      row.docs_that_differ === null ? '' : String(row.docs_that_differ),
    ]
    return `| ${cells.join(' | ')} |`
  })
  return [
    '| work | arm | model | device | docs | ms a doc | × naive | in engine | CPU ms a doc | runs | tokens | ÷ trie | rows | read back a doc | peak | opening | max diff | docs that differ |',
    '|---|---|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|',
    ...lines,
  ].join('\n')
}

/** The harness on the CPU is held against the naive arm on WASM, on a GPU against that on WebGPU. */
function isSameMachineSide(naive: BenchRow, row: BenchRow): boolean {
  const side = { cpu: 'wasm', cuda: 'webgpu', wasm: 'wasm', webgpu: 'webgpu' }[row.device]
  return naive.device === side
}

function isTorch({ device }: BenchRow): boolean {
  return device === 'cpu' || device === 'cuda'
}

function bytes(count: number): string {
  if (count < 10_000) return `${Math.round(count)} B`
  return count < 1e7 ? `${(count / 1e3).toFixed(0)} kB` : `${(count / 1e6).toFixed(0)} MB`
}
