/** Every golden says by which script it was made and with which versions, and is as that script wrote it. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { projectFolder } from '../src/cli/browser/build.ts'

/** One maker's entry of a `made.json`, which `tests/make-goldens/made.py` writes. */
interface Made {
  readonly command: string
  readonly versions: { readonly [name: string]: string }
  readonly files: { readonly [name: string]: string }
}

const goldens = join(projectFolder, 'tests/goldens')
const files = readdirSync(goldens, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => statSync(join(goldens, path)).isFile())
const golden = files.filter((path) => !/(^|\/)(README\.md|made\.json)$/.test(path))

const records = files
  .filter((path) => path.endsWith('/made.json'))
  .flatMap((path) => {
    // Written by made.py; what it holds is checked below.
    const entries = JSON.parse(readFileSync(join(goldens, path), 'utf8')) as { readonly [maker: string]: Made }
    return Object.entries(entries).map(([maker, made]) => ({ folder: path.slice(0, -'made.json'.length), maker, ...made }))
  })

/** Folders of the table in README.md, with what stands in their rows. */
const rows = new Map(
  [...readFileSync(join(goldens, 'README.md'), 'utf8').matchAll(/^\| `([^`]+)` \| (.*) \| (.*) \|$/gm)].map(
    ([, folder = '', makers = '', versions = '']) => [folder, { makers, versions }] as const,
  ),
)

it('each file is in a made.json of its folder, or its folder has a row in README.md', () => {
  const recorded = new Set(records.flatMap(({ folder, files: hashes }) => Object.keys(hashes).map((name) => folder + name)))
  expect(golden.filter((path) => !recorded.has(path) && !rows.has(path.split('/')[0] ?? ''))).toEqual([])
})

it('a file that a made.json names is as its maker wrote it', () => {
  const changed = records.flatMap(({ folder, files: hashes }) =>
    Object.entries(hashes)
      .filter(
        ([name, hash]) =>
          createHash('sha256')
            .update(readFileSync(join(goldens, folder, name)))
            .digest('hex') !== hash,
      )
      .map(([name]) => folder + name),
  )
  expect(changed).toEqual([])
})

it('makers exist, and versions are named', () => {
  for (const { maker, command, versions } of records) {
    expect(existsSync(join(projectFolder, maker)), maker).toBe(true)
    expect(command).toContain(maker)
    expect(Object.keys(versions).length, maker).toBeGreaterThan(1)
    for (const version of Object.values(versions)) expect(version).toMatch(/^\d+\.\d+/)
  }
  for (const [folder, { makers, versions }] of rows) {
    const paths = [...makers.matchAll(/`(t[a-z]+\/[^` ]+\.(?:py|ts))/g)].map(([, path = '']) => path)
    expect(paths, folder).not.toEqual([])
    for (const path of paths) expect(existsSync(join(projectFolder, path)), path).toBe(true)
    expect(versions, folder).toMatch(/\d+\.\d+|at [0-9a-f]{7}/)
  }
})
