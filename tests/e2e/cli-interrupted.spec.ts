/**
 * The command line with the real engine over a model folder and data files: killed as a machine that goes down kills it, resumed, stopped by
 * Ctrl-C, resumed. Meanwhile its server is asked by those who aren't its page.
 */
import { expect, test } from '@playwright/test'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { statusFor } from '../cli/raw-request.ts'
import { seeded } from '../kill/random-kills.ts'
import { tearLog } from '../kill/torn-log.ts'
import { startCommandLine, type Outcome, type Started } from './command-line.ts'
import { embeddedFolder } from './hub-stand-in.ts'

test.skip(process.platform !== 'linux', "a process's ports are read from /proc, and process groups are killed by signals")

const folder = mkdtempSync(join(tmpdir(), 'yardstick-cli-interrupted-'))
test.afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))

const docs = 60

/** Runs the command line; `whenScoring` happens once, after so many of the run's batches were kept. */
function evaluate(args: readonly string[], batches = 0, whenScoring?: (started: Started) => void): Promise<Outcome> {
  let isWatched = whenScoring === undefined
  const started = startCommandLine(args, {
    folder,
    onStderr: (stderr) => {
      if (isWatched || whenScoring === undefined || !/^Scoring$/m.test(stderr)) return
      isWatched = true
      let [bytes, left] = [bytesOfLogs(), batches]
      const timer = setInterval(() => {
        const now = bytesOfLogs()
        if (now <= bytes) return
        bytes = now
        left -= 1
        if (left > 0) return
        clearInterval(timer)
        whenScoring(started)
      }, 10)
    },
  })
  return started.ended
}

/** Of the logs of the profile's databases: each commit makes them longer. */
function bytesOfLogs(): number {
  const root = join(folder, 'profile', 'browser', 'Default', 'IndexedDB')
  const logs = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.log'))
  return logs.reduce((sum, path) => sum + (statSync(join(root, path), { throwIfNoEntry: false })?.size ?? 0), 0)
}

/** The ports of 127.0.0.1 that a process listens on, and the addresses of others. */
function listeningOn(pid: number): { readonly ports: readonly number[]; readonly elsewhere: readonly string[] } {
  const own = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.slice(1) ?? []
      } catch {
        return []
      }
    }),
  )
  const tables = ['tcp', 'tcp6'].map((name) => `/proc/${pid}/net/${name}`).filter(existsSync)
  const listening = tables
    .flatMap((table) => readFileSync(table, 'utf8').trim().split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[3] === '0A' && own.has(fields[9] ?? ''))
    .map((fields) => (fields[1] ?? '').split(':'))
  return {
    ports: listening.filter(([address]) => address === '0100007F').map(([, port]) => parseInt(port ?? '', 16)),
    elsewhere: listening.flatMap(([address]) => (address === '0100007F' ? [] : [address ?? ''])),
  }
}

const served = [
  '/local-hub/api/models/local/model/revision/main',
  '/local-hub/local/model/resolve/main/config.json',
  '/local-files/0/rows.jsonl',
]

/** What the ports answer to a stranger who asks for the folder's files, under names of this machine and of another. */
function askPorts(ports: readonly number[]): Promise<readonly (number | undefined)[]> {
  const asked = ports.flatMap((port) => {
    const names = [`127.0.0.1:${port}`, `localhost:${port}`, 'rebound.example', 'yardstick.localhost']
    return names.flatMap((name) => served.map((path) => statusFor(`http://127.0.0.1:${port}${path}`, name)))
  })
  return Promise.all(asked)
}

/** What a run wrote, without date and times, which may differ. */
function filesIn(output: string): { readonly results: unknown; readonly samples: string } {
  const model = join(folder, output, readdirSync(join(folder, output))[0] ?? '')
  const names = readdirSync(model).sort()
  expect(names).toEqual([expect.stringMatching(/^results_/), expect.stringMatching(/^samples_sums_/)])
  const [results = '', samples = ''] = names.map((name) => readFileSync(join(model, name), 'utf8'))
  return {
    results: JSON.parse(results, (key, value: unknown) =>
      ['date', 'start_time', 'end_time', 'total_evaluation_time_seconds'].includes(key) ? undefined : value,
    ),
    samples,
  }
}

function writeTask(): void {
  mkdirSync(join(folder, 'tasks'))
  const lines = [
    'task: sums',
    'dataset_path: json',
    'dataset_kwargs: {data_files: {test: rows.jsonl}}',
    'test_split: test',
    'output_type: multiple_choice',
    'doc_to_text: "{{q}}"',
    'doc_to_choice: [two, a much longer answer than that]',
    'doc_to_target: 0',
  ]
  writeFileSync(join(folder, 'tasks', 'sums.yaml'), `${lines.join('\n')}\n`)
  const rows = Array.from({ length: docs }, (_, at) => JSON.stringify({ q: `${at} plus ${at} is not one but`.repeat(4) }))
  writeFileSync(join(folder, 'tasks', 'rows.jsonl'), rows.join('\n'))
}

test('killed with kill -9, stopped by Ctrl-C and resumed, it writes the files of a run that nothing disturbed; its files are for its page alone', async () => {
  test.setTimeout(400_000)
  writeTask()
  const seed = Date.now() % 1_000_000
  const random = seeded(seed)
  const batch = () => 1 + Math.floor(random() * 4)
  const args = [
    ...['--model', embeddedFolder(), '--dtype', 'fp32', '--device', 'wasm', '--include_path', 'tasks', '--tasks', 'sums', '--log_samples'],
    // The slower path: the fast one may be through before a signal gets there.
    ...['--scoring', 'reference', '--no_cache', '--json', '--output_path'],
  ]
  const killed = await evaluate([...args, 'killed'], batch(), ({ kill }) => kill())
  // Null: it didn't end by itself.
  expect([killed.code, killed.stdout], `seed ${seed}`).toEqual([null, ''])
  // A kill seldom hits the middle of a write by itself.
  tearLog(join(folder, 'profile', 'browser'))

  const seen: { listening?: ReturnType<typeof listeningOn>; answers?: Promise<readonly (number | undefined)[]> } = {}
  const stopped = await evaluate([...args, 'killed', '--resume'], batch(), ({ pid, stop }) => {
    seen.listening = listeningOn(pid)
    seen.answers = askPorts(seen.listening.ports).finally(stop)
  })
  expect(seen.listening).toMatchObject({ ports: [expect.any(Number)], elsewhere: [] })
  expect(await seen.answers).toEqual([...Array<number>(9).fill(403), ...Array<number>(3).fill(404)])
  expect([stopped.code, stopped.stdout], `seed ${seed}`).toEqual([130, ''])
  expect(stopped.stderr).toContain('Going on with run')

  const resumed = await evaluate([...args, 'killed', '--resume'])
  expect([resumed.code, resumed.stderr], `seed ${seed}`).toEqual([0, expect.stringContaining('Going on with run')])
  expect(resumed.stderr).not.toMatch(/ 0 kept from before/)
  const whole = await evaluate([...args, 'whole'])
  expect(whole.code).toBe(0)
  expect(filesIn('killed')).toEqual(filesIn('whole'))
  expect(filesIn('whole').samples.trim().split('\n')).toHaveLength(docs)
  expect((JSON.parse(resumed.stdout) as { results: unknown }).results).toEqual((JSON.parse(whole.stdout) as { results: unknown }).results)
})
