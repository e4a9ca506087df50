/** The pages and parts that load when they are first shown: the set-up page, which everybody sees, stays small. */
import type { Route } from '../../app/router.svelte.ts'

export const loadRunPage = async () => (await import('./RunPage.svelte')).default
export const loadRunsPage = async () => (await import('./RunsPage.svelte')).default
export const loadAboutPage = async () => (await import('./AboutPage.svelte')).default
export const loadStoragePage = async () => (await import('./StoragePage.svelte')).default
export const loadLabPage = async () => (await import('./LabPage.svelte')).default
export const loadOpenPage = async () => (await import('./OpenPage.svelte')).default
export const loadSharedPage = async () => (await import('./SharedPage.svelte')).default
export const loadTaskPage = async () => (await import('./TaskPage.svelte')).default
export const loadNotFoundPage = async () => (await import('./NotFoundPage.svelte')).default

export const loadLocalModel = async () => (await import('../parts/LocalModel.svelte')).default
export const loadTaskFiles = async () => (await import('../parts/TaskFiles.svelte')).default
export const loadHubAccess = async () => (await import('../parts/HubAccess.svelte')).default
export const loadDataFiles = async () => (await import('../parts/DataFiles.svelte')).default

/** Fetches the lab's code and its recording, so that it opens with the network off. */
export async function prepareLab(): Promise<void> {
  await loadLabPage()
  const { loadRecording } = await import('../../app/lab.ts')
  await loadRecording()
}

/** Settles when the page's code is here. */
export async function loadPage(page: Route['page']): Promise<void> {
  if (page === 'run') await loadRunPage()
  else if (page === 'runs') await loadRunsPage()
  else if (page === 'about') await loadAboutPage()
  else if (page === 'task') await loadTaskPage()
  else if (page === 'storage') await loadStoragePage()
  else if (page === 'lab') await loadLabPage()
  else if (page === 'open') await loadOpenPage()
  else if (page === 'shared') await loadSharedPage()
  else if (page === 'not-found') await loadNotFoundPage()
}
