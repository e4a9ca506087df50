/** `npm run eval -- fan`: a task in other styles, words and with or without a chat template, over the same docs; then how far they lie apart. */
import { clusterTasks } from '../../analysis/cluster/task-files.ts'
import { promptFans, type PromptFan } from '../../analysis/compare/series/prompt-fan.ts'
import { requireSameChoices } from '../../analysis/prompt-variants/same-choices.ts'
import { siblingWordings, styleVariants, wordingVariants, type FanVariant } from '../../analysis/prompt-variants/variants.ts'
import { openFiles } from '../../app/open/open-files.ts'
import type { OpenedRun } from '../../app/open/opened-run.ts'
import { isEvalError } from '../../base/errors.ts'
import type { TaskSource } from '../../harness/tasks/registry-expand.ts'
import { buildRegistry, type Registry } from '../../harness/tasks/registry.ts'
import { bundledRoot, type TaskRoot } from '../../harness/tasks/task-files.ts'
import { callerFolder } from '../files/caller-folder.ts'
import { readTaskFolder } from '../files/task-folder.ts'
import { requireReadable } from '../files/yaml-gate.ts'
import type { CommandLine } from '../flags/args.ts'
import { UsageError } from '../flags/flag-values.ts'
import { fanText } from '../output/matrix-text.ts'
import type { Progress } from '../output/progress.ts'
import { comparedOf } from './compare-files.ts'
import { filesOf } from './import-files.ts'
import { nameOutputs, outputFolder, writeOwn } from './result-files.ts'
import type { RunExtras } from './run-evaluation.ts'
import type { Evaluate } from './run-sweep.ts'
import { readLocalInputs, readSamples } from './settings.ts'

interface FanRun {
  /** `plain` or `chat`. */
  readonly label: string
  readonly opened: OpenedRun
}

/** A variant, and the task that it is one of. */
interface Variant extends FanVariant {
  readonly of: string
}

/** What the command needs beside its line. */
interface FanMeans {
  /** The folder of the bundled task files. */
  readonly bundled: string
  readonly progress: Progress
  readonly print: (text: string) => void
  readonly evaluate: Evaluate
}

/** Gives 0 when every variant ran and its files are written. Throws UsageError and `task/unsupported` before the first run. */
export async function runFan(line: CommandLine, means: FanMeans): Promise<number> {
  const { progress, print } = means
  refuseOthers(line)
  const roots = [
    { name: bundledRoot, files: readTaskFolder(means.bundled) },
    { name: 'given', files: readLocalInputs(line, callerFolder()).taskFiles },
  ]
  requireReadable(roots[1]?.files.filter(({ path }) => !path.endsWith('.py')) ?? [])
  const variants = variantsOf(line, buildRegistry(roots), progress)
  const chats = line.fan.chat === 'auto' || line.fan.chat === 'both' ? [false, true] : [line.fan.chat === 'on']
  if (variants.length * chats.length < 2) throw new UsageError('fan: this leaves one prompt, and a fan wants two at least')
  progress.say(`Prompts: ${variants.map(({ task }) => task).join(', ')}`)
  const samples = samplesOf(line, variants)
  const runs: FanRun[] = []
  for (const isChat of chats) {
    const run = await askAll({ ...line, samples }, isChat, variants, means)
    if (typeof run === 'number') return run
    if (run !== null) runs.push(run)
  }
  if (variants.length * runs.length < 2)
    throw new UsageError('fan: without a chat template this leaves one prompt, and a fan wants two at least')
  const fans = promptFans(runs.map(({ opened, label }) => comparedOf(opened, label)))
  if (fans.length === 0) progress.say('There is no fan: its prompts want two docs at least, and a metric that all of them have.')
  writeFan(line, { variants, runs, fans, roots, progress })
  const labels = runs.map(({ label }) => label)
  print(line.json ? JSON.stringify({ variants: variants.map(described), runs: labels, prompt_fans: fans }, null, 2) : fanText(fans, labels))
  return 0
}

function refuseOthers(line: CommandLine): void {
  if (line.tasks.length === 0) throw new UsageError('fan wants --tasks with a multiple-choice task')
  if (line.resume !== false) throw new UsageError('--resume goes on with one run; the same fan again takes the answers that are kept')
  if (!line.logSamples || line.predictOnly) throw new UsageError('fan compares doc by doc: it wants samples and their scores')
  if (line.judge !== null) throw new UsageError('fan asks for choices, and --judge_model judges what is written: leave one out')
  if (line.applyChatTemplate !== false && line.fan.chat === 'off')
    throw new UsageError('--apply_chat_template and --chat off exclude each other')
}

/** `--samples` chooses docs by task: variants ask those of their task. As JSON, which the flag takes. */
function samplesOf({ samples }: CommandLine, variants: readonly Variant[]): string | null {
  const chosen = readSamples(samples, callerFolder())
  if (chosen === null) return null
  const own = variants.flatMap(({ task, of }) => (chosen[of] === undefined ? [] : [[task, chosen[of]] as const]))
  return JSON.stringify({ ...chosen, ...Object.fromEntries(own) })
}

/** So many wordings are asked without being asked for. */
const mostWordings = 6

/** Of every task that was asked for: itself first, its other styles, then other words. */
function variantsOf(line: CommandLine, registry: Registry, progress: Progress): readonly Variant[] {
  const sources = registry.resolve(line.tasks).tasks
  const { styles, wordings } = line.fan
  return sources.flatMap((source) => {
    const others = typeof wordings === 'string' ? siblingsOf(source, registry) : registry.resolve(wordings).tasks
    const worded = wordingVariants(source, others)
    const isTooMany = wordings === 'auto' && worded.length > mostWordings
    if (isTooMany) progress.say(`${source.name}: ${worded.length} siblings word it otherwise; --wordings all asks them too.`)
    const made = [...styleVariants(source, styles), ...(isTooMany ? [] : worded)]
    // A task that is asked for beside its own variant would stand twice.
    return made
      .filter(({ task, file }) => file === null || !sources.some(({ name }) => name === task))
      .map((one) => ({ ...one, of: source.name }))
  })
}

function siblingsOf(source: TaskSource, registry: Registry): readonly TaskSource[] {
  const folder = source.file.slice(0, source.file.lastIndexOf('/') + 1)
  const names = registry
    .list()
    .filter(
      ({ kind, file, name }) =>
        kind === 'task' && name !== source.name && file.startsWith(folder) && !file.slice(folder.length).includes('/'),
    )
    .map(({ name }) => name)
  return names.length === 0 ? [] : siblingWordings(source, registry.resolve(names).tasks)
}

/** One run of all variants; its exit code where it isn't complete, null where the model has no chat template and nobody insists. */
async function askAll(line: CommandLine, isChat: boolean, variants: readonly Variant[], means: FanMeans): Promise<FanRun | number | null> {
  const { progress, print, evaluate } = means
  progress.say(isChat ? 'With the chat template' : 'Without a chat template')
  const written: string[] = []
  const extras: RunExtras = { taskFiles: variants.flatMap(({ file }) => file ?? []), onWritten: (file) => written.push(file) }
  // The name of a template, where one was given.
  const applyChatTemplate = isChat && (line.applyChatTemplate === false ? true : line.applyChatTemplate)
  const one = { ...line, tasks: variants.map(({ task }) => task), applyChatTemplate }
  try {
    const code = await evaluate(one, progress, line.json ? () => undefined : print, extras)
    if (code !== 0) return code
  } catch (error) {
    if (!(isChat && line.fan.chat === 'auto' && isEvalError(error) && error.code === 'tokenizer/chat-template')) throw error
    progress.say('The model has no chat template: the prompts are asked without one alone.')
    return null
  }
  const label = isChat ? 'chat' : 'plain'
  const files = written.flatMap((file) => filesOf(file, callerFolder()).flat())
  const [opened] = await openFiles(files, () => label)
  if (opened === undefined) throw new Error(`The run ${label} wrote no results.`)
  for (const name of new Set(variants.map(({ of }) => of)))
    requireSameChoices(
      opened.samples,
      variants.filter(({ of }) => of === name).map(({ task }) => task),
    )
  return { label, opened }
}

interface Made {
  readonly variants: readonly Variant[]
  readonly runs: readonly FanRun[]
  readonly fans: readonly PromptFan[]
  readonly roots: readonly TaskRoot[]
  readonly progress: Progress
}

/** `fan_<time>/`: the numbers, and every variant's task file as lm_eval reads it. */
function writeFan(line: CommandLine, { variants, runs, fans, roots, progress }: Made): void {
  const model = runs[0]?.opened.summary.resultsFile['model_name']
  const names = nameOutputs(outputFolder(line), typeof model === 'string' && model !== '' ? model : 'model', new Date())
  const fan = { variants: variants.map(described), runs: runs.map(({ label }) => label), prompt_fans: fans }
  writeOwn(names.own('fan/fan.json'), `${JSON.stringify(fan, null, 2)}\n`)
  const made = variants.flatMap(({ file }) => file ?? [])
  try {
    const registry = buildRegistry([...roots, { name: 'fan', files: made }])
    const { files } = clusterTasks(registry.resolve(variants.map(({ task }) => task)), {})
    for (const { path, text } of files) writeOwn(names.own(`fan/tasks/${path}`), text)
    progress.say(`Wrote ${names.own('fan')}: the fan, and its ${variants.length} task files as lm_eval reads them`)
  } catch (error) {
    if (!isEvalError(error) || error.code !== 'task/unsupported') throw error
    progress.say(`Wrote ${names.own('fan')} without task files for lm_eval: ${error.message}`)
  }
}

function described({ task, of, style, wording }: Variant): { readonly [key: string]: string | null } {
  return { task, of, style, wording }
}
