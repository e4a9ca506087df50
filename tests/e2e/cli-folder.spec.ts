/** `--model FOLDER` and data files on the command line: what its server shows to those who aren't its page, and that runs find them again. */
import { expect, test } from '@playwright/test'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projectFolder } from '../../src/cli/browser/build.ts'
import { statusFor } from '../cli/raw-request.ts'
import { runCommandLine, type Outcome } from './command-line.ts'

test.skip(process.platform !== 'linux', "a process's ports are read from /proc")

const folder = mkdtempSync(join(tmpdir(), 'yardstick-folder-'))
test.afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Runs the command line; `look` hears what it says, with its process and a way to stop it. */
function evaluate(
  args: readonly string[],
  look: (stderr: string, pid: number, stop: () => void) => void = () => undefined,
): Promise<Outcome> {
  return runCommandLine(args, { folder, onStderr: look })
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

test('a model folder and data files are for the page of the command line alone, and a resumed run finds them again', async () => {
  const resolved = join(projectFolder, 'public/hub/yardstick/pico/resolve')
  const model = join(resolved, readdirSync(resolved)[0] ?? '')
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
  const rows = Array.from({ length: 80 }, (_, at) => JSON.stringify({ q: `${at} plus ${at} is not one but`.repeat(8) }))
  writeFileSync(join(folder, 'tasks', 'rows.jsonl'), rows.join('\n'))
  const args = [
    '--model',
    model,
    '--dtype',
    'fp32',
    '--include_path',
    'tasks',
    '--tasks',
    'sums',
    '--device',
    'wasm',
    '--json',
    '--no_cache',
  ]

  const paths = [
    '/local-hub/api/models/local/model/revision/main',
    '/local-hub/local/model/resolve/main/config.json',
    '/local-files/0/rows.jsonl',
  ]
  const seen: { listening?: ReturnType<typeof listeningOn>; answers?: Promise<readonly (number | undefined)[]> } = {}
  const stopped = await evaluate(args, (stderr, pid, stop) => {
    if (seen.listening !== undefined || !stderr.includes('Scoring')) return
    seen.listening = listeningOn(pid)
    const asked = seen.listening.ports.flatMap((port) => {
      const names = [`127.0.0.1:${port}`, `localhost:${port}`, 'rebound.example', 'yardstick.localhost']
      return names.flatMap((name) => paths.map((path) => statusFor(`http://127.0.0.1:${port}${path}`, name)))
    })
    seen.answers = Promise.all(asked).finally(stop)
  })
  expect(seen.listening).toMatchObject({ ports: [expect.any(Number)], elsewhere: [] })
  expect(await seen.answers).toEqual([...Array<number>(9).fill(403), ...Array<number>(3).fill(404)])
  expect([stopped.code, stopped.stdout]).toEqual([130, ''])

  const resumed = await evaluate([...args, '--resume'])
  expect([resumed.code, /Going on with run/.test(resumed.stderr)]).toEqual([0, true])
})
