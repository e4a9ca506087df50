/** The short form of `npx tsx tests/kill/main.ts`, which has all occurrences, broken builds and torn storage. */
import { expect, test } from '@playwright/test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { failPoints } from '../../src/base/fail-point.ts'
import { distFolder } from '../../src/cli/browser/build.ts'
import { buildForKillTest } from '../kill/build.ts'
import { openKit, type Kit } from '../kill/kit.ts'
import { runUndisturbed } from '../kill/lives.ts'
import { raceTwoRuns, wakeLateWriter } from '../kill/races.ts'
import { killRandomly } from '../kill/random-kills.ts'
import { killAtEachOnce, smallSettings } from '../kill/systematic-kills.ts'
import { killSettings } from '../kill/task.ts'
import { killWhileWriting } from '../kill/text-kills.ts'
import { isLong } from '../support/long.ts'

test.describe.configure({ mode: 'serial', timeout: 300_000 })

let kit: Kit
test.beforeAll(async () => {
  kit = await openKit(await buildForKillTest('good'))
})
test.afterAll(() => kit.close())

test('a run that is killed once at each fail point comes to the files of an undisturbed one', async () => {
  const reference = await runUndisturbed(kit, smallSettings(kit))
  expect((await killAtEachOnce(kit, reference)).breaches).toEqual([])
})

test('random kills lose nothing and repeat nothing, and a tab that lost its run writes no more', async () => {
  const reference = await runUndisturbed(kit, killSettings(kit.witness.address, null))
  const { breaches } = await killRandomly(kit, reference, { kills: isLong ? 4 : 2, seed: 20261121, say: () => undefined })
  expect(breaches).toEqual([])
  expect(await wakeLateWriter(kit, reference)).toEqual([])
})

test('two runs at once never change what the other has acknowledged', async () => {
  expect(await raceTwoRuns(kit)).toEqual([])
})

test('kills in the middle of eight texts cost what was written since the last draft, and the texts are the same', async () => {
  const { breaches, kills, atRisk, unkept, again } = await killWhileWriting(kit, { kills: isLong ? 4 : 2, seed: 20261124 })
  console.log(`${kills} kills: ${atRisk} tokens of unfinished texts, ${unkept} of them in no draft, ${again} written again`)
  expect(breaches).toEqual([])
  // Most of what was being written was kept, and nothing else was written twice.
  expect(again).toBeLessThanOrEqual(unkept)
  expect(unkept).toBeLessThan(atRisk / 2)
})

test('the app that ships has no fail points', () => {
  const assets = join(distFolder, 'assets')
  const code = readdirSync(assets)
    .filter((name) => name.endsWith('.js'))
    .map((name) => readFileSync(join(assets, name), 'utf8'))
    .join('\n')
  expect(code).toContain('storage/fenced')
  for (const name of ['yardstickFailPoint', ...failPoints]) expect(code).not.toContain(name)
})
