/** The pages and parts that load when they are first shown: the set-up page, which everybody sees, stays small. */
import type { Component } from 'svelte'
import type { AppState } from '../../app/app-state.svelte.ts'
import type { Query, Route } from '../../app/router.svelte.ts'

export const loadRunPage = async () => (await import('./RunPage.svelte')).default
const loadLabPage = async () => (await import('./LabPage.svelte')).default

type PlainPage = Component<{ app: AppState; query: Query }>

/** The pages that need nothing but the app's state and what the address asks. */
export const plainPages: { readonly [page in Route['page']]?: () => Promise<PlainPage> } = {
  runs: async () => (await import('./RunsPage.svelte')).default,
  about: async () => (await import('./AboutPage.svelte')).default,
  task: async () => (await import('./TaskPage.svelte')).default,
  storage: async () => (await import('./StoragePage.svelte')).default,
  lab: loadLabPage,
  compare: async () => (await import('./ComparePage.svelte')).default,
  open: async () => (await import('./OpenPage.svelte')).default,
  shared: async () => (await import('./SharedPage.svelte')).default,
  'not-found': async () => (await import('./NotFoundPage.svelte')).default,
}

const pages: { readonly [page in Route['page']]?: () => Promise<unknown> } = {
  ...plainPages,
  run: loadRunPage,
}

export const loadAdvancedOptions = async () => (await import('../setup/AdvancedOptions.svelte')).default
export const loadLocalModel = async () => (await import('../setup/LocalModel.svelte')).default
export const loadTaskFiles = async () => (await import('../setup/TaskFiles.svelte')).default
export const loadHubAccess = async () => (await import('../setup/HubAccess.svelte')).default
export const loadQueue = async () => (await import('../run/Queue.svelte')).default
export const loadAddToQueue = async () => (await import('../setup/AddToQueue.svelte')).default
export const loadDataFiles = async () => (await import('../setup/DataFiles.svelte')).default

/** Fetches the lab's code and its recording, so that it opens with the network off. */
async function prepareLab(): Promise<void> {
  await loadLabPage()
  const { loadRecording } = await import('../../app/lab/lab.ts')
  await loadRecording()
}

/**
 * Fetches what the page will do without a wait: small pages and the lab. A page that is here already can't vanish when a newer version is published; a failure is told
 * when the page is wanted.
 */
export function prepareRest(): Promise<unknown> {
  return Promise.allSettled([...(['run', 'runs', 'about'] as const).map(loadPage), prepareLab()])
}

/** Takes saved runs that are dropped anywhere: at once, since until then the browser leaves the page for a file that is dropped on it. */
export async function takeDrops(app: AppState): Promise<void> {
  const { listenForDrops } = await import('../../app/open/drop-anywhere.ts')
  listenForDrops(app)
}

/** Settles when the page's code is here. */
export async function loadPage(page: Route['page']): Promise<void> {
  await pages[page]?.()
}
