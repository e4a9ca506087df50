/** A local Hub in the place of huggingface.co, so that the page is tested with the address and the policy that it ships with. */
import type { BrowserContext, Route } from '@playwright/test'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projectFolder } from '../../src/cli/browser/build.ts'
import { createHubServer, type HubFolders } from '../../src/cli/browser/hub-server.ts'
import { openHeaders } from '../mock-hub/open-to-all.ts'

export const hubHost = 'huggingface.co'
/** The embedded model as an ordinary repository, and the id that it has there. */
export const tinyModel = 'local-lab/Tiny-LM-1M'

export interface StandIn {
  /** What was asked, as "GET /path?query", in order. */
  readonly asked: string[]
  /** Answers instead of the local Hub while it is set. */
  answer: ((route: Route) => Promise<void>) | null
  close(): Promise<void>
}

/**
 * Answers everything that any page or worker of the context asks of huggingface.co, from `tinyModel`, other folders by their ids, and folders that hold datasets
 * as `owner/name`; branches of the models by id and name.
 */
export async function standInForHub(
  context: BrowserContext,
  models: { readonly [id: string]: string } = {},
  datasetRoots: readonly string[] = [],
  revisions: NonNullable<HubFolders['revisions']> = {},
): Promise<StandIn> {
  const folder = mkdtempSync(join(tmpdir(), 'hub-'))
  cpSync(embeddedFolder(), join(folder, tinyModel), { recursive: true })
  const hub = await createHubServer({ modelRoots: [folder], models, datasetRoots, revisions })
  const standIn: StandIn = {
    asked: [],
    answer: null,
    close: async () => {
      await context.unroute(everything)
      await hub.close()
      rmSync(folder, { recursive: true })
    },
  }
  const everything = `https://${hubHost}/**`
  await context.route(everything, async (route) => {
    const url = new URL(route.request().url())
    standIn.asked.push(`${route.request().method()} ${url.pathname}${url.search}`)
    if (standIn.answer !== null) return standIn.answer(route)
    const response = await route.fetch({ url: `${hub.address}${url.pathname}${url.search}` })
    await route.fulfill({ response, headers: { ...response.headers(), ...openHeaders } })
  })
  return standIn
}

/** Of the embedded model, as a repository. */
export function embeddedFolder(): string {
  const hub = join(projectFolder, 'public', 'hub')
  const revision: unknown = JSON.parse(readFileSync(join(hub, 'api', 'models', 'yardstick', 'pico', 'revision', 'main'), 'utf8'))
  const commit = typeof revision === 'object' && revision !== null && 'sha' in revision ? String(revision.sha) : ''
  return join(hub, 'yardstick', 'pico', 'resolve', commit)
}
