/** Models, data files and the Hub that runs read from, for the page. */
import { EvalError } from '../../base/errors.ts'
import { addressFile } from '../../data/hub/address-file.ts'
import { listRefs } from '../../data/hub/hub-refs.ts'
import type { InputsApi, TokenCheck } from '../../rpc/run-worker-api.ts'
import { dataWorker } from '../inputs/data-worker.ts'
import { checkToken, looksLikeToken } from '../inputs/hub-token.ts'
import { defaultHubBase } from '../inputs/hubs.ts'
import type { RunInputs } from '../inputs/run-inputs.ts'
import { toModelHits } from '../model/model-search.ts'
import { describeModel } from '../model/model-source.ts'
import type { ServiceOptions } from './service-options.ts'

export function serveInputs(options: ServiceOptions, inputs: RunInputs): InputsApi {
  let search = new AbortController()
  const judgeToken = async (token: string | null, check: boolean): Promise<TokenCheck> => {
    if (token === null) return { verdict: 'accepted', name: null }
    if (!looksLikeToken(token)) return { verdict: 'malformed', name: null }
    if (!check) return { verdict: 'unchecked', name: null }
    return checkToken((address, init) => fetch(address, init), inputs.access.base ?? defaultHubBase, token)
  }
  return {
    configure: async (access) => {
      inputs.access = access
    },
    useToken: async (token, { check }) => {
      const verdict = await judgeToken(token, check)
      if (verdict.verdict === 'accepted' || verdict.verdict === 'unchecked') inputs.access = { ...inputs.access, token }
      return verdict
    },
    hasToken: async () => inputs.access.token !== null,
    openModelFolder: async (name, files, onBytes) => inputs.local.openFolder(name, files, onBytes === undefined ? {} : { onBytes }),
    openDataFiles: async (files) => inputs.local.addFiles(files),
    describeModel: (id, revision, format) =>
      inputs.usingFiles(async () => {
        const { signal } = new AbortController()
        const repo = await (await inputs.openHubs()).openModel(id, revision, signal)
        return (await describeModel(repo, { format, dtype: null }, await inputs.surroundings('auto', id), signal)).description
      }),
    listRefs: (id) => inputs.usingFiles(async () => listRefs((await inputs.openHubs()).hubOf('model', id), id)),
    searchModels: async (query) => {
      search.abort()
      search = new AbortController()
      const { signal } = search
      return toModelHits(await (await inputs.openHubs()).search(query, signal))
    },
    readHubFile: ({ kind, id, revision, path }, limitBytes) =>
      inputs.usingFiles(async () => {
        const hub = (await inputs.openHubs()).hubOf(kind, id)
        const { commit, files } = await hub.snapshot(kind, id, revision)
        const file = files.find((one) => one.path === path)
        if (file === undefined) throw new EvalError('hub/not-found', `${kind} '${id}' at revision '${revision}' has no file '${path}'.`)
        if (file.bytes > limitBytes)
          throw new EvalError('results/invalid', `'${path}' of ${kind} '${id}' is larger than any result: ${file.bytes} bytes.`)
        return hub.fetchFile(kind, id, commit, file)
      }),
    scanData: async (address, format) => {
      const decoder = dataWorker(options.startDataWorker)
      const startMs = performance.now()
      try {
        const file = addressFile(address, address, (wanted, init) => fetch(wanted, init))
        const counts = await decoder.scanRows({ format, options: {}, files: [file] })
        return { ...counts, ...(await file.facts()), milliseconds: performance.now() - startMs }
      } finally {
        decoder.close()
      }
    },
  }
}
