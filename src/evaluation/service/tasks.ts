/** Tasks before they are run, for the page: listed, inspected doc by doc, taken to a cluster. */
import { checkSettings } from '../../rpc/checks.ts'
import type { ClusterFolder, SamplesApi, TasksApi } from '../../rpc/run-worker-api.ts'
import type { TextWorkerApi } from '../../rpc/text-api.ts'
import type { RunInputs } from '../inputs/run-inputs.ts'
import { resolveModel } from '../model/model-source.ts'
import { makeClusterFolder } from './cluster-folder.ts'
import { previewPrompts } from './preview-prompts.ts'
import type { ServiceOptions } from './service-options.ts'
import { TaskInspector } from './task-inspector.ts'

export function serveTasks(options: ServiceOptions, inputs: RunInputs): TasksApi & Pick<SamplesApi, 'promptTokens'> {
  const inspector = new TaskInspector({
    startTextWorker: () => options.startTextWorker(),
    bundledTasks: () => inputs.bundledTasks(),
    isHere: (dataset) => inputs.isHere(dataset),
    isModelHere: async (model) => (await inputs.openHubs()).isModelHere(model),
    loadRows: (leaf, dataFiles, maxRows) => inputs.loadRows(leaf, dataFiles, maxRows),
    loadTokenizer: async (model, revision) => {
      const { signal } = new AbortController()
      const repo = await (await inputs.openHubs()).openModel(model, revision, signal)
      return (await resolveModel(repo, { format: null, dtype: null }, await inputs.surroundings('wasm', model), signal)).tokenizerFiles
    },
  })
  return {
    listTasks: async (files) =>
      inspector.hasFolder ? inspector.list(files) : inputs.withText((text) => inputs.loadTasks(text, files, {})),
    openTaskFolder: (name, files, onFiles) => inspector.openFolder(name, files, onFiles ?? (() => undefined)),
    closeTaskFolder: () => inspector.closeFolder(),
    checkTaskFiles: (files) => inspector.check(files),
    explainTask: (files, name, leaf, numFewshot) => inspector.explain(files, name, leaf, numFewshot),
    viewDoc: (request) => inputs.usingFiles(() => inspector.view(request)),
    filesBehindTasks: (names, files, withBundled = false) => inspector.filesBehind(names, files, withBundled),
    readRunConfig: (file) => inspector.readConfig(file),
    restTaskInspector: async () => inspector.rest(),
    promptTokens: (request) => inputs.usingFiles(() => inspector.promptTokens(request)),
    previewPrompts: async (settings, docs) => {
      const checked = checkSettings(settings)
      return inputs.usingFiles(() => inputs.withText((text) => previewPrompts(checked, docs, text, inputs)))
    },
    makeClusterFolder: async (settings, parallelism) => {
      const checked = checkSettings(settings)
      const hubs = await inputs.openHubs()
      const { signal } = new AbortController()
      const make = (text: TextWorkerApi): Promise<ClusterFolder> =>
        inputs.withData((data, decoder) =>
          makeClusterFolder(checked, parallelism, {
            text,
            decoder,
            data,
            bundledTasks: () => inputs.bundledTasks(),
            isHere: (dataset) => inputs.isHere(dataset),
            openModel: async () => {
              const repo = await hubs.openModel(checked.model, checked.revision, signal)
              const surroundings = await inputs.surroundings('wasm', checked.model)
              const resolved = await resolveModel(repo, { format: checked.modelFormat ?? null, dtype: checked.dtype }, surroundings, signal)
              const place = hubs.isBundled('model', checked.model) ? 'bundled' : hubs.isModelHere(checked.model) ? 'own' : 'hub'
              return { repo, resolved, place }
            },
            signal,
          }),
        )
      return inputs.usingFiles(() => inputs.withText(make))
    },
  }
}
