/** Graphs that somebody exported, where transformers.js expects them: `onnx/model*.onnx` with their data files. */
import { EvalError } from '../../../base/errors.ts'
import { defaultDtype, dtypesAmong, listDtypes } from '../../../engines/graph/dtypes.ts'
import { readGraphFacts } from '../../../engines/graph/graph-facts.ts'
import { requireDecoderGraph } from '../../../engines/graph/graph-support.ts'
import { readDecoderConfig } from '../../../engines/graph/model-config.ts'
import { fetchAll } from './fetch-all.ts'
import { filesOf, type FormReader } from './form.ts'
import { readConfigText } from './repo-texts.ts'

/** Graphs that are read here: larger ones hold weights. */
const mostGraphBytes = 64 * 2 ** 20

export const onnxForm: FormReader = {
  format: 'onnx',
  isAmong: (paths) => dtypesAmong(paths).length > 0,
  async read(repo, _dtype, signal) {
    const { files, id } = repo.snapshot
    return { configText: await readConfigText(repo, signal), listDtypes: () => listDtypes(files, id), ownTokenizer: null }
  },
  defaultDtype,
  async fetch(repo, option, configText, onBytes, signal) {
    const files = filesOf(repo.snapshot, option)
    const graph = files.find((file) => file.path === option.file)
    if (graph === undefined) throw new EvalError('model/corrupt', `${repo.snapshot.id} lists dtype ${option.dtype} without its graph.`)
    for (const file of files) onBytes(file.path, 0, file.bytes)
    const weights = files.filter((file) => file !== graph)
    const graphBytes = await repo.fetchBlob(graph, onBytes, signal)
    // Without its weights a graph is small, and says what it wants before they are fetched.
    if (weights.length > 0 && graphBytes.size <= mostGraphBytes)
      requireDecoderGraph(readGraphFacts(new Uint8Array(await graphBytes.arrayBuffer())), readDecoderConfig(configText))
    return { graph: graphBytes, externalData: await fetchAll(repo, weights, onBytes, signal), config: configText }
  },
}
