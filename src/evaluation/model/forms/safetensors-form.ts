/** Safetensors, of which graphs of our own are written: each dtype is made of the same files. */
import { checkpointFiles, checkpointPaths, offeredDtypes } from '../../../conversion/offered-dtypes.ts'
import { fetchAll } from './fetch-all.ts'
import { filesOf, type FormReader } from './form.ts'
import { readConfigText } from './repo-texts.ts'

export const safetensorsForm: FormReader = {
  format: 'safetensors',
  isAmong: (paths) => checkpointPaths(paths).length > 0,
  async read(repo, _dtype, signal) {
    const configText = await readConfigText(repo, signal)
    const [file = '', ...externalFiles] = checkpointFiles(repo.snapshot.files).map(({ path }) => path)
    return {
      configText,
      // Bytes as they are run, of whatever dtype the files are.
      listDtypes: () => offeredDtypes(configText).map(({ dtype, bytes }) => ({ dtype, file, externalFiles, bytes, refusal: null })),
      ownTokenizer: null,
    }
  },
  // The one with the harness's own numbers, where it can run.
  defaultDtype: (dtypes) => dtypes.find(({ refusal }) => refusal === null)?.dtype ?? null,
  async fetch(repo, option, configText, onBytes, signal) {
    const files = filesOf(repo.snapshot, option)
    for (const file of files) onBytes(file.path, 0, file.bytes)
    return { checkpoint: await fetchAll(repo, files, onBytes, signal), config: configText }
  },
}
