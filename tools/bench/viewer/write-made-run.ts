/** Bundled for the browser: writes the made run into the page's database, through the store that the app writes runs with. */
import { openStore } from '../../../src/storage/open-store.ts'
import { madeRun, madeRunId, type MadeRunOptions } from './made-run.ts'

export async function writeMadeRun(options: MadeRunOptions): Promise<void> {
  const { row, results } = madeRun(options)
  const store = await openStore()
  await store.createRun(row)
  const epoch = await store.takeRun(madeRunId)
  await store.saveResults(epoch, results)
  await store.finishRun(madeRunId, epoch, { status: 'complete', error: null, docsDone: options.docs })
  store.close()
}
