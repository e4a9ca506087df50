import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHubServer, type RunningHub } from '../../../src/cli/browser/hub-server.ts'
import { readConfigs } from '../../../src/data/dataset/dataset-configs.ts'
import { loadSplits } from '../../../src/data/dataset/dataset.ts'
import { hubClient } from '../../../src/data/hub/hub.ts'
import { sampled } from '../../support/long.ts'
import { findShared } from '../shared.ts'

const root = findShared('hub/datasets')
/** Data sets with more configs than these have one a subject, all of the same columns: the short form loads every sixth. */
const manyConfigs = 20
const ids = root === null ? [] : readdirSync(root).flatMap((owner) => readdirSync(join(root, owner)).map((name) => `${owner}/${name}`))

describe.skipIf(root === null)('every shared dataset', () => {
  let hub: RunningHub
  beforeAll(async () => {
    hub = await createHubServer({ datasetRoots: [root ?? ''], redirectsLarge: true })
  })
  afterAll(() => hub.close())

  it.each(ids)('%s loads with all configs and splits', async (id) => {
    const client = hubClient({ base: hub.address, fetch })
    const configs = readConfigs(readFileSync(join(root ?? '', id, 'README.md'), 'utf8'), id)
    expect(configs.length).toBeGreaterThan(0)
    for (const { name, dataFiles } of configs.length > manyConfigs ? sampled(configs, 6) : configs) {
      const splits = Object.keys(dataFiles ?? {})
      const { tables, origin } = await loadSplits({ path: id, name, kwargs: {}, dataFiles: null }, splits, {
        hubOf: () => client,
        fetch,
        dataFiles: {},
      })
      expect(Object.keys(tables)).toEqual(splits)
      expect(origin.commit).toMatch(/^[0-9a-f]{40}$/)
      for (const table of Object.values(tables)) {
        expect(table.rows.length).toBeGreaterThan(0)
        expect(table.columns.length).toBeGreaterThan(0)
        expect(new Set(table.columns.map((column) => column.name)).size).toBe(table.columns.length)
        for (const row of table.rows) expect(row.length).toBe(table.columns.length)
        // A column of nothing but nulls is a sign of a wrong decoder more often than of the data.
        expect(table.columns.filter((_, at) => table.rows.some((row) => row[at] !== null)).length).toBeGreaterThan(0)
      }
    }
  })
})
