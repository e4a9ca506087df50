/** The report of `--gpu` as Markdown. */
import { nameOf } from '../../../src/engines/device.ts'
import { benchTable, type BenchRow } from '../rows.ts'
import { isMet, type CheckRow, type GpuReport, type MmluRow, type TargetRow } from './report.ts'

/** Sections one after the other; those of which nothing was measured are left out. */
export function gpuTable(gpu: GpuReport, rows: readonly BenchRow[]): string {
  const section = (title: string, lines: readonly string[], isThere: boolean): string[] =>
    isThere ? ['', `## ${title}`, '', ...lines] : []
  return [
    ...head(gpu),
    ...section('Models made on the spot', madeTable(gpu), gpu.made.length > 0),
    ...section('Checks on the adapter', checkTable(gpu.checks), gpu.checks.length > 0),
    ...section("The embedded model's goldens", goldenTable(gpu), gpu.goldens.length > 0),
    ...section('Works, against transformers.js (max diff and docs that differ are to it)', [benchTable(rows)], rows.length > 0),
    ...section('A whole MMLU by the clock', mmluTable(gpu.mmlu), gpu.mmlu.length > 0),
    ...section('Targets', gpu.targets.map(targetLine), gpu.adapter?.isFallback === false),
    ...section('Left out', list(gpu.skipped.map(({ part, reason }) => `${part}: ${reason}`)), gpu.skipped.length > 0),
    ...section('Failed', list(gpu.faults), gpu.faults.length > 0),
  ].join('\n')
}

function head({ adapter, card, browser, switches, note, peak_tflops: peak }: GpuReport): string[] {
  const limits =
    adapter === null
      ? ''
      : `${mebibytes(adapter.maxBufferBytes)} a buffer, ${mebibytes(adapter.maxStorageBufferBindingBytes)} a binding, ${adapter.maxWorkgroupThreads} threads and ${adapter.maxWorkgroupStorageBytes} bytes a workgroup, subgroups of ${adapter.subgroupSizes?.join(' to ') ?? 'unknown size'}`
  return [
    ...list([
      `adapter: ${adapter === null ? 'none' : `${nameOf(adapter)}${adapter.isFallback ? ' (software)' : ''}`}`,
      `card and driver: ${card === null ? 'unknown (no nvidia-smi)' : `${card.name}, driver ${card.driver}`}`,
      `browser: Chromium ${browser}`,
      `switches: ${switches.join(' ') || 'none'}`,
      ...(note === null ? [] : [`how it was started: ${note}`]),
      ...(adapter === null ? [] : [`features: ${adapter.features.join(' ')}`, `limits: ${limits}`]),
      `peak: ${peak === null ? 'unknown: name it with --peak_tflops for the floor of arithmetic' : `${peak} TFLOPS in float32`}`,
    ]),
  ]
}

function madeTable({ made }: GpuReport): string[] {
  return table(
    ['model', 'dtype', 'parameters', 'MB on disk', 's to make'],
    made.map(({ model, dtype, parameters, bytes, ms }) => [
      model,
      dtype,
      parameters.toLocaleString('en'),
      (bytes / 1e6).toFixed(0),
      (ms / 1000).toFixed(1),
    ]),
  )
}

function checkTable(checks: readonly CheckRow[]): string[] {
  return table(
    [
      'model',
      'graph',
      'dtype',
      'self-check',
      'nats a token',
      'longest exact pass',
      'composition, nats',
      'path',
      'tokens a pass',
      'ms a pass',
      'ms a token',
      'in place',
      'ms to open',
    ],
    checks.map((row) => [
      row.model,
      row.form,
      row.dtype,
      row.self_check,
      nats(row.self_check_diff),
      number(row.longest_exact, 0),
      nats(row.composition_diff),
      row.scoring,
      number(row.pass_tokens, 0),
      number(row.run_ms, 2),
      number(row.token_ms, 4),
      row.in_place ? 'yes' : 'no',
      row.opening_ms.toFixed(0),
    ]),
  )
}

function goldenTable({ goldens }: GpuReport): string[] {
  return table(
    ['model', 'dtype', 'requests', 'max diff, nats', 'allowed'],
    goldens.map(({ model, dtype, requests, max_abs_diff: diff, tolerance }) => [
      model,
      dtype,
      String(requests),
      nats(diff),
      String(tolerance),
    ]),
  )
}

function mmluTable(mmlu: readonly MmluRow[]): string[] {
  return table(
    [
      'model',
      'graph',
      'dtype',
      'docs',
      's',
      'in passes',
      'dispatch, of that',
      'planning, s',
      'passes',
      'tokens',
      '÷ least',
      'tokens a second',
      '× floor',
    ],
    mmlu.map((row) => [
      row.model,
      row.form,
      row.dtype,
      String(row.docs),
      (row.ms / 1000).toFixed(1),
      `${((100 * row.engine_ms) / row.ms).toFixed(1)} %`,
      row.dispatch_share === null ? 'unknown' : `${(100 * row.dispatch_share).toFixed(0)} %`,
      (row.plan_ms / 1000).toFixed(2),
      String(row.runs),
      String(row.tokens),
      (row.tokens / row.least_tokens).toFixed(3),
      ((row.tokens * 1000) / row.ms).toFixed(0),
      row.floor_ms === null ? 'peak unknown' : (row.ms / row.floor_ms).toFixed(1),
    ]),
  )
}

function targetLine(row: TargetRow): string {
  const met = isMet(row)
  const value = row.value === null ? 'not measured' : `${row.value.toFixed(1)} ${row.unit}`
  const aim = `${row.is_least ? 'at least' : 'below'} ${row.aim} ${row.unit}`
  return `- ${row.target}: ${value} (${aim})${met === null ? '' : met ? ': met' : ': not met'}`
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`)
}

function list(lines: readonly string[]): string[] {
  return lines.map((line) => `- ${line}`)
}

function nats(value: number | null): string {
  return value === null ? '' : value.toExponential(1)
}

function number(value: number | null, digits: number): string {
  return value === null ? '' : value.toFixed(digits)
}

function mebibytes(bytes: number): string {
  return `${Math.round(bytes / 2 ** 20)} MiB`
}
