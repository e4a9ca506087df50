/**
 * `npx tsx tools/build/count-tasks.ts [--include_path FOLDER] [--missing] [--problems]`: how many task files, tasks, groups and tags a
 * folder of the harness holds, how many load, and how many run with the ports of their `!function`s. Without the flag the folder is
 * the one that LM_EVAL_TASKS names.
 */
import { parseArgs } from 'node:util'
import { readTaskFolder } from '../../src/cli/files/task-folder.ts'
import { requireReadable } from '../../src/cli/files/yaml-gate.ts'
import { reportError } from '../../src/cli/output/report-error.ts'
import { complain, print } from '../../src/cli/output/terminal.ts'
import { buildRegistry } from '../../src/harness/tasks/registry.ts'
import { loadSignatures } from '../../src/ports/functions/signatures/signatures.ts'
import { standings, type TaskStanding } from './task-count.ts'

/** CPU and wall time of a step, in seconds. */
function timed<T>(work: () => T): { readonly value: T; readonly cpu: number; readonly wall: number } {
  const [cpu, wall] = [process.cpuUsage(), performance.now()]
  const value = work()
  const { user, system } = process.cpuUsage(cpu)
  return { value, cpu: (user + system) / 1e6, wall: (performance.now() - wall) / 1e3 }
}

function countBy<T>(items: readonly T[], key: (item: T) => string): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>()
  for (const item of items) counts.set(key(item), (counts.get(key(item)) ?? 0) + 1)
  return [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
}

const line = (label: string, number: number, note = ''): void => {
  print(`${label.padEnd(52)} ${String(number).padStart(6)}${note === '' ? '' : `   ${note}`}`)
}
const runs = ({ problem, missing, obstacle }: TaskStanding): boolean => problem === null && missing.length === 0 && obstacle === null

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      include_path: { type: 'string', default: process.env['LM_EVAL_TASKS'] ?? '' },
      missing: { type: 'boolean', default: false },
      problems: { type: 'boolean', default: false },
    },
  })
  if (values.include_path === '') throw new Error('wanted --include_path FOLDER, or LM_EVAL_TASKS in the environment')
  await loadSignatures()
  const read = timed(() => readTaskFolder(values.include_path))
  requireReadable(read.value.filter(({ path }) => !path.endsWith('.py')))
  const index = timed(() => buildRegistry([{ name: 'harness', files: read.value }]))
  const registry = index.value
  const tasks = standings(registry)
  const declarative = tasks.filter(({ isDeclarative }) => isDeclarative)
  const helped = tasks.filter(({ isDeclarative }) => !isDeclarative)
  const kinds = new Map(countBy([...registry.entries.values()], ({ kind }) => kind))
  const loaded = (some: readonly TaskStanding[]): number => some.filter(({ problem }) => problem === null).length

  line('YAML files', read.value.filter(({ path }) => path.endsWith('.yaml')).length)
  line('names', registry.entries.size, `${kinds.get('group') ?? 0} groups, ${kinds.get('tag') ?? 0} tags`)
  line('tasks', tasks.length)
  line('  that load', loaded(tasks))
  line('  purely declarative', declarative.length)
  line('    that load', loaded(declarative))
  line('    that run', declarative.filter(runs).length)
  line('  with functions or classes', helped.length)
  line('    that load', loaded(helped))
  line('    whose functions are all ported', helped.filter(({ problem, missing }) => problem === null && missing.length === 0).length)
  line('    that run', helped.filter(runs).length)
  line(
    '  whose functions are all ported, or that need none',
    tasks.filter((one) => one.problem === null && one.missing.length === 0).length,
  )
  line('  that run', tasks.filter(runs).length)
  const seconds = ({ cpu, wall }: { cpu: number; wall: number }): string => `${cpu.toFixed(2)} s of CPU, ${wall.toFixed(2)} s by the clock`
  print(`\nreading the files: ${seconds(read)}\nindexing them: ${seconds(index)}`)

  print('\nwhy tasks that lack no function do not run:')
  const stopped = tasks.flatMap(({ problem, obstacle }) => problem ?? obstacle ?? [])
  for (const [reason, count] of countBy(
    stopped,
    ({ code, message }) =>
      `${code} ${message
        .replace(/^\S+\.yaml: /, '')
        .replace(/'[^']*'/g, '…')
        .slice(0, 90)}`,
  ))
    line(`  ${reason}`, count)
  print('\nfunctions without a port, by the tasks that need them:')
  for (const [name, count] of countBy(
    tasks.flatMap(({ missing }) => missing),
    (name) => name,
  ))
    line(`  ${name}`, count)
  if (values.missing) for (const { name, missing } of tasks) if (missing.length > 0) print(`${name}: ${missing.join(', ')}`)
  if (values.problems)
    for (const { name, problem, obstacle } of tasks)
      if ((problem ?? obstacle) !== null) print(`${name}: ${(problem ?? obstacle)?.message ?? ''}`)
}

try {
  await main()
} catch (error) {
  reportError(error, complain)
  process.exitCode = 1
}
