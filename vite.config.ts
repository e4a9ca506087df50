import { readFileSync } from 'node:fs'
import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vitest/config'

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }

export default defineConfig({
  // Relative, so that `dist/` works from any sub-path.
  base: './',
  plugins: [svelte()],
  define: { __APP_VERSION__: JSON.stringify(version) },
  // ORT's own bundles embed a wasm loader that asks a CDN; this condition picks the ones that take our files.
  resolve: { conditions: ['onnxruntime-web-use-extern-wasm', 'module', 'browser', 'development|production'] },
  worker: { format: 'es' },
  build: {
    target: 'esnext',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: { input: ['index.html', 'driver.html'] },
  },
  server: { headers: { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' } },
  test: { include: ['tests/**/*.test.ts'], exclude: ['tests/browser/**', 'tests/e2e/**'], testTimeout: 30_000 },
})
