/**
 * `npm run fuzz -- [--target yaml,template,…] [--count N] [--seed TEXT] [--minutes M] [--threads T]`: untrusted input, grown from its
 * grammar and damaged, through the code that reads it: data files of every format, task files, templates, regular expressions, tokenizers,
 * ONNX graphs, headers of weights, opened runs and links. `--count` is for each target. An input passes when it gives what it should, or an error of our own; a
 * foreign error, a hang (5 s), too much memory (512 MB of heap or buffers, 1 GB for the process), an uncaught rejection or a data file's
 * rows that another reading contradicts fail it. Failing inputs are kept under `fuzz-failures/`. Exit code 1 when any failed. The same seed
 * makes the same inputs.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { backtracking, prepare, targetNames, type TargetName } from './targets.ts'
import type { WorkerMessage, WorkerTask } from './worker.ts'

const { values: flags } = parseArgs({
  options: {
    count: { type: 'string', default: '200000' },
    seed: { type: 'string' },
    target: { type: 'string', default: targetNames.join(',') },
    minutes: { type: 'string' },
    threads: { type: 'string', default: '2' },
  },
})
const seed = flags.seed ?? String(Date.now())
const targets = flags.target.split(',').map((name) => {
  const target = targetNames.find((known) => known === name)
  if (target === undefined) throw new Error(`--target wants some of ${targetNames.join(', ')}, found '${name}'`)
  return target
})
const perTarget = Math.max(1, Number(flags.count))
const threads = Math.max(1, Number(flags.threads))
const deadline = flags.minutes === undefined ? Infinity : Date.now() + Number(flags.minutes) * 60_000

/** An input that runs longer than this hangs. */
const inputLimitMs = 5000
/** One that ran longer has this much to show that only the machine was busy. */
const confirmLimitMs = 30_000
/** Starting a thread takes longer than an input. */
const startLimitMs = 120_000
const maxProcessBytes = 2 ** 30

/** A thread has to learn TypeScript before it can load any. */
const startOfThread = `import('tsx/esm/api').then(({ register }) => {
  register()
  return import(${JSON.stringify(new URL('./worker.ts', import.meta.url).href)})
})`

type Case = WorkerTask['cases'][number]

const failures: (Case & { readonly what: string })[] = []
let readCases = 0
let doneCases = 0
/** Regular expressions that were ended by their deadline, as the page's text worker ends them. */
let endedCases = 0
let peakBytes = 0

/** Runs a share of the inputs, in a fresh thread after each that hung or died. */
async function runShare(cases: readonly Case[]): Promise<void> {
  let from = 0
  while (from < cases.length && Date.now() < deadline) {
    const { next, slow } = await runThread(cases, from, inputLimitMs)
    from = next
    if (slow === null) continue
    // On a busy machine a thread may just have had no turn: once more, alone, with more time.
    const again = await runThread([slow], 0, confirmLimitMs)
    if (again.slow === null) continue
    if (!backtracking.has(slow.target)) await report(slow, `hung: more than ${confirmLimitMs / 1000} s`)
    else {
      endedCases++
      console.log(`ended ${slow.target} #${slow.index} (seed ${seed}) after ${confirmLimitMs / 1000} s`)
    }
  }
  doneCases += from
}

/** Gives the position to go on from, and the input that took too long. */
function runThread(cases: readonly Case[], from: number, limitMs: number): Promise<{ next: number; slow: Case | null }> {
  const shared = new Int32Array(new SharedArrayBuffer(16))
  shared[0] = from
  const task: WorkerTask = { seed, cases, from, shared }
  const worker = new Worker(startOfThread, { eval: true, workerData: task, resourceLimits: { maxOldGenerationSizeMb: 512 } })
  const startedMs = Date.now()
  return new Promise((resolve, reject) => {
    const fail = (position: number, what: string): void => {
      const one = cases[position]
      if (one !== undefined) report(one, what).catch(reject)
    }
    const end = (next: number, slow: Case | null = null): void => {
      clearInterval(watch)
      readCases += Atomics.load(shared, 2)
      worker.terminate().then(() => {
        resolve({ next, slow })
      }, reject)
    }
    const watch = setInterval(() => {
      const position = Atomics.load(shared, 0)
      const started = Atomics.load(shared, 1)
      const bytes = process.memoryUsage.rss()
      if (bytes > maxProcessBytes && peakBytes <= maxProcessBytes) fail(position, `the process took ${Math.round(bytes / 2 ** 20)} MiB`)
      peakBytes = Math.max(peakBytes, bytes)
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

async function report(one: Case, what: string): Promise<void> {
  failures.push({ ...one, what })
  if (failures.length <= 50) console.log(`FAIL ${one.target} #${one.index} (seed ${seed}): ${what.slice(0, 600)}`)
  const folder = 'fuzz-failures'
  mkdirSync(folder, { recursive: true })
  const { bytes, name } = await prepare(seed, one.target, one.index)
  writeFileSync(join(folder, `${seed}-${one.target}-${one.index}-${name}`), bytes)
}

console.log(`seed ${seed}, ${perTarget} inputs each of ${targets.join(', ')}, ${threads} threads`)
const startedMs = Date.now()
const all = Array.from({ length: perTarget * targets.length }, (_, at): Case => ({
  target: targets[at % targets.length] ?? ('yaml' satisfies TargetName),
  index: Math.floor(at / targets.length),
}))
await Promise.all(
  Array.from({ length: threads }, (_, thread) => runShare(all.filter((_, at) => Math.floor(at / targets.length) % threads === thread))),
)
const seconds = ((Date.now() - startedMs) / 1000).toFixed(0)
peakBytes = Math.max(peakBytes, process.resourceUsage().maxRSS * 1024)
const ended = endedCases === 0 ? '' : `${endedCases} of them regular expressions that their deadline ended, `
console.log(
  `${doneCases} inputs in ${seconds} s: ${readCases} read, ${doneCases - readCases} refused, ${ended}${failures.length} failed, ` +
    `${Math.round(peakBytes / 2 ** 20)} MiB at most (seed ${seed})`,
)
process.exitCode = failures.length === 0 ? 0 : 1
