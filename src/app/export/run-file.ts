/**
 * A whole run as one file: gzip of JSON lines. The first line names the format, the second holds the manifest and the results, then comes
 * one line a sample, and the last holds their count and a checksum: SHA-256 chained over the lines, so that a file can be written and read
 * piece by piece. `open/run-file.ts` reads it.
 */
import { sha256 } from '../../base/sha256.ts'
import type { RunManifest } from '../../contracts/runs.ts'
import type { SampleView } from '../../contracts/samples.ts'
import type { RunSummary } from '../../contracts/results.ts'

export const runFileFormat = 'yardstick-run'
export const runFileVersion = 1
export const runFileExtension = '.yardstick.gz'

/** The chained checksum with one more line; '' begins the chain. */
export function chainLine(chain: string, line: string): string {
  return sha256(chain + line)
}

/** What JSON can't say of a number is said as text: `NaN`, `Infinity`, `-Infinity`. */
function withSpecialNumbers(_key: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value
}

interface WholeRun {
  readonly manifest: RunManifest
  readonly summary: RunSummary
  /** Samples in parts, task by task, as they are read. */
  readonly samples: AsyncIterable<readonly SampleView[]>
}

/** The run's file, packed. */
export async function packRun(run: WholeRun): Promise<Blob> {
  const lines = linesOf(run)
  const encoder = new TextEncoder()
  const text = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: async (controller) => {
      const next = await lines.next()
      if (next.done === true) controller.close()
      else controller.enqueue(encoder.encode(next.value))
    },
  })
  return new Response(text.pipeThrough(new CompressionStream('gzip'))).blob()
}

/** Lines with their ends; those of one part of the samples at once. */
async function* linesOf({ manifest, summary, samples }: WholeRun): AsyncGenerator<string, void> {
  const { runId, resultsText, table, tableText, warnings, own } = summary
  let chain = ''
  let count = 0
  const print = (value: unknown): string => {
    const line = JSON.stringify(value, withSpecialNumbers)
    chain = chainLine(chain, line)
    return `${line}\n`
  }
  yield print({ format: runFileFormat, version: runFileVersion })
  // Files of ours beside the results are made of the samples and the results again, so they aren't repeated here.
  yield print({ manifest, results: { runId, resultsText, table, tableText, warnings, ...(own === undefined ? {} : { own }) } })
  for await (const part of samples) {
    count += part.length
    yield part.map((sample) => print({ sample })).join('')
  }
  yield `${JSON.stringify({ end: { samples: count, chain } })}\n`
}
