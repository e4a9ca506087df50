/** `npm run size`: what the first load weighs, what the bundled files weigh, and which foreign addresses the build names. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { distFolder, projectFolder } from '../src/cli/browser/build.ts'
import { firstLoad } from '../tools/build/first-load.ts'
import { foreignAddresses } from '../tools/build/foreign-addresses.ts'

const maxFirstLoadBytes = 60_000
const maxPublicBytes = 30_000_000

function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? filesIn(join(folder, entry.name)) : [join(folder, entry.name)],
  )
}

function main(): number {
  const problems: string[] = []
  const loaded = firstLoad(distFolder, 'index.html')
  const loadedBytes = loaded.reduce((sum, file) => sum + file.gzipBytes, 0)
  for (const { path, gzipBytes } of loaded) process.stdout.write(`${String(gzipBytes).padStart(8)}  ${path}\n`)
  if (loadedBytes >= maxFirstLoadBytes) problems.push(`the first load has ${loadedBytes} bytes gzip; it may have ${maxFirstLoadBytes}`)

  const publicBytes = filesIn(join(projectFolder, 'public')).reduce((sum, file) => sum + statSync(file).size, 0)
  if (publicBytes >= maxPublicBytes) problems.push(`public/ has ${publicBytes} bytes; it may have ${maxPublicBytes}`)

  for (const file of filesIn(distFolder).filter((each) => /\.(js|mjs|css|html)$/.test(each))) {
    for (const address of foreignAddresses(readFileSync(file, 'utf8'))) {
      problems.push(
        `${relative(distFolder, file)} names ${address}: the app fetches from its own origin and the Hub alone (tools/build/foreign-addresses.ts)`,
      )
    }
  }
  for (const problem of problems) process.stdout.write(`${problem}\n`)
  if (problems.length > 0) return 1
  process.stdout.write(
    `first load ${(loadedBytes / 1000).toFixed(1)} kB gzip of ${maxFirstLoadBytes / 1000}, public ${(publicBytes / 1e6).toFixed(1)} MB of ${maxPublicBytes / 1e6}, no foreign address\n`,
  )
  return 0
}

process.exitCode = main()
