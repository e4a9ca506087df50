/**
 * `npx tsx tests/fuzz/oracle.ts [--cases N] [--seed TEXT] [--format jsonl,csv,json]`: damaged small files through our decoders and through
 * the `datasets` library itself. Needs a Python with `datasets`; `YARDSTICK_PYTHON` names it (default `python3`). Prints every file that both
 * read and that gives other rows, and counts those that only one of the two takes. Exit code 1 when rows differ.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { isEvalError } from '../../src/base/errors.ts'
import type { Table } from '../../src/contracts/rows.ts'
import { bytesFile } from '../../src/data/dataset/data-file.ts'
import { decodeHere } from '../../src/data/stream/decode-split.ts'
import { typedRow, type Typed } from '../data/typed.ts'
import { fuzzFormats, makeCase, type FuzzCase } from './cases.ts'

interface Answer {
  readonly columns?: readonly string[]
  readonly rows?: readonly Typed[]
  readonly refusal?: string
}

const { values: flags } = parseArgs({
  options: {
    cases: { type: 'string', default: '500' },
    seed: { type: 'string', default: String(Date.now()) },
    format: { type: 'string', default: 'jsonl,csv,json' },
    verbose: { type: 'boolean', default: false },
  },
})
const wanted = new Set(flags.format.split(','))
const formats = fuzzFormats.filter((format) => wanted.has(format))
const cases = formats
  .flatMap((format) => Array.from({ length: Number(flags.cases) }, (_, index) => makeCase(flags.seed, format, index)))
  // Large ones are all alike to the library.
  .filter(({ bytes }) => bytes.length < 20_000)

/** Asks the library about each case, one after the other. */
async function* ask(): AsyncGenerator<Answer> {
  const python = spawn(process.env['YARDSTICK_PYTHON'] ?? 'python3', [join(import.meta.dirname, 'read_with_datasets.py')], {
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  for (const { loader, name, bytes } of cases) {
    python.stdin.write(`${JSON.stringify({ loader, name, base64: Buffer.from(bytes).toString('base64') })}\n`)
  }
  python.stdin.end()
  for await (const line of createInterface({ input: python.stdout })) yield JSON.parse(line) as Answer // Its own script wrote it.
}

async function read({ name, loader, bytes }: FuzzCase): Promise<Table | string> {
  try {
    return await decodeHere({ format: loader, options: {}, files: [bytesFile(name, () => Promise.resolve(bytes))] })
  } catch (error) {
    if (isEvalError(error)) return error.message
    throw error
  }
}

/**
 * Records with their keys in order: where a column has values of mixed shapes, the library gives columns (and fields) in the order of a Python
 * set, another one in each process; and objects here can't keep keys like "1" behind others.
 */
function sorted(value: Typed | readonly Typed[]): unknown {
  if (Array.isArray(value)) return value.map((item: Typed) => sorted(item))
  if (typeof value !== 'object' || value === null || !('dict' in value)) return value
  return [...value.dict].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, inner]) => [key, sorted(inner)])
}

const counts = { equal: 0, refusedByBoth: 0, onlyTheirs: 0, onlyOurs: 0, different: 0 }
let at = 0
for await (const answer of ask()) {
  const one = cases[at]
  at += 1
  if (one === undefined) break
  const ours = await read(one)
  const place = `${one.format} #${one.index}: ${JSON.stringify(Buffer.from(one.bytes).toString()).slice(0, 400)}`
  if (typeof ours === 'string') {
    if (answer.rows === undefined) counts.refusedByBoth += 1
    else {
      counts.onlyTheirs += 1
      if (flags.verbose) console.log(`ONLY DATASETS reads ${place}\n  ours: ${ours}`)
    }
  } else if (answer.rows === undefined) {
    // No rows are nothing to the library, and to us nothing to evaluate.
    if (ours.rows.length === 0) counts.refusedByBoth += 1
    else {
      counts.onlyOurs += 1
      if (flags.verbose) console.log(`ONLY WE read ${place}\n  theirs: ${String(answer.refusal)}`)
    }
  } else {
    const mine = JSON.stringify(sorted(ours.rows.map((_, row) => typedRow(ours, row))))
    const theirs = JSON.stringify(sorted(answer.rows))
    if (mine === theirs) counts.equal += 1
    else {
      counts.different += 1
      console.log(`DIFFERENT ${place}\n  ours:   ${mine.slice(0, 500)}\n  theirs: ${theirs.slice(0, 500)}`)
    }
  }
}
console.log(`seed ${flags.seed}, ${at} files: ${JSON.stringify(counts)}`)
process.exitCode = counts.different === 0 && at === cases.length ? 0 : 1
