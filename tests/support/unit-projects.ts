/** Which unit tests share a process and the modules that it has loaded, and which have a process each. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Suites that no process of Vitest runs by itself: they are driven in browsers. */
const ofBrowsers = ['browser', 'e2e']

/** What a test says that changes or measures its process: others would notice it, or be noticed. */
const touchesProcess =
  /\bvi\.|\bprocess\.(chdir|memoryUsage|on)\b|\bprocess\.env\S* = |\bglobalThis\b|\bWebAssembly\.Memory\b|fake-indexeddb\/auto/

/** The test files, from the project's folder, whose tests can share a process: loading the same modules two hundred times, and compiling ONNX Runtime twenty, is a fifth of all work. */
export function listSharing(): string[] {
  return readdirSync('tests', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts') && !ofBrowsers.some((folder) => name.startsWith(`${folder}/`)))
    .map((name) => join('tests', name))
    .filter((path) => !touchesProcess.test(readFileSync(path, 'utf8')))
}
