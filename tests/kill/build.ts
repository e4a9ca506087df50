/** Builds the app as the kill test needs it: with fail points, the workers' doubles, and, for a broken build, a change of its sources. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { build, type Plugin } from 'vite'
import { projectFolder } from '../../src/cli/browser/build.ts'
import { mutationsOf, type BuildName } from './broken-builds.ts'

const runWorker = resolve(projectFolder, 'workers/run.worker.ts')
/** What the run worker imports, and what it gets instead; everything else is what ships. */
const doubles: ReadonlyMap<string, string> = new Map([
  [resolve(projectFolder, 'workers/model.worker.ts'), resolve(projectFolder, 'tests/kill/model.worker.ts')],
  [resolve(projectFolder, 'src/storage/open-store.ts'), resolve(projectFolder, 'tests/kill/witnessed-store.ts')],
])

const workerDoubles: Plugin = {
  name: 'worker-doubles',
  enforce: 'pre',
  resolveId(source, importer) {
    if (importer?.split('?')[0] !== runWorker) return null
    const [file = '', query] = source.split('?')
    const double = doubles.get(resolve(importer, '..', file))
    return double === undefined ? null : `${double}${query === undefined ? '' : `?${query}`}`
  },
}

/** The driver's page alone: half of a build is components, which no kill test opens. */
const driverAlone: Plugin = {
  name: 'driver-alone',
  // In place: what a hook gives would be added to the list.
  config: ({ build: options }) => {
    if (options?.rollupOptions !== undefined) options.rollupOptions.input = ['driver.html']
  },
}

/** Replaces text in sources; a text that isn't there fails the build, so that a broken build can't silently become a good one. */
function mutate(name: BuildName): Plugin {
  return {
    name: `broken-build-${name}`,
    enforce: 'pre',
    transform(code, id) {
      let changed = code
      for (const { file, find, replace } of mutationsOf(name)) {
        if (!id.split('?')[0]?.endsWith(file)) continue
        if (!changed.includes(find)) throw new Error(`broken build '${name}': ${file} has no "${find}" any more`)
        changed = changed.replaceAll(find, replace)
      }
      return changed === code ? null : changed
    },
  }
}

/** Gives the folder of the built app. Takes seconds. */
export async function buildForKillTest(name: BuildName): Promise<string> {
  const outDir = mkdtempSync(join(tmpdir(), `yardstick-kill-${name}-`))
  await build({
    root: projectFolder,
    configFile: join(projectFolder, 'vite.config.ts'),
    logLevel: 'error',
    define: { __FAIL_POINTS__: 'true' },
    plugins: [driverAlone, workerDoubles, mutate(name)],
    worker: { format: 'es', plugins: () => [workerDoubles, mutate(name)] },
    build: { outDir, emptyOutDir: true },
  })
  return outDir
}
