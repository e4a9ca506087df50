/** Why an interrupted run can't go on: the first thing that isn't as it was when the run began. */
import type { RunManifest } from '../contracts/runs.ts'
import { differencesOf } from './engine-differences.ts'

type Files = RunManifest['model']['files']

/**
 * One sentence that names what changed since `before`, or null when the run may go on. Causes come before effects: a changed data file
 * is named rather than the requests that it changes.
 */
export function firstDifference(before: RunManifest, now: RunManifest): string | null {
  if (before.model.commit !== now.model.commit)
    return `The model ${before.model.id} was at commit ${short(before.model.commit)}, and is at ${short(now.model.commit)} now.`
  const modelFile = changedFile(before.model.files, now.model.files)
  if (modelFile !== null) return `The model's ${modelFile}`
  if (before.tokenizer.sha256 !== now.tokenizer.sha256) return 'The tokenizer is another one.'
  for (const [task, { sha256 }] of Object.entries(before.tasks)) {
    const found = now.tasks[task]
    if (found === undefined) return `The task ${task} is not there any more.`
    if (found.sha256 !== sha256) return `The task file of ${task} has changed.`
  }
  for (const [task, origin] of Object.entries(before.datasets)) {
    const found = now.datasets[task]
    if (found === undefined) return `The task ${task} has no data any more.`
    if (found.commit !== origin.commit)
      return `The dataset ${origin.path} of ${task} was at commit ${short(origin.commit ?? 'none')}, and is at ${short(found.commit ?? 'none')} now.`
    const dataFile = changedFile(origin.files, found.files)
    if (dataFile !== null) return `In the data of ${task}, the ${dataFile}`
  }
  if (before.plan.hash !== now.plan.hash) return differentRequests(before.plan, now.plan)
  if (before.engine.numericClass !== now.engine.numericClass)
    return `It began on an engine that this browser doesn’t have now. Different: ${differencesOf(before.engine, now.engine).join(', ')}. Numbers of the two must not be mixed: go on where it began.`
  return null
}

function differentRequests(before: RunManifest['plan'], now: RunManifest['plan']): string {
  if (before.requests !== now.requests) return `The same settings gave ${before.requests} requests, and give ${now.requests} now.`
  const part = (before.parts ?? []).findIndex((hash, at) => now.parts?.[at] !== hash)
  const where = part === -1 ? '' : ` from request ${part * requestsPerPart} on`
  return `The same settings give other requests${where}: ${short(before.hash)} was planned, ${short(now.hash)} is found.`
}

/** Requests that share a hash in the manifest, so that the first difference can be shown. */
export const requestsPerPart = 1024

function changedFile(before: Files, now: Files): string | null {
  for (const file of before) {
    const found = now.find(({ path }) => path === file.path)
    if (found === undefined) return `file ${file.path} is not there any more.`
    if (found.sha256 !== file.sha256)
      return `file ${file.path} has changed: its SHA-256 was ${short(file.sha256)}, and is ${short(found.sha256)} now.`
  }
  const added = now.find(({ path }) => !before.some((file) => file.path === path))
  return added === undefined ? null : `file ${added.path} is new.`
}

function short(hash: string): string {
  return hash.slice(0, 12)
}
