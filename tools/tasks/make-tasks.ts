/**
 * Writes the bundled task files of the families that are many alike (`tools/tasks/`) into `public/tasks`. The others there are
 * written by hand. `--check` writes nothing and fails when a file differs.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { projectFolder } from '../../src/cli/browser/build.ts'
import { familyFolders, familyTexts } from './families.ts'

const folder = join(projectFolder, 'public', 'tasks')

function main(isCheck: boolean): number {
  const texts = familyTexts()
  const differing = [...texts].filter(
    ([path, text]) => !existsSync(join(folder, path)) || readFileSync(join(folder, path), 'utf8') !== text,
  )
  if (isCheck) {
    for (const [path] of differing) process.stdout.write(`${path} is not what tools/tasks makes of it\n`)
    return differing.length === 0 ? 0 : 1
  }
  for (const family of familyFolders) rmSync(join(folder, family), { recursive: true, force: true })
  for (const [path, text] of texts) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  process.stdout.write(`${texts.size} files written, ${differing.length} of them new or changed\n`)
  return 0
}

process.exitCode = main(process.argv.includes('--check'))
