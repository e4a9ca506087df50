import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { listOffline } from '../../../tools/build/offline-list.ts'

const folder = mkdtempSync(join(tmpdir(), 'yardstick-offline-list-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const write = (path: string, text = path) => {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}

it('has what the app asks for: of the task files only their pack, of the engine both builds, each for its browsers', () => {
  for (const path of [
    'index.html',
    'driver.html',
    '_headers',
    'offline.js',
    'tasks/pack.json',
    'tasks/arc/arc_easy.yaml',
    'hub/m/model.safetensors',
  ])
    write(path)
  for (const side of ['jspi', 'asyncify']) write(`assets/ort-wasm-simd-threaded.${side}-abc.wasm`, 'wasm')
  const { build, files } = listOffline(folder)
  expect(files).toEqual([
    { path: 'assets/ort-wasm-simd-threaded.asyncify-abc.wasm', bytes: 4, suspends: false },
    { path: 'assets/ort-wasm-simd-threaded.jspi-abc.wasm', bytes: 4, suspends: true },
    { path: 'index.html', bytes: 10 },
    { path: 'tasks/pack.json', bytes: 15 },
  ])
  write('index.html', 'INDEX.HTML')
  expect(listOffline(folder).build).not.toBe(build)
})
