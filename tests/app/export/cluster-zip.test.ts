import { unzipSync } from 'fflate'
import { describe, expect, test } from 'vitest'
import { clusterZip } from '../../../src/app/export/cluster-zip.ts'
import type { RunManifest } from '../../../src/contracts/runs.ts'
import { runManifest, runSummary, sample } from '../builders.ts'
import { createFakeClient } from '../fake-client.ts'

const taken = (manifest: RunManifest, withText: boolean) => {
  const samples = [sample(0)]
  return {
    source: createFakeClient({ samples }),
    summary: runSummary('run-1'),
    manifest,
    tasks: ['bench'],
    withText,
  }
}
const rows = { path: 'rows/bench/test.jsonl', text: '{"secret": 1}\n' }
const client = {
  makeClusterFolder: async () => ({
    files: [{ path: 'run_hf.sh', text: '#!/bin/sh\n' }, rows],
    binaries: [{ path: 'model/config.json', bytes: new TextEncoder().encode('{}') }],
    browserFolder: 'browser',
  }),
}
const opened = async (withText: boolean, isRestricted: boolean) => {
  const origin = { path: 'owner/set', name: null, commit: null, files: [] }
  const manifest: RunManifest = {
    ...runManifest('run-1'),
    datasets: { bench: isRestricted ? { ...origin, isRestricted: true } : origin },
  }
  const { name, blob } = await clusterZip(client, manifest, taken(manifest, withText))
  return { name, entries: unzipSync(new Uint8Array(await blob.arrayBuffer())) }
}

describe('the zip file for a cluster', () => {
  test('holds the folder and the browser’s results, all below one folder of its name', async () => {
    const { name, entries } = await opened(false, false)
    const folder = name.replace(/\.zip$/, '')
    const paths = Object.keys(entries)
    expect(paths.every((path) => path.startsWith(`${folder}/`))).toBe(true)
    expect(paths).toContain(`${folder}/model/config.json`)
    expect(paths.filter((path) => path.includes('/browser/')).map((path) => /(results|samples)_/.exec(path)?.[1])).toEqual([
      'results',
      'samples',
    ])
    expect(new TextDecoder().decode(entries[`${folder}/${rows.path}`])).toBe(rows.text)
  })

  test('leaves rows of a gated dataset out unless they were asked for', async () => {
    const holds = async (withText: boolean) =>
      Object.values((await opened(withText, true)).entries).some((bytes) => new TextDecoder().decode(bytes).includes('secret'))
    expect(await holds(false)).toBe(false)
    expect(await holds(true)).toBe(true)
  })
})
