/** The command line with the real engine, killed as a machine that goes down kills it: Node and the browser at once, without a word. */
import { expect, test } from '@playwright/test'
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projectFolder } from '../../src/cli/browser/build.ts'
import { seeded } from '../kill/random-kills.ts'
import { quickBrowser } from './compiler.ts'

test.skip(process.platform === 'win32', 'process groups are killed by signals')
test.setTimeout(400_000)

const folder = mkdtempSync(join(tmpdir(), 'yardstick-kill-cli-'))
test.afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))

const profile = join(folder, 'profile')
const docs = 60

/** Runs the command line; with `killAtDoc`, kills it and its browser once so many docs are done. */
function evaluate(args: readonly string[], killAtDoc: number | null): Promise<{ code: number | null; stderr: string }> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'src/cli/main.ts', ...args], {
    cwd: projectFolder,
    env: { ...process.env, INIT_CWD: folder, YARDSTICK_CHROMIUM: quickBrowser(), YARDSTICK_PROFILE: profile },
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  })
  let stderr = ''
  child.stderr.on('data', (part: Buffer) => {
    stderr += part.toString()
    const done = Math.max(0, ...[...stderr.matchAll(/docs (\d+)/g)].map((match) => Number(match[1])))
    if (killAtDoc === null || done < killAtDoc || child.pid === undefined) return
    killGroup(child.pid)
    // The browser has a group of its own; its lock in the profile names it.
    killGroup(Number(/-(\d+)$/.exec(readlinkSync(join(profile, 'browser', 'SingletonLock')))?.[1]))
  })
  return new Promise((done) => {
    child.on('close', (code) => done({ code, stderr }))
  })
}

function killGroup(group: number): void {
  if (!(group > 1)) throw new Error(`no process group: ${group}`)
  try {
    process.kill(-group, 'SIGKILL')
  } catch {
    // It is gone already.
  }
}

/** What a run wrote, without date and times, which may differ. */
function filesIn(output: string): { results: unknown; samples: { [task: string]: string } } {
  const model = join(folder, output, readdirSync(join(folder, output))[0] ?? '')
  const names = readdirSync(model)
  const results = names.filter((name) => name.startsWith('results_'))
  expect(results).toHaveLength(1)
  const json: unknown = JSON.parse(readFileSync(join(model, results[0] ?? ''), 'utf8'), (key, value: unknown) =>
    ['date', 'start_time', 'end_time', 'total_evaluation_time_seconds'].includes(key) ? undefined : value,
  )
  const samples = names.filter((name) => name.startsWith('samples_'))
  const texts = samples.map((name) => [name.replace(/_\d{4}-.*$/, ''), readFileSync(join(model, name), 'utf8')])
  return { results: json, samples: Object.fromEntries(texts) as { [task: string]: string } }
}

test('killed with kill -9 and resumed, it writes the files of a run that nothing disturbed', async () => {
  const seed = Date.now() % 1_000_000
  const random = seeded(seed)
  // The slower path: the fast one may be through before a signal gets there.
  const args = [
    '--tasks',
    'yardstick_facts',
    '--limit',
    String(docs),
    '--device',
    'wasm',
    '--scoring',
    'reference',
    '--log_samples',
    '--no_cache',
    '--output_path',
  ]
  let kills = 0
  for (const part of [0, 1]) {
    const atDoc = 1 + Math.floor((part + random()) * (docs / 3))
    const { code } = await evaluate([...args, 'killed', ...(kills > 0 ? ['--resume'] : [])], atDoc)
    // Null: it didn't end by itself.
    if (code === null) kills += 1
  }
  expect(kills, `seed ${seed}`).toBe(2)
  const resumed = await evaluate([...args, 'killed', '--resume'], null)
  expect([resumed.code, resumed.stderr.includes('Going on with run'), `seed ${seed}`]).toEqual([0, true, `seed ${seed}`])
  expect(resumed.stderr).not.toMatch(/ 0 kept from before/)
  const whole = await evaluate([...args, 'whole'], null)
  expect(whole.code).toBe(0)
  expect(filesIn('killed')).toEqual(filesIn('whole'))
  expect(Object.values(filesIn('whole').samples).join('').trim().split('\n')).toHaveLength(docs)
})
