/** The conformance corpora beside this repository: what the harness gave, case by case. The runner is that of `npm run conformance`. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { checkCase } from './check-case.ts'
import { readCorpusLines } from './read-lines.ts'
import { readCase } from './verdict.ts'

const folder = fileURLToPath(new URL('../../../shared/conformance/', import.meta.url))
const files = existsSync(folder) ? readdirSync(folder).filter((name) => /\.jsonl(\.gz)?$/.test(name)) : []
if (files.length === 0) console.log('skipped: there are no conformance corpora beside this repository')

describe.skipIf(files.length === 0).each(files)('%s', (name) => {
  it.each(
    readCorpusLines(join(folder, name))
      .map(readCase)
      .map((found) => [found.id, found] as const),
  )('%s', (_id, found) => {
    expect('text' in found ? checkCase(found.text) : found.difference).toBeNull()
  })
})
