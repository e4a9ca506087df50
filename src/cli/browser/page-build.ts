/** Pages of tests and benchmarks, built as the app is built, but never part of it. */
import { copyFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build, loadConfigFromFile } from 'vite'
import { projectFolder } from './build.ts'

/** Builds the page in `root` (an `index.html` with its scripts) into a new temporary folder, with the app's headers beside it; gives the folder's path. */
export async function buildPage(root: string, name: string): Promise<string> {
  const outDir = await mkdtemp(join(tmpdir(), `${name}-`))
  const app = await loadConfigFromFile({ command: 'build', mode: 'production' }, join(projectFolder, 'vite.config.ts'))
  if (app === null) throw new Error('wanted vite.config.ts, found none')
  const { base, resolve: resolution, worker, define } = app.config
  await build({
    root,
    configFile: false,
    publicDir: false,
    logLevel: 'error',
    ...(base === undefined ? {} : { base }),
    ...(resolution === undefined ? {} : { resolve: resolution }),
    ...(worker === undefined ? {} : { worker }),
    ...(define === undefined ? {} : { define }),
    // What the app's build says, but for its pages.
    build: { target: 'esnext', assetsInlineLimit: 0, modulePreload: { polyfill: false }, outDir, emptyOutDir: true },
  })
  copyFileSync(join(projectFolder, 'public', '_headers'), join(outDir, '_headers'))
  return outDir
}
