/** Sub-commands that show something and run nothing: `tasks`, `prompts`. */
import type { TaskListing } from '../../contracts/listings.ts'
import type { PromptPreview, TextRequest } from '../../contracts/requests.ts'
import { createLocalHub } from '../browser/local-hub.ts'
import { openSession, type Session } from '../browser/session.ts'
import { callerFolder } from '../files/caller-folder.ts'
import type { CommandLine } from '../flags/args.ts'
import type { Progress } from '../output/progress.ts'
import { listenForInterrupt } from './interrupt.ts'
import { chooseModel, gpuWish, hubAccess, readLocalInputs, readSamples, runSettings, type LocalInputs } from './settings.ts'

/** How many docs `prompts` shows without `--limit`. */
const defaultPrompts = 3

export async function printTasks(line: CommandLine, progress: Progress, print: (text: string) => void): Promise<number> {
  await withSession(line, progress, async (session, inputs) => {
    const { tasks, problems } = await session.call('listTasks', inputs.taskFiles)
    const filter = line.filter?.toLowerCase() ?? ''
    const listed = tasks.filter(({ name }) => name.toLowerCase().includes(filter))
    for (const { file, message } of problems) progress.say(`Warning: ${file}: ${message}`)
    if (line.json) print(JSON.stringify(listed, null, 2))
    else if (listed.length === 0) progress.say(`No task's name contains ${JSON.stringify(line.filter)}.`)
    else print(listed.map(formatTask).join('\n'))
  })
  return 0
}

function formatTask({ name, kind, outputType, members }: TaskListing): string {
  return `${name.padEnd(40)} ${kind.padEnd(5)} ${kind === 'task' ? (outputType ?? '') : members.join(', ')}`.trimEnd()
}

export async function printPrompts(line: CommandLine, progress: Progress, print: (text: string) => void): Promise<number> {
  await withSession(line, progress, async (session, inputs) => {
    const choice = chooseModel(line, await session.call('listModels'))
    const settings = runSettings({ ...line, limit: null }, choice, inputs, readSamples(line.samples, callerFolder()))
    const previews = await session.call(
      'previewPrompts',
      settings,
      line.limit === null ? defaultPrompts : Math.max(1, Math.floor(line.limit)),
    )
    print(line.json ? JSON.stringify(previews, null, 2) : formatPreviews(previews))
  })
  return 0
}

/** The first docs' requests as text, for `prompts` and `--write_out`. */
export function formatPreviews(previews: readonly PromptPreview[]): string {
  return previews.map(formatPreview).join('\n\n')
}

function formatPreview({ task, docId, target, requests }: PromptPreview): string {
  return [`=== ${task}, doc ${docId}, target ${JSON.stringify(target)}`, ...requests.map(formatRequest)].join('\n')
}

function formatRequest(request: TextRequest, index: number): string {
  const head = `--- request ${index}: ${request.type}`
  switch (request.type) {
    case 'loglikelihood':
      return `${head}, continuation ${JSON.stringify(request.continuation)}\n${request.context}`
    case 'loglikelihood_rolling':
      return `${head}\n${request.text}`
    case 'generate_until':
      return `${head}, ${JSON.stringify(request.kwargs)}\n${request.context}`
  }
}

/** Opens what a sub-command needs, uses it, and closes it whatever happens. */
export async function withSession(
  line: CommandLine,
  progress: Progress,
  use: (session: Session, inputs: LocalInputs) => Promise<void>,
): Promise<void> {
  const interrupt = listenForInterrupt(() => undefined)
  const inputs = readLocalInputs(line, callerFolder())
  const session = await openSession({
    gpu: gpuWish(line),
    access: hubAccess(line, inputs, process.env['HF_TOKEN']),
    localHub: createLocalHub(inputs, (text) => progress.say(text)),
    localFiles: inputs.servedFiles,
    say: (text) => progress.say(text),
    signal: interrupt.signal,
  })
  try {
    await Promise.race([use(session, inputs), session.died, rejectWhenStopped(interrupt.signal)])
  } finally {
    await session.close()
    interrupt.release()
  }
}

export function rejectWhenStopped(signal: AbortSignal): Promise<never> {
  const stopped = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason instanceof Error ? signal.reason : new Error('Stopped.')), { once: true })
  })
  // It may never be waited for.
  stopped.catch(() => undefined)
  return stopped
}
