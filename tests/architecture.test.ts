/** The rules of the house: ARCHITECTURE.md's tables against the code's imports, folders and files that stay small, and tests where their files' paths say. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, test } from 'vitest'
import { projectFolder } from '../src/cli/browser/build.ts'

interface Rules {
  readonly semantics: readonly string[]
  readonly rooms: { readonly [room: string]: { readonly may: readonly string[]; readonly npm: readonly string[] } }
}
// A plain JavaScript file, without types of its own.
const { rooms, semantics } = (await import(join(projectFolder, '.dependency-cruiser.js'))) as Rules
const architecture = readFileSync(join(projectFolder, 'ARCHITECTURE.md'), 'utf8')

/** Rows of the first table after a heading, cell by cell. */
function tableUnder(heading: string): readonly (readonly string[])[] {
  const lines = architecture.slice(architecture.indexOf(`\n## ${heading}\n`)).split('\n')
  const first = lines.findIndex((line) => line.startsWith('|---')) + 1
  const end = lines.findIndex((line, at) => at > first && !line.startsWith('|'))
  return lines.slice(first, end).map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  )
}

const quoted = (cell: string): readonly string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)

function filesBelow(folder: string, pattern: RegExp): readonly string[] {
  return readdirSync(join(projectFolder, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((name) => pattern.test(name))
    .sort()
}

/** Files of our own that a file imports, types among them. */
function importsOf(file: string): readonly string[] {
  const text = readFileSync(join(projectFolder, file), 'utf8')
  return [...text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'(\.{1,2}\/[^'?]+)(?:\?[^']*)?'/g)].map(([, path = '']) =>
    normalize(join(dirname(file), path)),
  )
}

const sources = filesBelow('src', /\.(ts|svelte)$/)
const importsBySource = new Map(sources.map((file) => [file, importsOf(file)]))

describe('rooms', () => {
  test("ARCHITECTURE.md's table is what npm run layers checks", () => {
    const short = (room: string) => room.replace('src/', '')
    const pure = semantics.map(short)
    const drawn = tableUnder('Rooms').map(([room = '', , may = '', packages = '']) => [
      quoted(room)[0],
      may === '–'
        ? []
        : may
            .split(', ')
            .flatMap((name) => (name === 'pure' ? pure : [name]))
            .sort(),
      packages === '–' ? [] : packages.split(', ').sort(),
    ])
    const checked = Object.entries(rooms).map(([room, { may, npm }]) => [room, may.map(short).sort(), [...npm].sort()])
    expect(drawn).toEqual(checked)
  })

  test('every file below src is in a room, of the command line, or an entry', () => {
    const entries = ['src/main.ts', 'src/driver.ts', 'src/address.ts']
    const placed = (file: string) => [...Object.keys(rooms), 'src/cli'].some((room) => file.startsWith(`${room}/`))
    expect(sources.filter((file) => !placed(file) && !entries.includes(file))).toEqual([])
  })

  test('no folder has more than 25 loose files', () => {
    const counts = new Map<string, number>()
    for (const file of [...sources, ...filesBelow('tools', /\.(ts|py)$/), ...filesBelow('scripts', /\.ts$/)])
      counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1)
    expect([...counts].filter(([, count]) => count > 25)).toEqual([])
  })

  test('no source file has more than 400 lines', () => {
    const files = [...sources, ...filesBelow('workers', /\.ts$/), ...filesBelow('tools', /\.(ts|py)$/), ...filesBelow('scripts', /\.ts$/)]
    const lines = (file: string) => readFileSync(join(projectFolder, file), 'utf8').split('\n').length - 1
    expect(files.map((file) => [file, lines(file)] as const).filter(([, count]) => count > 400)).toEqual([])
  })
})

describe('the walk of a doc', () => {
  const walk = tableUnder('The walk of a doc').map(([step = '', room = '', files = '']) => ({
    step,
    room: `src/${quoted(room)[0] ?? ''}`,
    files: quoted(files).map((file) => `src/${quoted(room)[0] ?? ''}/${file}`),
  }))

  test('has ten steps, each in a room of its own, and the files are there', () => {
    expect(walk).toHaveLength(10)
    expect(new Set(walk.map(({ room }) => room)).size).toBe(walk.length)
    expect(walk.flatMap(({ files }) => files).filter((file) => !existsSync(join(projectFolder, file)))).toEqual([])
  })

  test('no room imports one that the doc reaches later', () => {
    const backwards = walk.flatMap(({ room }, at) =>
      walk
        .slice(at + 1)
        .flatMap((later) =>
          sources
            .filter((file) => file.startsWith(`${room}/`))
            .flatMap((file) =>
              (importsBySource.get(file) ?? []).filter((to) => to.startsWith(`${later.room}/`)).map((to) => `${file} imports ${to}`),
            ),
        ),
    )
    expect(backwards).toEqual([])
  })

  test('all of its files run in the workers', () => {
    const reached = new Set<string>()
    const reach = (file: string): void => {
      if (reached.has(file)) return
      reached.add(file)
      for (const to of importsBySource.get(file) ?? []) reach(to)
    }
    for (const worker of filesBelow('workers', /\.ts$/)) for (const file of importsOf(worker)) reach(file)
    expect(walk.flatMap(({ files }) => files).filter((file) => !reached.has(file))).toEqual([])
  })
})

describe('tests', () => {
  /** Suites that follow a subject of their own instead of a file. */
  const suites = ['e2e', 'browser', 'kill', 'requirements', 'tasks', 'mock-hub', 'goldens', 'visual']

  test('a unit test has the path of its file or folder below src, tools or tests', () => {
    // `x.test.ts` and `x.topic.test.ts` test `x.ts`, or the folder `x` that they stand in.
    const lost = filesBelow('tests', /\.test\.ts$/).filter((path) => {
      const [, folder = '', name = ''] = /^tests\/(?:(.*)\/)?([^/.]+)(?:\.[^/]+)?\.test\.ts$/.exec(path) ?? []
      if (folder === '' || suites.includes(folder.split('/')[0] ?? '')) return false
      const isTested = ['', 'src/', 'tests/'].some(
        (root) =>
          ['.ts', '.svelte.ts', '.svelte'].some((ending) => existsSync(join(projectFolder, `${root}${folder}/${name}${ending}`))) ||
          (folder.split('/').at(-1) === name && existsSync(join(projectFolder, `${root}${folder}`)) && root !== 'tests/'),
      )
      return !isTested
    })
    expect(lost).toEqual([])
  })
})
