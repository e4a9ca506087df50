/**
 * `npm run fuzz -- [--cases N] [--seed TEXT] [--format jsonl,csv,json,gz,parquet] [--minutes M] [--threads T]`: damaged files of every format
 * through the decoders. A case passes when it gives the right rows or an error of our own; a foreign error, a hang (5 s), too much memory
 * (512 MB), an uncaught rejection or rows that another reading contradicts fail it. Failing files are kept under `fuzz-failures/`.
 * Exit code 1 when any failed. The same seed makes the same cases.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { fuzzFormats, makeCase, type FuzzFormat } from './lib/fuzz/cases.ts'
import type { WorkerMessage, WorkerTask } from './lib/fuzz/worker.ts'

const { values: flags } = parseArgs({
  options: {
    cases: { type: 'string', default: '200000' },
    seed: { type: 'string' },
    format: { type: 'string', default: fuzzFormats.join(',') },
    minutes: { type: 'string' },
    threads: { type: 'string', default: '2' },
  },
})
const seed = flags.seed ?? String(Date.now())
const formats = flags.format.split(',').map((name) => {
  const format = fuzzFormats.find((known) => known === name)
  if (format === undefined) throw new Error(`--format wants some of ${fuzzFormats.join(', ')}, found '${name}'`)
  return format
})
const total = Math.max(1, Number(flags.cases))
const threads = Math.max(1, Number(flags.threads))
const deadline = flags.minutes === undefined ? Infinity : Date.now() + Number(flags.minutes) * 60_000

/** A case that runs longer than this hangs. */
const caseLimitMs = 5000
/** One that ran longer has this much to show that only the machine was busy. */
const confirmLimitMs = 30_000
/** Starting a thread takes longer than a case. */
const startLimitMs = 60_000

/** A thread has to learn TypeScript before it can load any. */
const startOfThread = `import('tsx/esm/api').then(({ register }) => {
  register()
  return import(${JSON.stringify(new URL('./lib/fuzz/worker.ts', import.meta.url).href)})
})`

interface Failure {
  readonly format: FuzzFormat
  readonly index: number
  readonly what: string
}

const failures: Failure[] = []
let readCases = 0
let doneCases = 0

/** Runs a share of the cases, in a fresh thread after each that hung or died. */
async function runShare(cases: WorkerTask['cases']): Promise<void> {
  let from = 0
  while (from < cases.length && Date.now() < deadline) {
    const { next, slow } = await runThread(cases, from, caseLimitMs)
    from = next
    if (slow === null) continue
    // On a busy machine a thread may just have had no turn: once more, alone, with more time.
    const again = await runThread([slow], 0, confirmLimitMs)
    if (again.slow !== null) report({ ...slow, what: `hung: more than ${confirmLimitMs / 1000} s` })
  }
  doneCases += from
}

/** Gives the position to go on from, and the case that took too long. */
function runThread(
  cases: WorkerTask['cases'],
  from: number,
  limitMs: number,
): Promise<{ next: number; slow: WorkerTask['cases'][number] | null }> {
  const shared = new Int32Array(new SharedArrayBuffer(16))
  shared[0] = from
  const task: WorkerTask = { seed, cases, from, shared }
  const worker = new Worker(startOfThread, { eval: true, workerData: task, resourceLimits: { maxOldGenerationSizeMb: 512 } })
  const startedMs = Date.now()
  return new Promise((resolve) => {
    const fail = (position: number, what: string): void => {
      const one = cases[position]
      if (one !== undefined) report({ ...one, what })
    }
    const end = (next: number, slow: WorkerTask['cases'][number] | null = null): void => {
      clearInterval(watch)
      readCases += Atomics.load(shared, 2)
      worker.terminate().then(
        () => {
          resolve({ next, slow })
        },
        (error: unknown) => {
          throw error
        },
      )
    }
    const watch = setInterval(() => {
      const position = Atomics.load(shared, 0)
      const started = Atomics.load(shared, 1)
      if (Date.now() > deadline) return end(position)
      const ms = started === 0 ? Date.now() - startedMs : ((Date.now() & 0x7fffffff) - started) & 0x7fffffff
      if (ms <= (started === 0 ? startLimitMs : limitMs)) return
      if (started === 0) fail(position, 'the thread did not start')
      end(position + 1, started === 0 ? null : (cases[position] ?? null))
    }, 500)
    worker.on('message', (message: WorkerMessage) => {
      if (message.type === 'done') end(cases.length)
      else fail(message.position, message.what)
    })
    worker.on('error', (error) => {
      fail(Atomics.load(shared, 0), `ended its thread: ${error.message}`)
      end(Atomics.load(shared, 0) + 1)
    })
  })
}

function report(failure: Failure): void {
  failures.push(failure)
  const folder = 'fuzz-failures'
  mkdirSync(folder, { recursive: true })
  const { bytes, name } = makeCase(seed, failure.format, failure.index)
  writeFileSync(join(folder, `${seed}-${failure.index}-${name}`), bytes)
  if (failures.length <= 50) console.log(`FAIL ${failure.format} #${failure.index} (seed ${seed}): ${failure.what.slice(0, 600)}`)
}

console.log(`seed ${seed}, ${total} cases of ${formats.join(', ')}, ${threads} threads`)
const startedMs = Date.now()
const all = Array.from({ length: total }, (_, at) => ({
  format: formats[at % formats.length] ?? 'jsonl',
  index: Math.floor(at / formats.length),
}))
await Promise.all(
  Array.from({ length: threads }, (_, thread) => runShare(all.filter((_, at) => Math.floor(at / formats.length) % threads === thread))),
)
const seconds = ((Date.now() - startedMs) / 1000).toFixed(0)
console.log(
  `${doneCases} cases in ${seconds} s: ${readCases} read, ${doneCases - readCases} refused, ${failures.length} failed (seed ${seed})`,
)
process.exitCode = failures.length === 0 ? 0 : 1
