/** What an answer is kept under. */
import { createKeyMaker, type KeyMaker } from '../storage/keys.ts'
import type { KeyBasis } from './ports.ts'

/** The reference path runs every item alone, so an answer doesn't depend on its batch. */
const batchClass = '1'

/** Makes the keys of a run; `repeat` sets those of a run apart that takes no kept answers. */
export function keyMakerOf({ model, engine }: KeyBasis, repeat: string | null): Promise<KeyMaker> {
  const { adapter } = engine
  return createKeyMaker({
    modelId: model.id,
    commit: model.commit,
    modelFiles: model.files,
    dtype: engine.dtype,
    device: engine.device,
    adapter: adapter === null ? '' : [adapter.vendor, adapter.architecture, adapter.description].join('/'),
    engine: engine.engine,
    numericClass: engine.numericClass,
    scoring: engine.scoring,
    chunkTokens: engine.chunkTokens,
    batchClass,
    repeat,
  })
}
