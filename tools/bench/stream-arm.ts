/** The arm `--stream`: large files through the built app's data worker, in a real browser. */
import type { Page } from '@playwright/test'
import { setTimeout as sleep } from 'node:timers/promises'
import { launchBrowser } from '../../src/cli/browser/browser.ts'
import { buildIfStale, distFolder } from '../../src/cli/browser/build.ts'
import { localHubPath, serve } from '../../src/cli/browser/serve.ts'
import type { DataScan } from '../../src/contracts/kept-files.ts'
import type { Reply } from '../../src/driver.ts'
import { factsOf, sendMade, type MadeFile } from './made-data.ts'
import { rendererPids, residentBytes, watchPeak } from './renderer-memory.ts'

export interface StreamRow {
  readonly format: string
  /** Unpacked. */
  readonly bytes: number
  readonly bytes_sent: number
  readonly rows: number
  readonly rows_are_right: boolean
  readonly seconds: number
  readonly mb_per_s: number
  /** Null where the system doesn't tell. */
  readonly baseline_bytes: number | null
  readonly peak_bytes_over_baseline: number | null
}

export interface BombRow {
  readonly bytes: number
  readonly refused: boolean
  readonly message: string
  /** From the call, a worker's start included. */
  readonly seconds: number
  readonly peak_bytes_over_baseline: number | null
}

export interface StreamReport {
  readonly stream: readonly StreamRow[]
  readonly bomb: BombRow
}

const mib = 2 ** 20
export const maxBytesOverBaseline = 64 * mib
export const maxBombSeconds = 2
const bombBytes = 10 * 2 ** 30

/** Every file `turns` times: how much memory is used depends on when the browser collects garbage. */
export async function measureStreams({
  bytes,
  turns,
  seed,
  say,
}: {
  readonly bytes: number
  readonly turns: number
  readonly seed: number
  readonly say: (line: string) => void
}): Promise<StreamReport> {
  buildIfStale(say)
  const server = await serve({
    folder: distFolder,
    port: 0,
    localHub: (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
      const kind = pathname.slice('/made/'.length)
      if (kind !== 'jsonl' && kind !== 'jsonl.gz' && kind !== 'bomb.gz') {
        response.writeHead(404)
        response.end()
      } else
        sendMade({ kind, bytes: Number(searchParams.get('bytes')), seed }, request, response).catch((error: unknown) => {
          say(String(error))
        })
    },
  })
  const addressOf = ({ kind, bytes: size }: MadeFile): string =>
    `${server.address}${server.secret.slice(1)}${localHubPath}/made/${kind}?bytes=${size}`
  /** Reads one file in a browser of its own: what an earlier arm left behind would count as baseline otherwise. */
  const measure = async (file: MadeFile) => {
    const browser = await launchBrowser({ gpu: 'hardware', say })
    try {
      const page = await browser.newPage()
      await page.goto(`${server.address}driver.html`)
      await page.waitForFunction(() => globalThis.yardstick !== undefined)
      const pids = await rendererPids(browser)
      const memory = (): number | null => residentBytes(pids)
      // Once in small, so that the baseline holds all code that is loaded for good.
      for (const kind of ['jsonl', 'jsonl.gz'] as const) await scan(page, addressOf({ kind, bytes: 4 * mib, seed }))
      // The data worker ends a second after its last file: a new one belongs to what reading takes.
      await sleep(2_000)
      const baseline = memory()
      const watch = watchPeak(memory)
      const startMs = performance.now()
      const reply = await scan(page, addressOf(file))
      const seconds = (performance.now() - startMs) / 1000
      const peak = watch.stop()
      return { reply, seconds, baseline, over: peak === null || baseline === null ? null : Math.max(0, peak - baseline) }
    } finally {
      await browser.close()
    }
  }
  const measureFile = async (file: MadeFile): Promise<StreamRow> => {
    const { kind } = file
    const expected = await factsOf(file)
    const { reply, seconds, baseline, over } = await measure(file)
    if (!reply.ok) throw new Error(`${kind}: ${reply.error.code}: ${reply.error.message}`)
    const found = reply.value as DataScan // What `scanData` answers.
    return {
      format: kind,
      bytes: expected.bytes,
      bytes_sent: found.bytes,
      rows: found.rows,
      rows_are_right: found.rows === expected.rows && found.characters === expected.characters,
      seconds: round(seconds),
      mb_per_s: round(expected.bytes / 1e6 / seconds),
      baseline_bytes: baseline,
      peak_bytes_over_baseline: over,
    }
  }
  try {
    const stream: StreamRow[] = []
    for (const kind of ['jsonl', 'jsonl.gz'] as const) {
      for (let turn = 1; turn <= turns; turn++) {
        say(`Streaming ${(bytes / 1e6).toFixed(0)} MB of ${kind}${turns === 1 ? '' : ` (${turn} of ${turns})`}`)
        stream.push(await measureFile({ kind, bytes, seed }))
      }
    }
    say('Offering a gzip bomb of 10 GiB')
    const { reply, seconds, over } = await measure({ kind: 'bomb.gz', bytes: bombBytes, seed })
    const bomb = {
      bytes: bombBytes,
      refused: !reply.ok && reply.error.code === 'dataset/malformed' && reply.error.message.includes('refused'),
      message: reply.ok ? 'it was read' : reply.error.message,
      seconds: round(seconds),
      peak_bytes_over_baseline: over,
    }
    return { stream, bomb }
  } finally {
    await server.close()
  }
}

async function scan(page: Page, address: string): Promise<Reply> {
  const reply = await page.evaluate(async (given) => await globalThis.yardstick?.call('scanData', [given, 'json']), address)
  if (reply === undefined) throw new Error('The driver page has gone.')
  return reply
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}

/** What of a report goes beyond its limits, in words. */
export function faultsOf({ stream, bomb }: StreamReport): readonly string[] {
  const faults: string[] = []
  for (const { format, rows_are_right: isRight, peak_bytes_over_baseline: over } of stream) {
    if (!isRight) faults.push(`${format}: the rows read are not the rows sent`)
    if (over !== null && over > maxBytesOverBaseline)
      faults.push(`${format}: ${(over / mib).toFixed(1)} MiB over the baseline, ${maxBytesOverBaseline / mib} are allowed`)
  }
  if (!bomb.refused) faults.push(`the gzip bomb was not refused: ${bomb.message}`)
  if (bomb.seconds > maxBombSeconds) faults.push(`the gzip bomb was refused after ${bomb.seconds} s, ${maxBombSeconds} are allowed`)
  return faults
}

export function tableOf({ stream, bomb }: StreamReport): string {
  const memory = (bytes: number | null): string => (bytes === null ? 'unknown' : `${(bytes / mib).toFixed(1)} MiB`)
  const rows = stream.map((row) =>
    [
      row.format,
      `${(row.bytes / 1e6).toFixed(0)} MB`,
      String(row.rows),
      row.rows_are_right ? 'all' : 'WRONG',
      `${row.seconds} s`,
      `${row.mb_per_s} MB/s`,
      memory(row.peak_bytes_over_baseline),
    ]
      .map((cell) => ` ${cell} `)
      .join('|'),
  )
  return [
    '| format | unpacked | rows | right | time | rate | peak over baseline |',
    '|---|---:|---:|---|---:|---:|---:|',
    ...rows.map((row) => `|${row}|`),
    '',
    `gzip bomb of ${(bomb.bytes / 2 ** 30).toFixed(0)} GiB: ${bomb.refused ? 'refused' : 'NOT REFUSED'} after ${bomb.seconds} s, peak ${memory(bomb.peak_bytes_over_baseline)} over baseline`,
    `  ${bomb.message}`,
  ].join('\n')
}
