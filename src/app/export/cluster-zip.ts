/** A run as a folder for lm_eval on a cluster, in one zip file, with the browser's own results beside what is expected. */
import { zipSync, type Zippable } from 'fflate'
import type { RunManifest } from '../../contracts/runs.ts'
import { sanitizeModelName } from '../../harness/results/file-names.ts'
import type { RunClient } from '../run-client.ts'
import { resultsFile, samplesFile } from '../runs/result-files.ts'
import { changeFor, nameOf, withheldTasks, type Taken } from './take-away.ts'

/** Unix, and its mode in the upper half: scripts stay runnable. */
const runnable = { os: 3, attrs: 0o755 << 16 } as const

/**
 * Makes the zip file; what it holds lies in one folder of its name. Rows of gated or private datasets, which go along only where they were
 * joined here, are left out unless their text was asked for. Throws as `makeClusterFolder`.
 */
export async function clusterZip(
  client: Pick<RunClient, 'makeClusterFolder'>,
  manifest: RunManifest,
  taken: Taken,
): Promise<{ readonly name: string; readonly blob: Blob }> {
  const { files, binaries, browserFolder } = await client.makeClusterFolder(manifest.settings, { tensor: 1, data: 1 })
  const name = nameOf(taken, `cluster_${manifest.model.id}`, '.zip')
  const folder = name.replace(/\.zip$/, '')
  const withheld = withheldTasks(taken).map((task) => `rows/${sanitizeModelName(task)}/`)
  const encoder = new TextEncoder()
  const entries: Zippable = {}
  for (const { path, text } of files) {
    const isWithheld = withheld.some((start) => path.startsWith(start))
    entries[`${folder}/${isWithheld ? `${path}.withheld` : path}`] = [
      encoder.encode(isWithheld ? 'The rows of a gated or private dataset were left out of this file.\n' : text),
      path.endsWith('.sh') ? runnable : {},
    ]
  }
  for (const { path, bytes } of binaries) entries[`${folder}/${path}`] = bytes
  const own = [resultsFile(taken.summary, manifest)]
  for (const task of taken.tasks) own.push(await samplesFile(taken.source, taken.summary, task, manifest, changeFor(taken)))
  for (const file of own)
    entries[`${folder}/${browserFolder}/${sanitizeModelName(manifest.model.id)}/${file.name}`] = encoder.encode(file.text)
  return { name, blob: new Blob([zipSync(entries)], { type: 'application/zip' }) }
}
