/** From the command line to what a run needs: settings, Hub access, and the files that our server must offer. */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import type { EmbeddedModel } from '../../app/setup/embedded.ts'
import type { HubAccess } from '../../contracts/hub-access.ts'
import type { RunSettings, TaskFile } from '../../contracts/run-settings.ts'
import { originalFolderTasks } from '../../ports/original-mmlu/original-mmlu-tasks.ts'
import { needsShaderF16 } from '../../engines/graph/dtypes.ts'
import type { GpuWish } from '../browser/gpu-switches.ts'
import { commandLineOrigin } from '../browser/origin.ts'
import { localFilesPath, localHubPath } from '../browser/serve.ts'
import { findDataFiles, insideOf, listCsvFiles, readTaskFolder, type MissingFile } from '../files/task-folder.ts'
import type { CommandLine } from '../flags/args.ts'

const defaultHub = 'https://huggingface.co'

/** What a command line refers to on this machine. */
export interface LocalInputs {
  /** The folder behind `--model FOLDER`; null for an id. */
  readonly modelFolder: string | null
  /** The folder behind `--judge_model FOLDER`; null for an id. */
  readonly judgeFolder: string | null
  readonly taskFiles: readonly TaskFile[]
  /** Address on our own origin by the path that a task file names. */
  readonly dataFiles: { readonly [path: string]: string }
  /** File on disk by its address. */
  readonly servedFiles: ReadonlyMap<string, string>
  readonly missing: readonly MissingFile[]
}

/** Reads the folders that the command line names; relative ones start at `callerFolder`. */
export function readLocalInputs(line: CommandLine, callerFolder: string): LocalInputs {
  const folderOf = (model: string | undefined | null): string | null =>
    typeof model === 'string' ? findModelFolder(model, callerFolder) : null
  const modelFolder = folderOf(line.model)
  const judgeFolder = line.judge?.address === null ? folderOf(line.judge.model) : null
  if (line.includePath === null) return { modelFolder, judgeFolder, taskFiles: [], dataFiles: {}, servedFiles: new Map(), missing: [] }
  const folder = resolve(callerFolder, line.includePath)
  const isAllowed = line.allowOutside ? () => true : insideOf([folder, callerFolder])
  const own = readTaskFolder(folder, isAllowed)
  // A folder in the layout of the original MMLU program brings its tasks; files that are there win over them.
  const made = originalFolderTasks(listCsvFiles(folder)).filter(({ path }) => !own.some((file) => file.path === path))
  const taskFiles = [...made, ...own]
  const { found, missing } = findDataFiles(taskFiles, folder, callerFolder, isAllowed)
  const addresses = [...found].map(([path, file], index) => ({ path, file, address: `${localFilesPath}/${index}/${basename(file)}` }))
  return {
    modelFolder,
    judgeFolder,
    taskFiles,
    dataFiles: Object.fromEntries(addresses.map(({ path, address }) => [path, commandLineOrigin + encodeURI(address)])),
    servedFiles: new Map(addresses.map(({ file, address }) => [address, file])),
    missing,
  }
}

/** The folder that `model` names, or that has the GGUF file which it names, if there is one; a path that looks like one and is none is an error. */
function findModelFolder(model: string, callerFolder: string): string | null {
  const folder = resolve(callerFolder, model)
  if (model.endsWith('.gguf')) {
    if (existsSync(folder) && statSync(folder).isFile()) return dirname(folder)
    throw new Error(
      `--model ${model}: there is no such file (${folder}); one of a repository is named by --model_args pretrained=ID,gguf_file=NAME`,
    )
  }
  if (existsSync(folder) && statSync(folder).isDirectory()) return folder
  if (/^([./~]|[A-Za-z]:[\\/])/.test(model)) throw new Error(`--model ${model}: there is no such folder (${folder})`)
  return null
}

/** The ids that a model folder and a judge's have on our own origin's Hub. */
export const localModelId = 'local/model'
export const localJudgeId = 'local/judge'

/** Where the Hub is and who may see the token: the default Hub, or another one when that is said. */
export function hubAccess(
  line: CommandLine,
  { modelFolder, judgeFolder }: Pick<LocalInputs, 'modelFolder' | 'judgeFolder'>,
  token: string | undefined,
): HubAccess {
  const base = line.hub === null || line.hub === defaultHub ? null : line.hub
  const isTokenWanted = token !== undefined && token !== '' && (base === null || line.hubToken)
  const local = (model: string | undefined | null, folder: string | null, id: string) =>
    typeof model === 'string' && folder !== null ? { [model]: { base: commandLineOrigin + localHubPath, id } } : {}
  return {
    base,
    token: isTokenWanted ? token : null,
    localModels: { ...local(line.judge?.model, judgeFolder, localJudgeId), ...local(line.model, modelFolder, localModelId) },
  }
}

/** What the command line asks of the browser's GPU. */
export function gpuWish({ device, dtypes, unsafeWebgpu }: Pick<CommandLine, 'device' | 'dtypes' | 'unsafeWebgpu'>): GpuWish {
  return {
    use: device === 'wasm' ? 'none' : device === 'webgpu' ? 'hardware-or-software' : 'hardware',
    unsafe: unsafeWebgpu,
    float16: dtypes?.some(needsShaderF16) ?? false,
  }
}

interface ModelChoice {
  readonly model: string
  readonly revision: string
  /** Null = the model's default. */
  readonly dtype: string | null
  readonly tasks: readonly string[]
}

/** Model, revision, its usual dtype, and tasks; the embedded default for what isn't named. Throws when neither names one. */
export function chooseModel(line: CommandLine, embedded: readonly EmbeddedModel[]): ModelChoice {
  const fallback = embedded.find(({ isDefault }) => isDefault)
  const model = line.model ?? fallback?.id
  if (model === undefined) throw new Error('No model is embedded in this build: name one with --model.')
  const tasks = line.tasks.length > 0 ? line.tasks : (fallback?.defaultTasks ?? [])
  if (tasks.length === 0) throw new Error('No task was named: --tasks a,b chooses some, --tasks list shows all.')
  const own = embedded.find(({ id }) => id === model)
  // The listed dtype is one of its ONNX files.
  const dtype = line.modelFormat === null || line.modelFormat === 'onnx' ? (own?.defaultDtype ?? null) : null
  return { model, revision: line.revision ?? own?.revisions[0] ?? 'main', dtype, tasks }
}

export function runSettings(line: CommandLine, choice: ModelChoice, inputs: LocalInputs, samples: RunSettings['samples']): RunSettings {
  return {
    model: choice.model,
    revision: choice.revision,
    dtype: choice.dtype,
    ...(line.modelFormat === null ? {} : { modelFormat: line.modelFormat }),
    modelArgs: line.modelArgs,
    device: line.device,
    scoring: line.scoring,
    tasks: choice.tasks,
    taskFiles: inputs.taskFiles,
    dataFiles: inputs.dataFiles,
    numFewshot: line.numFewshot,
    limit: line.limit,
    samples,
    applyChatTemplate: line.applyChatTemplate,
    fewshotAsMultiturn: line.fewshotAsMultiturn,
    systemInstruction: line.systemInstruction,
    genKwargs: line.genKwargs,
    seeds: line.seeds,
    bootstrapIters: 100_000,
    predictOnly: line.predictOnly,
    metadata: line.metadata,
    useCache: line.useCache,
    ...(line.keepsPacked ? { keepsPacked: true } : {}),
    ...(line.noiseItems === null ? {} : { noiseItems: line.noiseItems }),
    ...(line.shard === null ? {} : { shard: line.shard }),
  }
}

/** `--samples`: a JSON object, or a file that holds one: task → doc numbers. */
export function readSamples(given: string | null, callerFolder: string): RunSettings['samples'] {
  if (given === null) return null
  const file = resolve(callerFolder, given)
  const isText = given.trim().startsWith('{')
  if (!isText && !existsSync(file)) throw new Error(`--samples: wanted a JSON object or a file, found ${given}`)
  const value = parseJson(isText ? given : readFileSync(file, 'utf8'), isText ? '--samples' : file)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error('--samples: wanted an object of task names and lists of doc numbers')
  return Object.fromEntries(Object.entries(value).map(([task, docs]: [string, unknown]) => [task, readDocNumbers(task, docs)]))
}

function readDocNumbers(task: string, docs: unknown): number[] {
  if (!Array.isArray(docs)) throw new Error(`--samples: ${task}: wanted a list of doc numbers, found ${JSON.stringify(docs)}`)
  return docs.map((doc: unknown) => {
    if (typeof doc !== 'number' || !Number.isInteger(doc) || doc < 0)
      throw new Error(`--samples: ${task}: wanted doc numbers from 0, found ${JSON.stringify(doc)}`)
    return doc
  })
}

function parseJson(text: string, where: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error(`${where}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}
