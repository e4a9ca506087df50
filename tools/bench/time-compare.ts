/**
 * `npx tsx tools/bench/time-compare.ts [--docs 14000] [--tasks 57]`: how long a comparison of two made runs takes, and its longest step, between
 * which a page can answer. `acc` and `acc_norm` of every doc, and of the group of all tasks.
 */
import { parseArgs } from 'node:util'
import { compareInSteps } from '../../src/analysis/compare/compare-runs.ts'
import type { ComparedRun, ComparedSample } from '../../src/analysis/compare/compared-run.ts'
import { readResultFile } from '../../src/analysis/compare/result-file.ts'
import { MersenneTwister } from '../../src/python/mersenne-twister.ts'

function main(): void {
  const { values } = parseArgs({ options: { docs: { type: 'string', default: '14000' }, tasks: { type: 'string', default: '57' } } })
  const [docs, tasks] = [Number(values.docs), Number(values.tasks)]
  const [left, right] = [madeRun(1, docs, tasks), madeRun(2, docs, tasks)]
  const begin = performance.now()
  const cpu = process.cpuUsage()
  let longest = 0
  const steps = compareInSteps(left, [right])
  for (;;) {
    const from = performance.now()
    const next = steps.next()
    longest = Math.max(longest, performance.now() - from)
    if (next.done !== true) continue
    const [comparison] = next.value
    const paired = comparison?.scores.filter(({ difference }) => difference?.docs !== null && difference !== null).length ?? 0
    const total = performance.now() - begin
    const cpuMs = process.cpuUsage(cpu).user / 1000
    process.stdout.write(
      `${docs} docs in ${tasks} tasks, ${comparison?.scores.length ?? 0} scores (${paired} paired): ${total.toFixed(0)} ms (${cpuMs.toFixed(0)} ms of a processor), longest step ${longest.toFixed(1)} ms\n`,
    )
    return
  }
}

/** Verdicts by a seeded coin, with the means and the group that a results file would have. */
function madeRun(seed: number, docs: number, tasks: number): ComparedRun {
  const random = new MersenneTwister(seed)
  const names = Array.from({ length: tasks }, (_, at) => `task_${at}`)
  const samples = new Map(
    names.map((name, at) => [
      name,
      Array.from({ length: Math.floor(docs / tasks) + Number(at < docs % tasks) }, (_, docId) => madeSample(docId, random)),
    ]),
  )
  const rowOf = (of: readonly ComparedSample[]) => {
    const mean = (metric: string) => of.reduce((sum, { metrics }) => sum + Number(metrics[metric]), 0) / of.length
    return { 'acc,none': mean('acc'), 'acc_stderr,none': 0.01, 'acc_norm,none': mean('acc_norm'), 'acc_norm_stderr,none': 0.01 }
  }
  const results = { ...Object.fromEntries([...samples].map(([name, of]) => [name, rowOf(of)])), all: rowOf([...samples.values()].flat()) }
  return { file: readResultFile({ results, group_subtasks: { all: names } }, `run ${seed}`), hasSettings: true, samples }
}

function madeSample(docId: number, random: MersenneTwister): ComparedSample {
  const coin = () => Number(random.next32() % 100 < 60)
  return { docId, filter: 'none', docHash: null, promptHash: null, metrics: { acc: coin(), acc_norm: coin() }, logprobs: [] }
}

main()
