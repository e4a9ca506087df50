/** GGUF files, each of which is a whole model in one quantisation. */
import { EvalError } from '../../../base/errors.ts'
import type { RepoFile } from '../../../contracts/models.ts'
import { unpackedDtypes } from '../../../conversion/gguf/convert-gguf.ts'
import { choiceOf, ggufChoices, ggufPaths, type GgufChoice } from '../../../conversion/gguf/gguf-files.ts'
import { readGgufHeader } from '../../../conversion/gguf/gguf-header.ts'
import { baseRepository } from './base-repository.ts'
import { fetchAll } from './fetch-all.ts'
import { filesOf, type FormReader, type ModelRepo } from './form.ts'

/** Where nobody names one: near the original, and in blocks that run as they are; then whatever is there. */
const preferred = ['Q8_0', 'Q6_K', 'Q5_K_M', 'Q4_K_M', 'Q4_0']

export const ggufForm: FormReader = {
  format: 'gguf',
  isAmong: (paths) => ggufPaths(paths).length > 0,
  async read(repo, dtype, signal) {
    const choices = ggufChoices(repo.snapshot.files)
    const [only] = choices.length === 1 ? choices : []
    const read = (dtype === null ? null : choiceOf(choices, dtype)) ?? preferredOf(choices)
    requireParts(repo, read)
    const header = await readGgufHeader(read.files.map((file) => sourceOf(repo, file, signal)))
    return {
      configText: header.configText,
      listDtypes(unpacksTo) {
        const optionOf = ({ files: [first, ...others] }: GgufChoice, own: string, bytes: number) => ({
          dtype: own,
          file: first?.path ?? '',
          externalFiles: others.map(({ path }) => path),
          bytes,
          refusal: null,
        })
        const stored = choices.map((choice) => {
          // A single file whose name says nothing is called as its metadata say.
          const own = choice === only && !choice.isQuantisation ? (header.quantisation ?? choice.label) : choice.label
          const run = { dtype: own, unpacksTo }
          return optionOf(choice, own, choice === read ? header.bytesAsRun(run) : header.supposedBytes(run))
        })
        // Of several files it would not be clear which is unpacked.
        const unpacked = unpackedDtypes.map((own) => optionOf(read, own, header.bytesAsRun({ dtype: own, unpacksTo })))
        return only === undefined ? stored : [...stored, ...unpacked]
      },
      ownTokenizer: {
        baseRepository: () => baseRepository(repo, header.metadata, signal),
        build: () => header.tokenizer(),
      },
    }
  },
  defaultDtype(dtypes) {
    const runnable = dtypes.filter(({ refusal }) => refusal === null).map(({ dtype }) => dtype)
    return preferred.find((dtype) => runnable.includes(dtype)) ?? runnable[0] ?? null
  },
  async fetch(repo, option, _configText, onBytes, signal) {
    const choice = choiceOf(ggufChoices(repo.snapshot.files), option.file)
    if (choice !== null) requireParts(repo, choice)
    const files = filesOf(repo.snapshot, option)
    for (const file of files) onBytes(file.path, 0, file.bytes)
    return { gguf: await fetchAll(repo, files, onBytes, signal) }
  },
}

function preferredOf(choices: readonly GgufChoice[]): GgufChoice {
  const found = preferred.flatMap((label) => choices.filter((choice) => choice.label === label))[0] ?? choices[0]
  if (found === undefined) throw new EvalError('internal', 'no GGUF file was found where there is one')
  return found
}

function requireParts({ snapshot }: ModelRepo, { missing, files }: GgufChoice): void {
  if (missing.length === 0) return
  throw new EvalError(
    'model/corrupt',
    `wanted all parts of ${files[0]?.path ?? 'a GGUF model'} in ${snapshot.id}, found no ${missing.slice(0, 5).join(', ')}`,
    { details: { missing: missing.slice(0, 20) } },
  )
}

/** By ranges: of the weights nothing is fetched but what stands in one range with the header. */
function sourceOf(repo: ModelRepo, file: RepoFile, signal: AbortSignal) {
  return { name: file.path, bytes: file.bytes, read: (start: number, end: number) => repo.readRange(file, start, end, signal) }
}
