import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { svelte } from '@sveltejs/vite-plugin-svelte'
import type { Plugin } from 'vite'
import { defineConfig } from 'vitest/config'
import { listSharing } from './tests/support/unit-projects.ts'
import { listOffline, offlineListFile } from './tools/build/offline-list.ts'
import { makeTaskPack, taskPackFile } from './tools/build/task-pack.ts'

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }

/** The development server puts styles and its own client into the page, which the policy would stop. */
const withoutPolicy: Plugin = {
  name: 'without-policy-in-development',
  apply: 'serve',
  transformIndexHtml: (html) => html.replace(/<meta\s+http-equiv="Content-Security-Policy"[\s\S]*?\/>/, ''),
}

/** transformers.js would take its WebAssembly from a CDN where nobody gave it a runtime; here it is always given ours, and no such address ships. */
const withoutCdn: Plugin = {
  name: 'without-cdn',
  transform: (code, id) =>
    id.includes('@huggingface/transformers') ? code.replaceAll('https://cdn.jsdelivr.net/npm/onnxruntime-web@', 'onnxruntime-web@') : null,
}

/** One file with all of `public/tasks`, so that a worker asks once, not hundreds of times. Served fresh while developing. */
const withTaskPack: Plugin = {
  name: 'task-pack',
  generateBundle() {
    this.emitFile({ type: 'asset', fileName: taskPackFile, source: JSON.stringify(makeTaskPack('public/tasks')) })
  },
  configureServer(server) {
    server.middlewares.use(`/${taskPackFile}`, (_request, response) => {
      response.setHeader('Content-Type', 'application/json')
      response.end(JSON.stringify(makeTaskPack('public/tasks')))
    })
  },
}

/** The list of what is kept for use without a network, once everything is written. */
function withOfflineList(): Plugin {
  let folder = ''
  return {
    name: 'offline-list',
    apply: 'build',
    configResolved(config) {
      folder = resolve(config.root, config.build.outDir)
    },
    closeBundle() {
      writeFileSync(join(folder, offlineListFile), JSON.stringify(listOffline(folder)))
    },
  }
}

// Asked for by the unit tests alone.
const sharing = process.env['VITEST'] === undefined ? [] : listSharing()

export default defineConfig({
  // Relative, so that `dist/` works from any sub-path.
  base: './',
  plugins: [svelte(), withoutPolicy, withTaskPack, withOfflineList()],
  define: {
    __APP_VERSION__: JSON.stringify(version),
    // Fail points exist in the kill test's builds alone (tests/kill/build.ts).
    __FAIL_POINTS__: 'false',
  },
  // ORT's own bundles embed a wasm loader that asks a CDN; this condition picks the ones that take our files.
  resolve: { conditions: ['onnxruntime-web-use-extern-wasm', 'module', 'browser', 'development|production'] },
  worker: { format: 'es', plugins: () => [withoutCdn] },
  build: {
    target: 'esnext',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: { input: ['index.html', 'driver.html', 'address.html'] },
  },
  // No page of another origin reads a developer's files.
  server: { cors: false, headers: { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' } },
  test: {
    projects: [
      {
        extends: true,
        test: { name: 'apart', include: ['tests/**/*.test.ts'], exclude: ['tests/browser/**', 'tests/e2e/**', ...sharing] },
      },
      { extends: true, test: { name: 'sharing', include: sharing, isolate: false } },
    ],
    // For tests that hang; a busy machine takes four times as long for the slowest (30 s were too few for a dataset of 171 parquet files).
    testTimeout: 120_000,
    // Vitest would leave one core free: half the machine where there are two.
    maxWorkers: availableParallelism(),
  },
})
